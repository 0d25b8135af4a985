from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.spaces import MultiDiscrete, Tuple
from gymkernel.vector import AutoresetMode
from gymkernel_env_toy_text import BlackjackVectorEnv, CliffWalkingVectorEnv, FrozenLakeVectorEnv, TaxiVectorEnv

SEEDS = [3, 1, 4, 1, 5]
N = len(SEEDS)
CASES: list[tuple[str, dict[str, Any]]] = [
    ("Blackjack-v1", {}),
    ("Blackjack-v1", {"sab": False, "natural": True}),
    ("FrozenLake-v1", {}),
    ("FrozenLake-v1", {"is_slippery": False}),
    ("FrozenLake8x8-v1", {"success_rate": 0.7, "reward_schedule": (1, -0.5, -0.01)}),
    ("CliffWalking-v1", {}),
    ("CliffWalkingSlippery-v1", {}),
    ("Taxi-v4", {}),
    ("Taxi-v4", {"is_rainy": True, "fickle_passenger": True, "fickle_probability": 0.9}),
]
IDS = ("Blackjack-v1", "FrozenLake-v1", "CliffWalking-v1", "Taxi-v4")
CLASSES = (BlackjackVectorEnv, FrozenLakeVectorEnv, CliffWalkingVectorEnv, TaxiVectorEnv)


def same(mine: Any, theirs: Any) -> bool:
    """Equal, of the same types and dtypes."""
    if type(mine) is not type(theirs):
        return False
    if isinstance(mine, dict):
        return mine.keys() == theirs.keys() and all(same(mine[key], theirs[key]) for key in mine)
    if isinstance(mine, tuple | list):
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    if isinstance(mine, np.ndarray):
        return mine.dtype == theirs.dtype and mine.shape == theirs.shape and bool((mine == theirs).all())
    return bool(mine == theirs)


def both(env_id: str, mode: Any, limit: int | None = None, n: int = N, **options: Any) -> tuple[Any, Any]:
    """The vectorised form and as many single environments."""
    limits: dict[str, Any] = {} if limit is None else {"max_episode_steps": limit}
    own = gym.make_vec(env_id, num_envs=n, autoreset_mode=mode, **limits, **options)
    singles = gym.vector.SyncVectorEnv(
        [lambda: gym.make(env_id, **limits, **options)] * n,
        autoreset_mode=mode,
    )
    return own, singles


def actions(envs: Any, steps: int, seed: int = 7) -> Any:
    return np.random.default_rng(seed).integers(0, envs.single_action_space.n, (steps, envs.num_envs))


@pytest.mark.parametrize("env_id, options", CASES)
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("n", [1, N])
def test_it_is_as_many_single_environments(env_id: str, options: dict[str, Any], mode: AutoresetMode, n: int) -> None:
    own, singles = both(env_id, mode, 17, n, **options)
    assert same(own.reset(seed=SEEDS[:n]), singles.reset(seed=SEEDS[:n]))
    for row in actions(own, 250):
        step = own.step(row)
        assert same(step, singles.step(row))
        done = step[2] | step[3]
        if mode is AutoresetMode.DISABLED and done.any():
            options = {"reset_mask": done}
            assert same(own.reset(options=options), singles.reset(options=options))
    for mine, their in zip(own.np_random, singles.np_random, strict=True):
        assert mine.bit_generator.state == their.bit_generator.state


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("seed", [8, np.int64(8), SEEDS, [None, 1, None, 2, 3]])
def test_seeds(env_id: str, seed: Any) -> None:
    own, singles = both(env_id, "NextStep")
    for envs in (own, singles):
        envs.reset(seed=SEEDS)
    assert same(own.reset(seed=seed), singles.reset(seed=seed))
    assert own.np_random_seed == singles.np_random_seed
    assert same(own.reset(), singles.reset())


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_partial_resets(env_id: str, mode: AutoresetMode) -> None:
    own, singles = both(env_id, mode, 9)
    for k, row in enumerate(actions(own, 60)):
        if k % 6 == 0:
            mask = np.ones(N, np.bool_) if k == 0 else np.arange(N) % 3 == k // 6 % 3
            seed = None if k % 12 else k
            options = {"reset_mask": mask, "other": 1}
            assert same(own.reset(seed=seed, options=options), singles.reset(seed=seed, options=options))
            assert options.keys() == {"reset_mask", "other"}
        if mode is AutoresetMode.DISABLED:
            for envs in (own, singles):
                envs.reset()
        assert same(own.step(row), singles.step(row))


@pytest.mark.parametrize("env_id", IDS)
def test_before_all_were_reset(env_id: str) -> None:
    own, singles = both(env_id, "NextStep")
    with pytest.raises(ResetNeeded, match=r"\[0, 1, 2, 3, 4\] were never reset"):
        own.step([0] * N)
    options = {"reset_mask": np.arange(N) < 2}
    assert same(own.reset(seed=1, options=options), singles.reset(seed=1, options=options))
    with pytest.raises(ResetNeeded, match=r"\[2, 3, 4\] were never reset"):
        own.step([0] * N)


