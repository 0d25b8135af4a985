from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel.spaces import Box, Discrete
from gymkernel_env_classic_control import AcrobotEnv
from gymkernel_env_classic_control.acrobot_links import accelerations


def at(*state: float) -> AcrobotEnv:
    env = AcrobotEnv()
    env.reset(seed=0)
    env.state = state
    return env


def energy(env: AcrobotEnv) -> float:
    assert env.state is not None
    t1, t2, s1, s2 = env.state
    d1 = 0.25 + 1.25 + math.cos(t2) + 2.0
    d2 = 0.25 + 0.5 * math.cos(t2) + 1.0
    kinetic = 0.5 * d1 * s1**2 + d2 * s1 * s2 + 0.5 * 1.25 * s2**2
    return float(kinetic - 9.8 * (1.5 * math.cos(t1) + 0.5 * math.cos(t1 + t2)))


def test_spaces() -> None:
    env = AcrobotEnv()
    high = np.array([1, 1, 1, 1, 4 * np.pi, 9 * np.pi], np.float32)
    assert env.action_space == Discrete(3)
    assert env.observation_space == Box(-high, high, dtype=np.float32)


def test_hanging_acrobot_stays_still() -> None:
    assert at(0.0, 0.0, 0.0, 0.0).step(1)[0] == pytest.approx([1, 0, 1, 0, 0, 0], abs=1e-12)


def test_actions_turn_the_elbow() -> None:
    left, right = at(0.0, 0.0, 0.0, 0.0).step(0)[0], at(0.0, 0.0, 0.0, 0.0).step(2)[0]
    assert left[5] < 0 < right[5]
    assert left == pytest.approx(right * [1, -1, 1, -1, -1, -1])


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-2, 2), st.floats(-2, 2))
def test_energy_is_conserved_without_torque(t1: float, t2: float, s1: float, s2: float) -> None:
    env = at(t1, t2, s1, s2)
    env.dt = 0.01
    before = energy(env)
    for _ in range(20):
        env.step(1)
    assert energy(env) == pytest.approx(before, abs=1e-6)


def test_book_and_nips_dynamics_differ() -> None:
    book, paper = at(0.3, 0.5, 1.0, 0.0), at(0.3, 0.5, 1.0, 0.0)
    paper.book_or_nips = "nips"
    assert book.step(1)[0][5] != paper.step(1)[0][5]
    still = [accelerations(2, env.factors(), 0.0, 1.0, 0.0, 1.0, 0.0, 0.3, 0.3) for env in (book, paper)]
    assert still[0] == still[1]


@pytest.mark.parametrize("state, terminated", [((2.0, 0.0, 0, 0), False), ((2.5, 0.0, 0, 0), True)])
def test_tip_above_the_bar_ends_the_episode(state: tuple[float, ...], terminated: bool) -> None:
    env = at(*state)
    env.dt = 0.0
    assert env.step(1)[1:3] == (0.0 if terminated else -1.0, terminated)


def test_angles_are_wrapped_and_speeds_clipped() -> None:
    env = at(3.1, -3.1, 12.0, -28.0)
    rng = np.random.default_rng(1)
    for _ in range(500):
        env.step(rng.integers(3))
        assert env.state is not None
        assert (np.abs(env.state) <= [np.pi, np.pi, 4 * np.pi, 9 * np.pi]).all()


def test_torque_noise_uses_the_generator() -> None:
    noisy, twin, plain = at(0.1, 0.1, 0.0, 0.0), at(0.1, 0.1, 0.0, 0.0), at(0.1, 0.1, 0.0, 0.0)
    noisy.torque_noise_max = twin.torque_noise_max = 0.5
    first = noisy.step(1)[0]
    assert (first == twin.step(1)[0]).all()
    assert (first != plain.step(1)[0]).any()
    assert noisy.np_random.random() == twin.np_random.random() != plain.np_random.random()


def test_torques_and_lengths_are_class_attributes() -> None:
    class Strong(AcrobotEnv):
        AVAIL_TORQUE: ClassVar[list[float]] = [-5.0, 0.0, 5.0]
        LINK_MASS_2 = 2.0

    strong = Strong()
    strong.reset(seed=0)
    weak = at(0.0, 0.0, 0.0, 0.0)
    strong.state = (0.0, 0.0, 0.0, 0.0)
    assert strong.step(2)[0][5] > 2 * weak.step(2)[0][5]


def test_reset_state_is_float32() -> None:
    env = AcrobotEnv()
    observation, _ = env.reset(seed=4)
    assert env.state is not None
    assert (env.state == env.state.astype(np.float32)).all()
    assert observation[1] == np.sin(np.float32(env.state[0]))
