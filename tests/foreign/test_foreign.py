"""Tests that third-party environments work unchanged and give the same results as in Gymnasium's vector environment."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from tests.foreign.families import FAMILIES

if TYPE_CHECKING:
    from tests.foreign.families import Family

import gymkernel as gym
from gymkernel.utils.gymnasium import GymnasiumVectorEnv, from_gymnasium
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv
from gymkernel.vector.utils.arguments import OnePerProcessError

STEPS = 16
each = pytest.mark.parametrize("family", FAMILIES, ids=str)
pytestmark = pytest.mark.filterwarnings("ignore")  # third-party code emits warnings


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) and a.dtype != object:
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return bool(np.all(a == b))


def kept(observation: Any) -> Any:
    """Copy an observation, because the environment may reuse its arrays."""
    if isinstance(observation, dict):
        return {key: kept(value) for key, value in observation.items()}
    if isinstance(observation, list | tuple):
        return tuple(map(kept, observation))
    return observation.copy() if isinstance(observation, np.ndarray) else observation


def run(envs: Any, actions: list[Any]) -> list[Any]:
    """Return the results of a vector environment, and close it."""
    try:
        seen = [kept(envs.reset(seed=3)[0])]
        for action in actions:
            observations, rewards, terminations, truncations, _ = envs.step(action)
            seen.append((kept(observations), rewards.copy(), terminations.copy(), truncations.copy()))
    finally:
        envs.close()
    return seen


def drawn(space: Any) -> list[Any]:
    space.seed(5)
    return [space.sample() for _ in range(STEPS)]


@each
def test_environment_is_created(family: Family) -> None:
    """Create the environment by its id, without importing its package first."""
    env: Any
    if family.distribution == "stable-retro":
        env = from_gymnasium(family.make())
    else:
        env = gym.make(f"gymnasium/{family.env_id}", **family.options)
    observation, _ = env.reset(seed=1)
    result = env.step(env.action_space.sample())
    env.close()

    assert len(result) == 5
    assert isinstance(env.observation_space, gymnasium.Space)
    assert type(observation) is type(result[0])


@each
def test_environment_works_in_wrappers(family: Family) -> None:
    """Check that a gymkernel wrapper around the environment changes only what it should change."""
    bare = family.make()
    actions = drawn(bare.action_space)
    bare.reset(seed=3)
    wanted = [tuple(map(kept, bare.step(action)[:2])) for action in actions[:8]]
    bare.close()
    env = gym.wrappers.TimeLimit(family.make(), 8)
    env.reset(seed=3)
    results = []
    for action in actions[:8]:
        observation, reward, *_ = result = env.step(action)
        results.append((kept(observation), reward))
    env.close()

    assert same(results, wanted)
    assert result[3] or result[2]


@each
def test_environment_works_in_sync_backend(family: Family) -> None:
    """Step the unconverted environment in `SyncVectorEnv`, and compare each step with Gymnasium's `SyncVectorEnv`."""
    makers = [family.make] * (1 if family.single else 2)
    theirs = gymnasium.vector.SyncVectorEnv(makers)
    actions = drawn(theirs.action_space)
    wanted = run(theirs, actions)

    ours = SyncVectorEnv(makers)

    assert isinstance(ours.single_observation_space, gymnasium.Space)
    assert same(run(ours, actions), wanted)


@each
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_environment_works_in_async_backend(family: Family, mode: str) -> None:
    """Step the environment in worker processes, in several autoreset modes."""
    makers = [family.make] * (1 if family.single else 2)
    theirs = gymnasium.vector.SyncVectorEnv(makers, autoreset_mode=gymnasium.vector.AutoresetMode(mode))
    actions = drawn(theirs.action_space)
    wanted = run(theirs, actions)

    ours = AsyncVectorEnv(makers, autoreset_mode=mode)

    assert isinstance(ours.single_observation_space, gymnasium.Space)
    assert same(run(ours, actions), wanted)


