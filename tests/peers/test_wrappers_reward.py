"""Tests that reward wrappers return the same rewards as Gymnasium's."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.peers.both import LIBRARIES, outcome, same
from tests.peers.test_vector import environment

import gymkernel

CASES: list[tuple[str, dict[str, Any]]] = [
    ("ClipReward", {"min_reward": -0.5}),
    ("ClipReward", {"max_reward": 0.25}),
    ("ClipReward", {"min_reward": -0.5, "max_reward": 0.25}),
    ("TransformReward", {"func": lambda reward: 2 * reward + 1}),
    ("NormalizeReward", {}),
    ("NormalizeReward", {"gamma": 0.5, "epsilon": 0.1}),
    ("NormalizeReward", {"gamma": 0.0}),
    ("NormalizeReward", {"gamma": 1.0}),
]
each = pytest.mark.parametrize(
    "name, kwargs", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(CASES)]
)


def rewards(library: Any, inside: Any, name: str, kwargs: dict[str, Any], steps: int = 200) -> list[float]:
    env = getattr(library.wrappers, name)(environment(inside), **kwargs)
    env.reset(seed=5)
    seen = []
    for step in range(steps):
        if step == 150 and name == "NormalizeReward":
            env.update_running_mean = False
        *_, reward, terminated, truncated, _ = env.step(step % 5)
        seen.append(reward)
        if terminated or truncated:
            env.reset()
    return seen


@each
def test_rewards_are_the_same(name: str, kwargs: dict[str, Any]) -> None:
    ours, theirs = (rewards(library, library, name, kwargs) for library in LIBRARIES)

    assert same(ours, theirs)  # values must be equal to the last bit, and types must be equal


@each
def test_rewards_around_gymnasiums_environment_are_the_same(name: str, kwargs: dict[str, Any]) -> None:
    ours, theirs = rewards(gymkernel, gymnasium, name, kwargs), rewards(gymnasium, gymnasium, name, kwargs)

    assert same(ours, theirs)


@pytest.mark.parametrize("reward", [3, True, 0.5, np.float32(0.5), np.float64(3), np.int64(-3), float("nan")], ids=repr)
@pytest.mark.parametrize("bounds", [(-1, 1), (-1.0, 1.0), (None, 0.25), (np.float32(-1), None)], ids=repr)
def test_clipped_reward_has_the_same_type(bounds: tuple[Any, Any], reward: Any) -> None:
    clipped = []
    for library in LIBRARIES:
        env = environment(library)
        env.step = lambda action: (0, reward, False, False, {})
        wrapped = library.wrappers.ClipReward(env, *bounds)
        wrapped.reset(seed=1)
        clipped.append(outcome(lambda: wrapped.step(0)[1]))  # noqa: B023 - the function is called immediately

    assert same(*clipped)


def test_statistics_are_the_same() -> None:
    found = []
    for library in LIBRARIES:
        env = library.wrappers.NormalizeReward(environment(library))
        env.reset(seed=5)
        for step in range(3):
            env.step(step)
        found.append([float(value) for value in vars(env.return_rms).values() if not isinstance(value, np.dtype)])

    assert found[0] == found[1]


@pytest.mark.parametrize(
    "name, kwargs",
    [
        ("ClipReward", {}),
        ("ClipReward", {"min_reward": 1.0, "max_reward": 0.0}),
        ("NormalizeReward", {"gamma": 1.5}),
        ("NormalizeReward", {"epsilon": 0}),
    ],
)
def test_arguments_rejected_by_gymnasium_are_rejected(name: str, kwargs: dict[str, Any]) -> None:
    for library in LIBRARIES:
        assert outcome(getattr(library.wrappers, name), environment(library), **kwargs) == "it raises"
