"""Tests that equal but not identical spaces, such as those with a different key order, can be combined everywhere."""

from __future__ import annotations

import copy
import itertools
from functools import partial
from typing import Any

import numpy as np
import pytest

import gymkernel
from gymkernel import ops
from gymkernel.spaces import Box, Dict, Discrete, OneOf, Sequence, Text, Tuple
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv


def two(first: tuple[str, Any], second: tuple[str, Any]) -> list[Any]:
    return [*copy.deepcopy([Dict([first, second])]), Dict([second, first])]


def arrays() -> list[Any]:
    return two(("a", Box(-1, 1, (2,))), ("b", Box(0, 9, (3,), np.int8)))


def texts() -> list[Any]:
    return [Text(4, charset="abc"), Text(4, charset="cba")]


PAIRS: dict[str, Any] = {
    "Dict": arrays,
    "Text": texts,
    "Dict of Text": lambda: two(("a", Box(-1, 1, (2,))), ("b", Text(3))),
    "Tuple": lambda: [Tuple(pair) for pair in zip(arrays(), texts(), strict=True)],
    "OneOf": lambda: [OneOf(pair) for pair in zip(arrays(), texts(), strict=True)],
    "OneOf in Dict": lambda: [Dict(x=OneOf([array])) for array in arrays()],
    "Sequence": lambda: [Sequence(array) for array in arrays()],
    "stacked": lambda: [Sequence(array, stack=True) for array in arrays()],
}
each = pytest.mark.parametrize("name", PAIRS)


class Sampler(gymkernel.Env[Any, Any]):
    """An environment whose observations are samples from its observation space."""

    def __init__(self, space: Any) -> None:
        self.observation_space, self.action_space = space, Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> Any:
        return self.observation_space.sample(), 0.0, False, False, {}


@each
@pytest.mark.parametrize("mode", ["same", "different"])
def test_equal_spaces_are_batched_alike_by_every_backend(name: str, mode: str) -> None:
    seen = []
    for backend in (SyncVectorEnv, AsyncVectorEnv):
        envs = backend([partial(Sampler, space) for space in PAIRS[name]()], observation_mode=mode)
        seen.append([envs.reset(seed=1)[0], *(envs.step(envs.action_space.sample())[0] for _ in range(5))])
        envs.close()
    assert alike(*seen)


@each
def test_equal_spaces_share_their_encoding(name: str) -> None:
    for permutation, other in itertools.permutations(PAIRS[name](), 2):
        fields = ops.layout(permutation)
        assert permutation == other
        assert ops.layout(other) == fields
        for _ in range(5 if fields is not None else 0):
            element = permutation.sample()
            arrays = [np.zeros(field.shape, field.dtype) for field in fields or ()]
            permutation.encode(element, arrays)
            assert alike(other.decode(arrays), element)


def alike(a: Any, b: Any) -> bool:
    """Return whether two objects are equal, regardless of the order of keys."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(alike, a, b))
    return bool(np.array_equal(a, b))
