"""Tests of all single environments."""

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

FAMILIES = ("CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1", "Acrobot-v1")
FORCED = ("MountainCarContinuous-v0", "Pendulum-v1")
CHOSEN = ("MountainCar-v0", "Acrobot-v1")


def bare(env_id: str, **options: Any) -> Any:
    return gym.make(env_id, **options).unwrapped


def ready(env_id: str, **options: Any) -> Any:
    env = bare(env_id, **options)
    env.reset(seed=0)
    return env


def some_actions(env: Any, n: int) -> list[Any]:
    env.action_space.seed(5)
    return [env.action_space.sample() for _ in range(n)]


@pytest.mark.parametrize(
    "env_id, steps, threshold",
    [
        ("MountainCar-v0", 200, -110.0),
        ("MountainCarContinuous-v0", 999, 90.0),
        ("Pendulum-v1", 200, None),
        ("Acrobot-v1", 500, -100.0),
    ],
)
def test_registered_specs(env_id: str, steps: int, threshold: float | None) -> None:
    spec = gym.spec(env_id)
    assert (spec.max_episode_steps, spec.reward_threshold) == (steps, threshold)
    assert type(spec).from_json(spec.to_json()) == spec


@pytest.mark.parametrize("env_id", FAMILIES)
def test_make_truncates_at_the_time_limit(env_id: str) -> None:
    env: Any = gym.make(env_id, max_episode_steps=3)
    env.reset(seed=1)
    assert [env.step(action)[3] for action in some_actions(env, 3)] == [False, False, True]


@pytest.mark.parametrize("env_id", FAMILIES)
def test_observations_are_in_the_observation_space(env_id: str) -> None:
    env = ready(env_id)
    for action in some_actions(env, 300):
        observation, _, terminated, *_ = env.step(action)
        assert env.observation_space.contains(observation)
        if terminated:
            env.reset()


@pytest.mark.parametrize("env_id", FAMILIES)
@given(seed=st.integers(0, 2**40))
def test_equal_seeds_give_equal_trajectories(env_id: str, seed: int) -> None:
    one, other = bare(env_id), bare(env_id)
    assert (one.reset(seed=seed)[0] == other.reset(seed=seed)[0]).all()
    for action in some_actions(one, 10):
        mine, theirs = one.step(action), other.step(action)
        assert mine[0].tobytes() == theirs[0].tobytes()
        assert mine[1:] == theirs[1:]


@pytest.mark.parametrize("env_id, index", [("MountainCar-v0", 0), ("MountainCarContinuous-v0", 0), ("Acrobot-v1", ...)])
@given(a=st.floats(-1, 1), b=st.floats(-1, 1))
def test_reset_bounds_can_be_passed_in_options(env_id: str, index: Any, a: float, b: float) -> None:
    env, low, high = bare(env_id), min(a, b), max(a, b)
    env.reset(seed=3, options={"low": low, "high": high})
    drawn = env.state[index].astype(np.float32)
    assert (drawn >= np.float32(low)).all()
    assert (drawn <= np.float32(high)).all()


@pytest.mark.parametrize("env_id", ["MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1"])
@pytest.mark.parametrize(
    "options", [{"low": 2.0}, {"high": "far"}, {"low": math.nan}, {"high": math.inf}, {"low": None}]
)
def test_invalid_reset_bounds_are_rejected(env_id: str, options: dict[str, Any]) -> None:
    env = ready(env_id)
    before = env.state
    with pytest.raises(ValueError, match=r"Expected options"):
        env.reset(seed=9, options=options)
    assert env.state is before
    assert env.np_random_seed == 0


@pytest.mark.parametrize("env_id", CHOSEN)
@pytest.mark.parametrize("action", [0, np.int64(1), np.uint8(2), np.array(1), True])
def test_integer_types_are_valid_actions(env_id: str, action: Any) -> None:
    assert (ready(env_id).step(action)[0] == ready(env_id).step(int(action))[0]).all()


@pytest.mark.parametrize("env_id", CHOSEN)
@pytest.mark.parametrize("action", [3, -1, 1.0, None, "1", np.array([1]), np.array([0, 1])])
def test_invalid_discrete_actions_are_rejected(env_id: str, action: Any) -> None:
    env = ready(env_id)
    before = env.state
    with pytest.raises(InvalidAction, match="Expected the action 0, 1 or 2, got"):
        env.step(action)
    assert env.state is before


@pytest.mark.parametrize("env_id", FORCED)
@pytest.mark.parametrize("action", [[0.5, 0.1], (0.5,), np.array([0.5], object), np.array([0.5, 9.0])], ids=str)
def test_first_number_of_an_action_is_the_force(env_id: str, action: Any) -> None:
    assert np.array_equal(ready(env_id).step(action)[0], ready(env_id).step([0.5])[0])


