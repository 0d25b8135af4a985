from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel.spaces import Box, Discrete
from gymkernel_env_classic_control import Continuous_MountainCarEnv, MountainCarEnv


def at(position: float, velocity: float, *, cls: Any = MountainCarEnv, **options: Any) -> Any:
    env = cls(**options)
    env.reset(seed=0)
    env.state = (position, velocity)
    return env


def force(number: float) -> Any:
    return np.array([number], np.float32)


BOTH = [(MountainCarEnv, 2, 1), (Continuous_MountainCarEnv, force(1.0), force(0.0))]


def test_spaces() -> None:
    env, continuous = MountainCarEnv(), Continuous_MountainCarEnv()
    box = Box(np.array([-1.2, -0.07], "f4"), np.array([0.6, 0.07], "f4"), dtype=np.float32)
    assert env.observation_space == continuous.observation_space == box
    assert env.action_space == Discrete(3)
    assert continuous.action_space == Box(-1.0, 1.0, (1,), np.float32)


def test_first_step_equals_a_manual_computation() -> None:
    observation, reward, terminated, truncated, info = at(-0.5, 0.01).step(2)
    velocity = 0.01 + 0.001 - 0.0025 * math.cos(-1.5)
    assert observation == pytest.approx([-0.5 + velocity, velocity])
    assert (reward, terminated, truncated, info) == (-1.0, False, False, {})


def test_first_step_with_a_chosen_force_equals_a_manual_computation() -> None:
    observation, reward, terminated, *_ = at(-0.5, 0.01, cls=Continuous_MountainCarEnv).step(force(0.5))
    velocity = 0.01 + 0.0015 * 0.5 - 0.0025 * math.cos(-1.5)
    assert observation == pytest.approx([-0.5 + velocity, velocity])
    assert reward == pytest.approx(-0.1 * 0.25)
    assert terminated is False


@pytest.mark.parametrize("cls, full, _", BOTH)
def test_speed_is_clipped(cls: Any, full: Any, _: Any) -> None:
    env = at(-0.9, 0.07, cls=cls)
    assert env.step(full)[0][1] == np.float32(0.07)
    assert env.step(full)[0][1] == np.float32(0.07)


@pytest.mark.parametrize("cls, _, rest", BOTH)
def test_left_end_is_a_wall(cls: Any, _: Any, rest: Any) -> None:
    observation = at(-1.19, -0.07, cls=cls).step(rest)[0]
    assert observation.tolist() == [np.float32(-1.2), 0.0]


@pytest.mark.parametrize("cls, full, _", BOTH)
def test_right_end_keeps_the_speed(cls: Any, full: Any, _: Any) -> None:
    observation, _, terminated, *_ = at(0.59, 0.05, cls=cls).step(full)
    assert observation[0] == np.float32(0.6)
    assert observation[1] > 0.04
    assert terminated is True


@pytest.mark.parametrize("goal_velocity, terminated", [(0.0, True), (0.02, True), (0.06, False)])
@pytest.mark.parametrize("cls, full, _", BOTH)
def test_goal_velocity_is_required(cls: Any, full: Any, _: Any, goal_velocity: float, terminated: bool) -> None:
    assert at(0.49, 0.03, cls=cls, goal_velocity=goal_velocity).step(full)[2] is terminated


def test_reaching_the_goal_gives_100() -> None:
    env = at(0.44, 0.03, cls=Continuous_MountainCarEnv)
    assert env.step(force(0.5))[1:3] == (pytest.approx(100 - 0.025), True)


def test_constants_are_read_at_every_step() -> None:
    env = at(-0.5, 0.0)
    env.force, env.gravity = 0.0, 0.0
    assert env.step(2)[0].tolist() == [-0.5, 0.0]
    env = at(-0.5, 0.0, cls=Continuous_MountainCarEnv)
    env.step(force(0.0))
    env.power = 0.01
    assert env.step(force(1.0))[0][1] == pytest.approx(0.01, abs=0.001)


def test_reset_velocity_is_zero() -> None:
    for cls in (MountainCarEnv, Continuous_MountainCarEnv):
        starts = np.array([cls().reset(seed=seed)[0] for seed in range(200)])
        assert (starts[:, 1] == 0).all()
        assert starts[:, 0].min() == pytest.approx(-0.6, abs=0.01)
        assert starts[:, 0].max() == pytest.approx(-0.4, abs=0.01)


def test_observation_is_the_state() -> None:
    env = Continuous_MountainCarEnv()
    env.reset(seed=1)
    assert env.state is not None
    assert env.state.dtype == np.float64
    for _ in range(3):
        observation = env.step(force(0.3))[0]
        assert env.state.dtype == np.float32
        assert (env.state == observation).all()


NUMBERS = st.floats(-1.25, 1.25, width=32)


@given(st.floats(-1.25, 0.625, width=32), st.floats(-0.078125, 0.078125, width=32), NUMBERS, st.floats(-0.05, 0.05))
def test_fast_path_equals_numpy_arithmetic(position: float, velocity: float, push: float, speed: float) -> None:
    env = Continuous_MountainCarEnv(goal_velocity=speed)
    env.reset(seed=1)
    env.state = np.array([position, velocity], np.float32)
    observation, reward, terminated, *_ = env.step(force(push))
    moved = env.move(np.float32(position), np.float32(velocity), np.float32(push))
    assert observation.tolist() == np.array(moved[:2], np.float32).tolist()
    assert terminated is moved[2]
    assert reward == (100.0 if terminated else 0.0) - push**2 * 0.1


@pytest.mark.parametrize("position", [-1.2, 0.6, 0.45])
@pytest.mark.parametrize("velocity", [0.0, 1e-9, -1e-9, 1e-7])
def test_both_paths_agree_at_the_bounds(position: float, velocity: float) -> None:
    env = Continuous_MountainCarEnv()
    env.reset(seed=1)
    for near in (position, np.nextafter(np.float32(position), 9), np.nextafter(np.float32(position), -9)):
        env.state = np.array([near, velocity], np.float32)
        seen = env.step(force(0.1))
        moved = env.move(np.float32(near), np.float32(velocity), np.float32(0.1))
        assert seen[0].tolist() == np.array(moved[:2], np.float32).tolist()
        assert seen[2] is moved[2]
