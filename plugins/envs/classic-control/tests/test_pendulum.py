from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gymkernel as gym
from gymkernel.spaces import Box
from gymkernel_env_classic_control import PendulumEnv

HIGH = np.array([1, 1, 8], np.float32)


def at(theta: float, theta_dot: float, **options: Any) -> PendulumEnv:
    env = PendulumEnv(**options)
    env.reset(seed=0)
    env.state = (theta, theta_dot)
    return env


def torque(number: float) -> Any:
    return np.array([number], np.float32)


def test_spaces() -> None:
    env = PendulumEnv()
    assert env.action_space == Box(-2.0, 2.0, (1,), np.float32)
    assert env.observation_space == Box(-HIGH, HIGH, dtype=np.float32)


def test_first_step_equals_a_manual_computation() -> None:
    env = at(0.3, -0.5)
    observation, reward, *flags = env.step(torque(1.5))
    speed = -0.5 + (15 * math.sin(0.3) + 3 * 1.5) * 0.05
    angle = 0.3 + speed * 0.05
    assert observation == pytest.approx([math.cos(angle), math.sin(angle), speed])
    assert reward == pytest.approx(-(0.3**2 + 0.1 * 0.5**2 + 0.001 * 1.5**2))
    assert type(reward) is np.float64  # as in Gymnasium, so that programs can call reward.item()
    assert flags == [False, False, {}]
    assert env.last_u == 1.5


@given(st.floats(-50, 50), st.floats(-8, 8), st.floats(-2, 2, width=32))
def test_rewards_are_within_their_bounds(theta: float, theta_dot: float, u: float) -> None:
    assert -(math.pi**2 + 6.4 + 0.004) * (1 + 1e-12) <= at(theta, theta_dot).step(torque(u))[1] <= 0


@given(st.floats(-3, 3), st.floats(-8, 8))
def test_full_turn_does_not_change_the_reward(theta: float, theta_dot: float) -> None:
    rewards = [at(theta + turn, theta_dot).step(torque(0.0))[1] for turn in (0.0, 2 * math.pi, -4 * math.pi)]
    assert rewards == pytest.approx([rewards[0]] * 3, abs=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_speed_is_clipped(sign: float) -> None:
    env = at(sign * math.pi / 2, sign * 7.9)
    assert env.step(torque(sign * 2.0))[0][2] == sign * 8.0
    assert env.state is not None
    assert env.state[1] == sign * 8.0


def test_gravity_is_an_argument() -> None:
    weightless = gym.make("Pendulum-v1", g=0.0)
    weightless.reset(seed=3, options={"y_init": 0.0})
    assert weightless.step(torque(0.0))[0][2] == 0.0
    with pytest.raises(AssertionError):
        assert at(1.0, 0.0, g=5.0).step(torque(0.0))[0][2] == at(1.0, 0.0).step(torque(0.0))[0][2]


def test_constants_are_read_at_every_step() -> None:
    env = at(1.0, 1.0)
    env.dt = 0.0
    assert env.step(torque(2.0))[0] == pytest.approx([math.cos(1.0), math.sin(1.0), 1.0])


@given(st.floats(0, 4), st.floats(0, 9))
def test_reset_bounds_can_be_passed_in_options(x: float, y: float) -> None:
    env = PendulumEnv()
    env.reset(seed=2, options={"x_init": x, "y_init": y})
    assert env.state is not None
    assert (np.abs(env.state) <= [x, y]).all()


def test_reset_angle_covers_the_whole_circle() -> None:
    env = PendulumEnv()
    states: list[Any] = []
    for seed in range(300):
        env.reset(seed=seed)
        states.append(env.state)
    most = np.abs(states).max(axis=0)
    assert most == pytest.approx([math.pi, 1.0], rel=0.02)


@pytest.mark.parametrize(
    "options", [{"x_init": -1.0}, {"y_init": -0.1}, {"x_init": "far"}, {"y_init": math.nan}, {"x_init": None}]
)
def test_invalid_options_are_rejected(options: dict[str, Any]) -> None:
    env = at(0.0, 0.0)
    before = env.state
    with pytest.raises(ValueError, match=r'Expected options\["[xy]_init"\]'):
        env.reset(seed=9, options=options)
    assert env.state is before


@pytest.mark.parametrize("given", [[1.0], [1], np.array([1.0]), np.array([1]), np.array([1], np.float16)])
def test_other_number_types_are_valid_torques(given: Any) -> None:
    assert at(0.5, 0.5).step(given)[0] == pytest.approx(at(0.5, 0.5).step(torque(1.0))[0])


def test_reset_clears_the_last_torque() -> None:
    env = at(0.0, 0.0)
    env.step(torque(1.0))
    env.reset()
    assert env.last_u is None
