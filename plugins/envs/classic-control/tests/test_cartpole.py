from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.spaces import Box, Discrete
from gymkernel_env_classic_control import CARTPOLE_V0, CARTPOLE_V1, CartPoleEnv


def ready(**options: Any) -> CartPoleEnv:
    env = CartPoleEnv(**options)
    env.reset(seed=0)
    return env


def at(x: float = 0.0, x_dot: float = 0.0, theta: float = 0.0, theta_dot: float = 0.0, **options: Any) -> CartPoleEnv:
    env = ready(**options)
    env.state = (x, x_dot, theta, theta_dot)
    return env


def test_spaces() -> None:
    env = CartPoleEnv()
    high = np.array([4.8, np.inf, 24 / 180 * np.pi, np.inf], np.float32)
    assert env.action_space == Discrete(2)
    assert env.observation_space == Box(-high, high, dtype=np.float32)
    assert repr(env.observation_space).startswith("Box([-4.8")


@pytest.mark.parametrize("spec, steps, threshold", [(CARTPOLE_V0, 200, 195.0), (CARTPOLE_V1, 500, 475.0)])
def test_registered_specs(spec: Any, steps: int, threshold: float) -> None:
    assert (spec.max_episode_steps, spec.reward_threshold) == (steps, threshold)
    assert type(spec).from_json(spec.to_json()) == spec
    assert isinstance(gym.make(spec).unwrapped, CartPoleEnv)
    assert gym.spec(spec.id) is spec


def test_make_truncates_at_the_time_limit() -> None:
    env = gym.make(CARTPOLE_V0, max_episode_steps=3)
    env.reset(seed=1)
    assert [env.step(i % 2)[2:4] for i in range(3)] == [(False, False), (False, False), (False, True)]


def test_equal_seeds_give_equal_trajectories() -> None:
    one, other = ready(), ready()
    for action in np.random.default_rng(3).integers(0, 2, 200):
        mine, theirs = one.step(action), other.step(action)
        assert mine[0].tobytes() == theirs[0].tobytes()
        if mine[2]:
            assert (one.reset()[0] == other.reset()[0]).all()