def test_pendulum_keeps_extra_action_axes_until_reset() -> None:
    env = ready("Pendulum-v1")
    seen, reward, *_ = env.step(np.array([[0.5, 3.0]]))
    following, _, *_ = env.step(np.array([0.5]))

    assert (seen.shape, np.shape(reward), following.shape) == ((3, 2), (2,), (3, 2))
    for i, torque in enumerate([0.5, 3.0]):
        one = ready("Pendulum-v1")
        assert np.allclose(one.step(np.array([torque]))[0], seen[:, i])
        assert np.allclose(one.step(np.array([0.5]))[0], following[:, i])
    assert env.reset()[0].shape == (3,)


@pytest.mark.parametrize("env_id", FORCED)
@pytest.mark.parametrize(
    "action",
    [0.5, np.float32(0.5), [], [[]], ["a"], None, [math.nan], np.array([math.nan], "f4"), [[1], []], [None], [[["a"]]]],
)
def test_invalid_forces_are_rejected(env_id: str, action: Any) -> None:
    env = ready(env_id)
    before = env.state
    with pytest.raises(InvalidAction, match=r"Expected a (force|torque in N m) in an array of shape \(1,\), got"):
        env.step(action)
    assert env.state is before


@pytest.mark.parametrize("env_id", FORCED)
@pytest.mark.parametrize("beyond", [5.0, -5.0, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_forces_are_clipped(env_id: str, beyond: float, dtype: str) -> None:
    env, twin = ready(env_id), ready(env_id)
    bound = env.action_space.high[0] * math.copysign(1.0, beyond)
    assert env.step(np.array([beyond], dtype))[0] == pytest.approx(twin.step(np.array([bound], dtype))[0], rel=1e-6)


@pytest.mark.parametrize("env_id", FAMILIES)
def test_step_before_reset_is_rejected(env_id: str) -> None:
    env = bare(env_id, render_mode="rgb_array")
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(some_actions(env, 1)[0])
    with pytest.raises(ResetNeeded, match="reset"):
        env.render()


@pytest.mark.parametrize("env_id", FAMILIES)
def test_returned_arrays_belong_to_the_caller(env_id: str) -> None:
    env, twin = ready(env_id), ready(env_id)
    actions = some_actions(env, 5)
    for action in actions:
        env.step(action)[0][:] = 0.5
        twin.step(action)
    env.reset(seed=1)[0][:] = 0.5
    twin.reset(seed=1)
    assert (env.step(actions[0])[0] == twin.step(actions[0])[0]).all()


@pytest.mark.parametrize("env_id", FAMILIES)
def test_assigned_state_is_used_by_the_next_step(env_id: str) -> None:
    env, twin = ready(env_id), ready(env_id)
    action = some_actions(env, 1)[0]
    for item in (env, twin):
        item.step(action)
    env.state[0] += 0.25
    twin.state = env.state.copy()
    moved, expected = env.step(action)[0], twin.step(action)[0]
    assert (moved == expected).all()
    assert not (ready(env_id).step(action)[0] == moved).all()


def test_float32_car_state_stays_float32() -> None:
    """Check this for a subclass whose `step` sets the state and returns it as the observation."""
    env: Any = gym.make("MountainCarContinuous-v0").unwrapped
    env.reset(seed=1)
    for dtype in (np.float32, np.float64):
        env.state = np.array([-0.5, 0.01], dtype)
        assert env.state.dtype == dtype
        assert env.state in env.observation_space or dtype == np.float64


@pytest.mark.parametrize("env_id", FAMILIES)
@pytest.mark.parametrize("state", [[0.0], [math.nan] * 4, [1e300] * 2])
def test_invalid_state_is_rejected(env_id: str, state: list[float]) -> None:
    with pytest.raises(ValueError, match="finite float32 numbers of shape"):
        ready(env_id).state = state


@pytest.mark.parametrize("env_id", FAMILIES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_continues_identically(env_id: str, copied: Any) -> None:
    env = ready(env_id)
    actions = some_actions(env, 3)
    env.step(actions[0])
    twin = copied(env)
    assert (env.step(actions[1])[0] == twin.step(actions[1])[0]).all()
    assert (env.reset()[0] == twin.reset()[0]).all()


@pytest.mark.parametrize("env_id", FAMILIES)
def test_unsupported_render_modes_are_rejected(env_id: str) -> None:
    cls = type(bare(env_id))
    with pytest.raises(UnsupportedMode, match="rgb_array"):
        cls(render_mode="ansi")
    with pytest.warns(UserWarning, match="render_mode"):
        assert ready(env_id).render() is None


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Acrobot-v1", "MountainCar-v0"])
def test_every_action_has_a_key_and_a_meaning(env_id: str) -> None:
    env = bare(env_id)
    keys = env.get_keys_to_action()
    assert set(keys.values()) == set(range(env.action_space.n))
    assert {key for pressed in keys for key in pressed} == {1073741904, 1073741903}
    assert len(set(env.get_action_meanings())) == env.action_space.n
