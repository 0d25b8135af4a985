from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.vector import AutoresetMode
from gymkernel_env_toy_text import BlackjackVectorEnv, CliffWalkingVectorEnv, FrozenLakeVectorEnv, TaxiVectorEnv

N = 5
CLASSES = (BlackjackVectorEnv, FrozenLakeVectorEnv, CliffWalkingVectorEnv, TaxiVectorEnv)


def same(mine: Any, theirs: Any) -> bool:
    """Return whether two values are equal and have the same types and dtypes."""
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, dict):
        return mine.keys() == theirs.keys() and all(same(mine[key], theirs[key]) for key in mine)
    if isinstance(mine, tuple | list):
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    if isinstance(mine, np.ndarray):
        return mine.dtype == theirs.dtype and mine.shape == theirs.shape and bool((mine == theirs).all())
    return bool(mine == theirs)


def actions(envs: Any, steps: int, seed: int = 7) -> Any:
    return np.random.default_rng(seed).integers(0, envs.single_action_space.n, (steps, envs.num_envs))


def test_make_vec_passes_limit_and_options() -> None:
    made: Any = gym.make_vec("FrozenLake8x8-v1", num_envs=2)
    assert type(made) is FrozenLakeVectorEnv
    envs: Any = made
    assert envs.max_episode_steps == 200
    assert envs.s.shape == (2,)
    assert len(envs.P) == 64
    assert repr(gym.make_vec(envs.spec)) == repr(envs)
    endless: Any = gym.make_vec("CliffWalking-v1", num_envs=2)
    assert endless.max_episode_steps > 10**9


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    "given", [[0] * (N - 1), [0, 1, 9, 0, 0], [0, -1, 0, 0, 0], [0.5] * N, 1, None, [[0]] * N, ["0"] * N]
)
def test_invalid_action_arrays_are_rejected(cls: Any, given: Any) -> None:
    envs, twin = cls(N), cls(N)
    for item in (envs, twin):
        item.reset(seed=3)
    with pytest.raises(InvalidAction, match=f"Expected {N} actions that are integers from 0"):
        envs.step(given)
    assert same(envs.step([1] * N), twin.step([1] * N))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("dtype", ["i1", "i8", "u1", "u8", "?"])
def test_integer_types_are_valid_actions(cls: Any, dtype: str) -> None:
    envs, twin = cls(N), cls(N)
    given = np.array([0, 1, 1, 0, 1])
    for item in (envs, twin):
        item.reset(seed=3)
    assert same(envs.step(given.astype(dtype)), twin.step(given))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    "arguments",
    [{"num_envs": 0}, {"num_envs": 2.0}, {"num_envs": True}, {"max_episode_steps": 0}, {"autoreset_mode": "Never"}],
)
def test_invalid_arguments_are_rejected(cls: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Expected|AutoresetMode"):
        cls(**arguments)


@pytest.mark.parametrize("cls", CLASSES)
def test_human_mode_is_rejected_for_vectorised_forms(cls: Any) -> None:
    with pytest.raises(UnsupportedMode, match="rgb_array"):
        cls(render_mode="human")


def test_unknown_options_raise_like_in_single_environments() -> None:
    with pytest.raises(TypeError, match="slipery"):
        FrozenLakeVectorEnv(2, slipery=True)


@pytest.mark.parametrize("cls", CLASSES)
def test_rendering_without_a_mode_raises(cls: Any) -> None:
    envs = cls(2)
    envs.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert envs.render() is None


@pytest.mark.parametrize("cls", CLASSES[1:])
def test_ansi_output_equals_single_environments(cls: Any) -> None:
    envs = cls(3, render_mode="ansi")
    single = cls.single(render_mode="ansi")
    with pytest.raises(ResetNeeded, match="have no state"):
        envs.render()
    envs.reset(seed=1)
    single.reset(seed=2)
    assert envs.render()[1] == single.render()
    envs.step([1, 1, 1])
    single.step(1)
    assert envs.render()[1] == single.render()


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_returned_arrays_belong_to_the_caller(cls: Any, mode: AutoresetMode) -> None:
    envs, twin = (cls(N, max_episode_steps=4, autoreset_mode=mode) for _ in range(2))
    for item in (envs, twin):
        item.reset(seed=2)
    for row in actions(envs, 3):
        observations, *rest, _ = envs.step(row)
        for array in (*(observations if isinstance(observations, tuple) else (observations,)), *rest):
            array[:] = array.dtype.type(1)
        done = np.logical_or(*twin.step(row)[2:4])
        if mode is AutoresetMode.DISABLED and done.any():
            for item in (envs, twin):
                item.reset(options={"reset_mask": done})
    assert same(envs.reset(), twin.reset())
    assert (envs.steps == twin.steps).all()


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copy_continues_identically(cls: Any, copied: Any) -> None:
    envs = cls(N, max_episode_steps=6)
    envs.reset(seed=1)
    envs.step([1] * N)
    twin = copied(envs)
    for row in actions(envs, 30):
        assert same(envs.step(row), twin.step(row))


@pytest.mark.parametrize("cls", CLASSES)
def test_generators_can_be_assigned(cls: Any) -> None:
    envs, twin = cls(2), cls(2)
    envs.reset(seed=[5, 6])
    twin.np_random = envs.np_random
    assert same(envs.reset(), twin.reset())
    assert twin.np_random_seed == (-1, -1)


def test_hand_of_aces_is_possible() -> None:
    envs = BlackjackVectorEnv(1)
    envs.reset(seed=0)
    envs._player.begin(np.array([0]), np.array([[1, 1]], np.int8))
    for points in range(3, 22):
        envs._player.take(np.array([0]), np.array([1], np.int8))
        assert envs._observation(0)[0] == (points + 10 if points <= 11 else points)
    assert envs.step([1])[2].all()


def test_close_can_be_repeated() -> None:
    envs = TaxiVectorEnv(2)
    envs.close()
    envs.close()
    assert envs.closed