@given(st.integers(0, 2**40), st.floats(-1, 1), st.floats(-1, 1))
def test_reset_bounds_can_be_passed_in_options(seed: int, a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    observation, info = CartPoleEnv().reset(seed=seed, options={"low": low, "high": high})
    assert info == {}
    assert observation.dtype == np.float32
    assert observation.shape == (4,)
    assert (observation >= np.float32(low)).all()
    assert (observation <= np.float32(high)).all()


def test_reset_uses_the_default_bounds() -> None:
    env = CartPoleEnv()
    starts = np.array([env.reset()[0] for _ in range(200)])
    assert 0.04 < np.abs(starts).max() <= 0.05


def test_first_step_equals_a_manual_computation() -> None:
    env = at(theta=0.1)
    observation, *_ = env.step(1)
    push = 10.0 / 1.1
    theta_acc = (9.8 * math.sin(0.1) - math.cos(0.1) * push) / (0.5 * (4 / 3 - 0.1 * math.cos(0.1) ** 2 / 1.1))
    x_acc = push - 0.05 * theta_acc * math.cos(0.1) / 1.1
    assert observation == pytest.approx([0.0, 0.02 * x_acc, 0.1, 0.02 * theta_acc])


def test_semi_implicit_integrator_uses_the_new_velocity() -> None:
    env = at()
    env.kinematics_integrator = "semi-implicit"
    x, x_dot, theta, theta_dot = env.step(1)[0]
    assert x == pytest.approx(0.02 * x_dot)
    assert theta == pytest.approx(0.02 * theta_dot)


def test_constants_are_read_at_every_step() -> None:
    env = at()
    env.force_mag = 0.0
    assert (env.step(1)[0] == 0).all()


@pytest.mark.parametrize(
    "state, terminated",
    [
        ({"x": 2.4}, False),
        ({"x": -2.4}, False),
        ({"x": np.nextafter(2.4, 3)}, True),
        ({"x": np.nextafter(-2.4, -3)}, True),
        ({"theta": 12 * 2 * math.pi / 360}, False),
        ({"theta": np.nextafter(12 * 2 * math.pi / 360, 1)}, True),
        ({"theta": -np.nextafter(12 * 2 * math.pi / 360, 1)}, True),
    ],
)
def test_episode_ends_beyond_the_limits(state: dict[str, float], terminated: bool) -> None:
    assert at(**state).step(0)[2] is terminated


@pytest.mark.parametrize("sutton_barto, rewards", [(False, [1.0, 1.0, 0.0, 0.0]), (True, [0.0, -1.0, -1.0, -1.0])])
def test_rewards_before_at_and_after_the_end(sutton_barto: bool, rewards: list[float]) -> None:
    env = at(x=2.37, x_dot=1.0, sutton_barto_reward=sutton_barto)
    seen = [env.step(1)[1], env.step(1)[1]]
    with pytest.warns(UserWarning, match="call reset"):
        seen.append(env.step(1)[1])
    seen.append(env.step(1)[1])
    assert seen == rewards
    assert env.steps_beyond_terminated == 2
    env.reset()
    assert env.steps_beyond_terminated is None


@pytest.mark.parametrize("action", [0, np.int64(1), np.int8(0), np.array(1), True])
def test_integer_types_are_valid_actions(action: Any) -> None:
    assert ready().step(action)[1] == 1.0


@pytest.mark.parametrize("action", [2, -1, 1.0, None, "1", np.array([1]), np.float32(0), np.array([0, 1])])
def test_invalid_actions_are_rejected(action: Any) -> None:
    env = ready()
    before = env.state
    with pytest.raises(InvalidAction, match="Expected the action 0 or 1"):
        env.step(action)
    assert env.state is before


def test_step_before_reset_is_rejected() -> None:
    with pytest.raises(ResetNeeded, match="reset"):
        CartPoleEnv().step(0)
    with pytest.raises(ResetNeeded, match="reset"):
        CartPoleEnv(render_mode="rgb_array").render()


@pytest.mark.parametrize(
    "options", [{"low": 0.2}, {"high": "far"}, {"low": math.nan}, {"high": math.inf}, {"low": None}]
)
def test_invalid_reset_bounds_are_rejected(options: dict[str, Any]) -> None:
    env = ready()
    before = env.state
    with pytest.raises(ValueError, match=r"Expected options"):
        env.reset(seed=9, options=options)
    assert env.state is before
    assert env.np_random_seed == 0


def test_returned_arrays_belong_to_the_caller() -> None:
    env, twin = ready(), ready()
    for _ in range(5):
        env.step(1)[0][:] = 9
        twin.step(1)
    env.reset(seed=1)[0][:] = 9
    twin.reset(seed=1)
    assert (env.step(0)[0] == twin.step(0)[0]).all()


def test_assigned_state_is_used_by_the_next_step() -> None:
    env = ready()
    assert env.state is not None
    env.state[2] = 0.5
    assert env.step(0)[2] is True
    given = np.array([0.0, 0.0, 0.1, 0.0])
    env.state = given
    env.step(0)
    assert given.tolist() == [0.0, 0.0, 0.1, 0.0]


@pytest.mark.parametrize("state", [[0.0, 0.0, 0.0], [0.0, 0.0, math.nan, 0.0], [1e300, 0.0, 0.0, 0.0]])
def test_invalid_state_is_rejected(state: list[float]) -> None:
    env = ready()
    with pytest.raises(ValueError, match="finite float32 numbers"):
        env.state = state


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_continues_identically(copied: Any) -> None:
    env = ready(sutton_barto_reward=True)
    env.step(1)
    twin = copied(env)
    assert (env.step(0)[0] == twin.step(0)[0]).all()
    assert (env.reset()[0] == twin.reset()[0]).all()


def test_unsupported_render_modes_are_rejected() -> None:
    with pytest.raises(UnsupportedMode, match="rgb_array"):
        CartPoleEnv(render_mode="ansi")
    with pytest.warns(UserWarning, match="render_mode"):
        assert ready().render() is None