@pytest.mark.slow
@each
def test_environment_passes_check(family: Family) -> None:
    """Check that `gymkernel check` finishes without an error, whatever it finds."""
    target = [f"gymnasium/{family.env_id}", "--make-kwargs", json.dumps(family.options)]
    if family.single:
        target = [f"{Path(__file__).with_name('subjects.py')}:{family.name}", "--single-instance"]
    options = ["--fast", "--steps", "20", "--format", "json"]

    done = subprocess.run(
        [sys.executable, "-m", "gymkernel", "check", *target, *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode in {0, 1}, done.stderr
    assert [item["failure"] for item in json.loads(done.stdout)["targets"]] == [None]


@pytest.mark.parametrize("family", [item for item in FAMILIES if item.vector_rewards], ids=str)
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vector_reward_error_says_what_is_needed(family: Family, mode: str) -> None:
    envs = gym.make_vec(family.env_id, 2, mode)
    envs.reset(seed=1)

    with pytest.raises(TypeError, match=r"reward of environment 0 to be a number, got .*LinearReward.*MOSyncVectorEnv"):
        envs.step(envs.action_space.sample())
    envs.close()


@pytest.mark.parametrize("family", [item for item in FAMILIES if item.vector_rewards], ids=str)
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_library_wrapper_scalarizes_vector_rewards(family: Family, mode: str) -> None:
    import mo_gymnasium

    envs = gym.make_vec(family.env_id, 2, mode, wrappers=[mo_gymnasium.wrappers.LinearReward])
    envs.reset(seed=1)

    assert envs.step(envs.action_space.sample())[1].shape == (2,)
    envs.close()


@pytest.mark.parametrize("family", [item for item in FAMILIES if item.vector_rewards], ids=str)
def test_library_vector_env_keeps_vector_rewards(family: Family) -> None:
    """Compare the steps of `make_vec`'s result, without a mode argument, with the library's own vector environment."""
    import mo_gymnasium

    wanted = mo_gymnasium.wrappers.vector.MOSyncVectorEnv([partial(mo_gymnasium.make, family.env_id)] * 3)
    ours = gym.make_vec(family.env_id, 3)
    objectives = wanted.reward_space.shape[0]

    assert isinstance(ours, GymnasiumVectorEnv)
    assert ours.get_attr("reward_space") == wanted.get_attr("reward_space")
    actions = drawn(wanted.action_space)
    seen = run(gym.make_vec(ours.spec), actions)
    assert same(run(ours, actions), seen)
    assert same(run(wanted, actions), seen)
    assert seen[1][1].shape == (3, objectives)


def test_library_statistics_wrapper_works() -> None:
    import mo_gymnasium

    envs = mo_gymnasium.wrappers.vector.MORecordEpisodeStatistics(gym.make_vec("deep-sea-treasure-v0", 2))
    envs.reset(seed=1)

    assert envs.step(envs.action_space.sample())[1].shape == (2, 2)
    envs.close()


RETRO = next(family for family in FAMILIES if family.single)


@pytest.mark.parametrize(
    "options", [{}, {"context": "spawn"}, {"parent_steps": True}], ids=["default", "spawn", "parent"]
)
def test_each_emulator_has_its_own_process(options: Any) -> None:
    one = gymnasium.vector.SyncVectorEnv([RETRO.make])
    action = drawn(one.single_action_space)
    wanted = run(one, [row[None] for row in action])

    envs = AsyncVectorEnv([RETRO.make] * 3, **options)
    assert envs.num_workers == 3 - ("parent_steps" in options)
    seen = run(envs, [np.stack([row] * 3) for row in action])

    assert all(
        same(observations[i], first[0])
        for (observations, *_), (first, *_) in zip(seen[1:], wanted[1:], strict=True)
        for i in range(3)
    )


def test_emulators_in_one_process_raise() -> None:
    with pytest.raises(OnePerProcessError, match="RetroEnv allows only one environment per process"):
        SyncVectorEnv([RETRO.make] * 2)
    with pytest.raises(OnePerProcessError, match="num_workers"):
        AsyncVectorEnv([RETRO.make] * 3, num_workers=2)


def test_meta_world_observations_are_outside_their_space() -> None:
    family = next(item for item in FAMILIES if item.name == "meta-world")
    env = family.make()

    assert not env.observation_space.contains(env.reset(seed=1)[0])