@pytest.mark.parametrize("env_id", IDS)
def test_disabled_wants_resets(env_id: str) -> None:
    own, _ = both(env_id, "Disabled", 1)
    own.reset(seed=1)
    own.step([0] * N)
    with pytest.raises(ResetNeeded, match="autoreset_mode is DISABLED"):
        own.step([0] * N)


@pytest.mark.parametrize("env_id", IDS)
def test_spaces_and_metadata(env_id: str) -> None:
    own, singles = both(env_id, "SameStep")
    for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
        assert getattr(own, name) == getattr(singles, name)
    assert own.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert repr(own) == f"{type(own).__name__}({env_id}, num_envs={N})"
    assert isinstance(own.observation_space, Tuple if env_id.startswith("Black") else MultiDiscrete)
    observations, _ = own.reset(seed=1)
    assert observations in own.observation_space


def test_make_vec_hands_on_the_limit_and_the_options() -> None:
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
    "given", [[0] * (N - 1), [0, 1, 9, 0, 0], [0, -1, 0, 0, 0], [0.0] * N, 1, None, [[0]] * N, ["0"] * N]
)
def test_no_actions(cls: Any, given: Any) -> None:
    envs, twin = cls(N), cls(N)
    for one in (envs, twin):
        one.reset(seed=3)
    with pytest.raises(InvalidAction, match=f"Expected {N} actions, integers from 0"):
        envs.step(given)
    assert same(envs.step([1] * N), twin.step([1] * N))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("dtype", ["i1", "i8", "u1", "u8", "?"])
def test_integers_are_actions(cls: Any, dtype: str) -> None:
    envs, twin = cls(N), cls(N)
    given = np.array([0, 1, 1, 0, 1])
    for one in (envs, twin):
        one.reset(seed=3)
    assert same(envs.step(given.astype(dtype)), twin.step(given))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    "arguments",
    [{"num_envs": 0}, {"num_envs": 2.0}, {"num_envs": True}, {"max_episode_steps": 0}, {"autoreset_mode": "Never"}],
)
def test_no_arguments(cls: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Expected|AutoresetMode"):
        cls(**arguments)


@pytest.mark.parametrize("cls", CLASSES)
def test_there_is_no_window_for_many(cls: Any) -> None:
    with pytest.raises(UnsupportedMode, match="rgb_array"):
        cls(render_mode="human")


def test_unknown_options_are_the_single_environments_errors() -> None:
    with pytest.raises(TypeError, match="slipery"):
        FrozenLakeVectorEnv(2, slipery=True)


@pytest.mark.parametrize("cls", CLASSES)
def test_rendering_without_a_mode(cls: Any) -> None:
    envs = cls(2)
    envs.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert envs.render() is None


@pytest.mark.parametrize("cls", CLASSES[1:])
def test_texts_are_those_of_single_environments(cls: Any) -> None:
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
def test_returned_arrays_are_the_callers_own(cls: Any, mode: AutoresetMode) -> None:
    envs, twin = (cls(N, max_episode_steps=4, autoreset_mode=mode) for _ in range(2))
    for one in (envs, twin):
        one.reset(seed=2)
    for row in actions(envs, 3):
        observations, *rest, _ = envs.step(row)
        for array in (*(observations if isinstance(observations, tuple) else (observations,)), *rest):
            array[:] = array.dtype.type(1)
        done = np.logical_or(*twin.step(row)[2:4])
        if mode is AutoresetMode.DISABLED and done.any():
            for one in (envs, twin):
                one.reset(options={"reset_mask": done})
    assert same(envs.reset(), twin.reset())
    assert (envs.steps == twin.steps).all()


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_a_copy_goes_on_alike(cls: Any, copied: Any) -> None:
    envs = cls(N, max_episode_steps=6)
    envs.reset(seed=1)
    envs.step([1] * N)
    twin = copied(envs)
    for row in actions(envs, 30):
        assert same(envs.step(row), twin.step(row))


@pytest.mark.parametrize("cls", CLASSES)
def test_generators_may_be_put_in(cls: Any) -> None:
    envs, twin = cls(2), cls(2)
    envs.reset(seed=[5, 6])
    twin.np_random = envs.np_random
    assert same(envs.reset(), twin.reset())
    assert twin.np_random_seed == (-1, -1)


def test_a_hand_may_be_all_aces() -> None:
    envs = BlackjackVectorEnv(1)
    envs.reset(seed=0)
    envs._player.begin(np.array([0]), np.array([[1, 1]], np.int8))
    for points in range(3, 22):
        envs._player.take(np.array([0]), np.array([1], np.int8))
        assert envs._observation(0)[0] == (points + 10 if points <= 11 else points)
    assert envs.step([1])[2].all()


def test_close_any_number_of_times() -> None:
    envs = TaxiVectorEnv(2)
    envs.close()
    envs.close()
    assert envs.closed
