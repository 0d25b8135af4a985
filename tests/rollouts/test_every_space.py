"""Tests that fragments store elements of every installed space correctly and are equal in all engines."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel import Env, plugins
from gymkernel.rollouts import collect
from gymkernel_util_spaces.compare import difference

SPACES = {
    f"{name}-{k}": space
    for name in sorted(plugins.names("spaces"))
    if hasattr(getattr(gym.spaces, name), "test_instances")
    for k, space in enumerate(getattr(gym.spaces, name).test_instances())
}
"""Example spaces from the authors of the spaces."""


class Drawing(Env[Any, Any]):
    """An environment whose observations and actions are elements of given spaces, with episodes of four steps."""

    metadata: dict[str, Any] = {}  # noqa: RUF012
    render_mode = None

    def __init__(self, space: Any) -> None:
        self.observation_space, self.action_space = copy.deepcopy(space), copy.deepcopy(space)
        self.at = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if seed is not None:
            self.observation_space.seed(seed)
        self.at = 0
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> Any:
        self.at += 1
        return self.observation_space.sample(), 1.0, self.at == 4, False, {}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            return False
        return all(map(same, one.flat, other.flat)) if one.dtype == object else one.tobytes() == other.tobytes()
    return bool(one == other)


def cell(batch: Any, t: int, env: int) -> Any:
    """Return one element from the arrays of a fragment."""
    if isinstance(batch, dict):
        return {key: cell(part, t, env) for key, part in batch.items()}
    if isinstance(batch, tuple):
        parts = [cell(part, t, env) for part in batch]
        return type(batch)._make(parts) if hasattr(batch, "_make") else tuple(parts)
    return batch[t, env]


@pytest.mark.parametrize(
    "name", [name if name.endswith("-0") else pytest.param(name, marks=pytest.mark.slow) for name in SPACES]
)
def test_every_engine_gives_the_same_fragments(name: str) -> None:
    makers = [lambda: Drawing(SPACES[name])] * 3
    arguments: dict[str, Any] = {"num_steps": 30, "num_shards": 2, "fragment_length": 6, "seed": 1}
    here = list(collect(makers, "random", engine="sync", **arguments))
    there = list(collect(makers, "random", engine="async", **arguments))
    assert [same(dict(item), dict(other)) for item, other in zip(here, there, strict=True)] == [True] * 4


@pytest.mark.parametrize("direct", [False, True], ids=["copied", "direct"])
@pytest.mark.parametrize("name", list(SPACES))
def test_fragment_contains_the_observations(name: str, direct: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gymkernel_tool_rollout.collecting.shard.DIRECT_BYTES", 0 if direct else 1 << 40)
    space = SPACES[name]
    (fragment,) = collect([lambda: Drawing(space)] * 2, "random", num_steps=12, seed=5)
    assert fragment["episode_lengths"].tolist() == [4, 4]
    for env in range(2):
        alone = Drawing(space)
        seen = [alone.reset(seed=5 + env)[0]]
        for t in range(6):
            assert not difference(cell(fragment["observations"], t, env), seen[-1])
            seen.append(alone.step(None)[0])
            if t == 3:
                assert not difference(cell_of(fragment["final_observations"], env), seen[-1])
                seen.append(alone.reset()[0])
        assert not difference(cell_of(fragment["last_observations"], env), seen[-1])


def cell_of(batch: Any, index: int) -> Any:
    if isinstance(batch, dict):
        return {key: cell_of(part, index) for key, part in batch.items()}
    if isinstance(batch, tuple):
        parts = [cell_of(part, index) for part in batch]
        return type(batch)._make(parts) if hasattr(batch, "_make") else tuple(parts)
    return batch[index]


SPOKEN = gym.spaces.Dict(a=gym.spaces.Discrete(3))
PAIRS = [
    gym.spaces.Tuple([gym.spaces.Discrete(2), SPOKEN]),
    gym.spaces.Tuple([SPOKEN, SPOKEN]),
    gym.spaces.Tuple([gym.spaces.Tuple([gym.spaces.Discrete(2), SPOKEN]), SPOKEN]),
    gym.spaces.Tuple([gym.spaces.Box(0, 1, (2, 2)), SPOKEN]),
]


@pytest.mark.parametrize("with_extras", [False, True])
@pytest.mark.parametrize("space", PAIRS, ids=range(len(PAIRS)))
def test_action_pair_with_a_dictionary_is_an_action(space: Any, with_extras: bool) -> None:
    class Speaking:
        def start(self, envs: Any, seed: int) -> None:
            self.space = envs.action_space
            self.space.seed(seed)

        def __call__(self, seen: Any) -> Any:
            actions = self.space.sample()
            return (actions, {"said": np.ones(2)}) if with_extras else actions

    (fragment,) = collect([lambda: Drawing(space)] * 2, Speaking(), num_steps=8, seed=5)
    assert list(fragment["extras"]) == ["said"] * with_extras
    assert all(space.contains(cell(fragment["actions"], t, env)) for t in range(4) for env in range(2))
