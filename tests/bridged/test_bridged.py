"""Tests of environments that bridges create: the same trajectories as in their own libraries, wrappers and backends.

Each bridge has a tox environment, which installs its packages. The environments of other packages are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from tests.bridged.families import FAMILIES, Bridged

import gymkernel as gym

os.environ.setdefault("MUJOCO_GL", "disabled")
STEPS = 1000
each = pytest.mark.parametrize(
    "family",
    [
        pytest.param(family, marks=pytest.mark.skipif(find_spec(family.module) is None, reason="its tox environment"))
        for family in FAMILIES
    ],
    ids=str,
)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # other libraries emit warnings


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return np.array_equal(ours, theirs, equal_nan=np.asarray(theirs).dtype.kind == "f")


def make(family: Bridged) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gym.make(family.env_id, **family.options)


def draw(space: Any, count: int) -> list[Any]:
    space.seed(5)
    return [space.sample() for _ in range(count)]


@each
def test_trajectory_equals_the_original(family: Bridged) -> None:
    env = make(family)
    actions = draw(env.action_space, STEPS)
    expected = family.replay(3, actions)

    assert same(env.reset(seed=3)[0], next(expected)[0])
    for action in actions:
        result = env.step(action)
        assert same(result[:4], next(expected))
        if result[2] or result[3]:
            env.reset()
    env.close()


@each
def test_environment_works_in_wrappers(family: Bridged) -> None:
    env = gym.wrappers.RecordEpisodeStatistics(gym.wrappers.TimeLimit(make(family), 6))
    observation, _ = env.reset(seed=3)
    assert observation in env.observation_space
    for action in draw(env.action_space, 6):
        *_, terminated, truncated, info = env.step(action)
    env.close()

    assert terminated or truncated
    assert info["episode"]["l"] == 6


@each
def test_environment_works_in_sync_backend(family: Bridged) -> None:
    envs = gym.make_vec(family.env_id, 2, "sync", **family.options)
    single = make(family)
    actions = draw(envs.action_space, 8)

    observations, _ = envs.reset(seed=3)
    assert same(_row(observations, 0), single.reset(seed=3)[0])
    for action in actions:
        observations, rewards, *_ = envs.step(action)
        observation, reward, *_ = single.step(next(iter(gym.vector.utils.iterate(envs.action_space, action))))
        assert same(_row(observations, 0), observation)
        assert rewards[0] == reward
    envs.close()
    single.close()


@each
def test_environment_works_in_async_backend(family: Bridged) -> None:
    trajectories = [_run(family, mode) for mode in ("sync", "async")]

    assert same(*trajectories)


def _run(family: Bridged, mode: str) -> list[Any]:
    envs = gym.make_vec(family.env_id, 2, mode, **family.options)
    results: list[Any] = [envs.reset(seed=3)[0]]
    results += [envs.step(action)[:4] for action in draw(envs.action_space, 16)]
    envs.close()
    return results


def _row(batch: Any, i: int) -> Any:
    if isinstance(batch, dict):
        return {key: _row(part, i) for key, part in batch.items()}
    return tuple(_row(part, i) for part in batch) if isinstance(batch, tuple) else batch[i]


@each
def test_environment_passes_check(family: Bridged) -> None:
    options = [
        "--fast",
        "--steps",
        "20",
        "--budget",
        "200",
        "--format",
        "json",
        "--make-kwargs",
        json.dumps(family.options),
    ]
    command = [sys.executable, "-m", "gymkernel", "check", family.env_id, *options]

    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    assert done.returncode == 0, done.stdout + done.stderr
