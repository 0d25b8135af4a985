"""Tests that the vectorised toy text environments are bit-identical to `SyncVectorEnv` with single environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.vector.alike import assert_alike, same

import gymkernel as gym
from gymkernel.error import ResetNeeded
from gymkernel.spaces import MultiDiscrete, Tuple
from gymkernel.vector import AutoresetMode

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


def both(env_id: str, mode: Any, limit: int | None = None, n: int = N, **options: Any) -> tuple[Any, Any]:
    """Return a vectorised environment and a vector environment that contains the same number of single environments."""
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
@pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.slow), N])
def test_vector_form_equals_single_environments(
    env_id: str, options: dict[str, Any], mode: AutoresetMode, n: int
) -> None:
    own, singles = both(env_id, mode, 17, n, **options)
    assert assert_alike(own, singles, SEEDS[:n], actions(own, 100))


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("seed", [8, np.int64(8), SEEDS, [None, 1, None, 2, 3]])
def test_seeds_of_vector_forms(env_id: str, seed: Any) -> None:
    own, singles = both(env_id, "NextStep")
    for envs in (own, singles):
        envs.reset(seed=SEEDS)
    assert same(own.reset(seed=seed), singles.reset(seed=seed))
    assert own.np_random_seed == singles.np_random_seed
    assert same(own.reset(), singles.reset())


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_partial_resets_of_vector_forms(env_id: str, mode: AutoresetMode) -> None:
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


@pytest.mark.parametrize("env_id, options", CASES)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_masked_step_does_not_change_other_rows(env_id: str, options: dict[str, Any], mode: AutoresetMode) -> None:
    own, singles = both(env_id, mode, 17, **options)
    assert assert_alike(own, singles, SEEDS, actions(own, 100), some=True)


@pytest.mark.parametrize("env_id", IDS)
def test_empty_mask_steps_nothing(env_id: str) -> None:
    own, singles = both(env_id, "NextStep")
    for envs in (own, singles):
        envs.reset(seed=SEEDS)
    mask = np.zeros(N, np.bool_)
    step = own.step_masked([0] * N, mask)
    assert same(step, singles.step_masked(np.zeros(N, np.int64), mask))
    assert step[4] == {}


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mask", [np.ones(4, np.bool_), np.ones(N, np.int64), [True] * N], ids=["short", "int", "list"])
def test_invalid_mask_steps_nothing(env_id: str, mask: Any) -> None:
    own, twin = both(env_id, "NextStep")[0], both(env_id, "NextStep")[0]
    for envs in (own, twin):
        envs.reset(seed=1)
    with pytest.raises(ValueError, match=rf"^Expected the mask to be a NumPy array of dtype bool and shape \({N},\)"):
        own.step_masked([0] * N, mask)
    assert not own.steps.any()
    assert same(own.step([0] * N), twin.step([0] * N))


@pytest.mark.parametrize("env_id", IDS)
def test_masked_steps_have_the_requirements_of_steps(env_id: str) -> None:
    own, _ = both(env_id, "Disabled", 1)
    mask = np.arange(N) < 2
    with pytest.raises(ResetNeeded, match="were never reset"):
        own.step_masked([0] * N, mask)
    own.reset(seed=1)
    own.step_masked([0] * N, mask)
    with pytest.raises(ResetNeeded, match=r"Environments \[0, 1\] are done"):
        own.step_masked([0] * N, np.arange(N) < 3)
    assert own.step_masked([0] * N, ~mask)[3].tolist() == [False, False, True, True, True]


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize(
    "call", [("random",), ("integers", 2, 9), ("uniform", 0.5, 2.5), ("normal",)], ids=lambda c: c[0]
)
def test_generators_can_be_used_by_wrappers(env_id: str, call: Any) -> None:
    own, singles = both(env_id, "SameStep", 17)
    for envs in (own, singles):
        envs.reset(seed=SEEDS)
    for row in actions(own, 40):
        mask = row % 2 == 0
        drawn = [envs.call_masked(mask, f"np_random.{call[0]}", *call[1:]) for envs in (own, singles)]
        assert drawn[0] == drawn[1]
        assert same(own.step(row), singles.step(row))
    assert own.np_random_seed == singles.np_random_seed


def test_generators_have_no_other_methods() -> None:
    own, _ = both("Taxi-v4", "NextStep")
    for name in ("np_random.nothing", "render", "np_random"):
        with pytest.raises(AttributeError, match=r"Expected a method of np_random"):
            own.call_masked(np.ones(N, np.bool_), name)


@pytest.mark.parametrize("env_id", IDS)
def test_step_before_all_are_reset_is_rejected(env_id: str) -> None:
    own, singles = both(env_id, "NextStep")
    with pytest.raises(ResetNeeded, match=r"\[0, 1, 2, 3, 4\] were never reset"):
        own.step([0] * N)
    options = {"reset_mask": np.arange(N) < 2}
    assert same(own.reset(seed=1, options=options), singles.reset(seed=1, options=options))
    with pytest.raises(ResetNeeded, match=r"\[2, 3, 4\] were never reset"):
        own.step([0] * N)


@pytest.mark.parametrize("env_id", IDS)
def test_disabled_mode_requires_resets(env_id: str) -> None:
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
