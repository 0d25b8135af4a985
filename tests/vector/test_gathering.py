"""Tests that elements are copied into new arrays, and that elements outside their space raise an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel.spaces import Box, Dict, Discrete, Tuple
from gymkernel.vector.utils import Buffer, concatenate, create_empty_array

SPACES: list[Any] = [
    Box(-1, 1, (4,)),
    Box(0, 255, (3, 2), np.uint8),
    Box(-1, 1, ()),
    Discrete(5, start=-2),
    Dict(a=Box(-1, 1, (2,)), b=Dict(c=Discrete(3), d=Box(0, 1, (2, 2), np.float64))),
    Tuple((Box(-1, 1, (3,)), Discrete(2))),
]


def leaves(batch: Any) -> list[Any]:
    if isinstance(batch, dict | tuple):
        return [leaf for part in (batch.values() if isinstance(batch, dict) else batch) for leaf in leaves(part)]
    return [batch]


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_gather_equals_concatenate(space: Any, n: int) -> None:
    space.seed(1)
    elements = [space.sample() for _ in range(n)]
    expected = concatenate(space, elements, create_empty_array(space, n))

    batch = Buffer(space, n).gather(elements, fresh=True)

    assert type(batch) is type(expected)
    for ours, theirs in zip(leaves(batch), leaves(expected), strict=True):
        assert np.array_equal(ours, theirs)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("space", SPACES, ids=str)
def test_gathered_batch_belongs_to_the_caller(space: Any, n: int) -> None:
    space.seed(1)
    elements = [space.sample() for _ in range(n)]
    first, second = (Buffer(space, n).gather(elements, fresh=True) for _ in range(2))

    for item, other in zip(leaves(first), leaves(second), strict=True):
        assert item.flags.writeable
        assert not np.shares_memory(item, other)
        for element in elements:
            assert not any(np.shares_memory(item, np.asarray(leaf)) for leaf in leaves(element))


@pytest.mark.parametrize(
    "wrong",
    [
        [np.zeros(4, np.float32), np.zeros(5, np.float32), np.zeros(3, np.float32)],
        [np.zeros((4, 1), np.float32)] * 3,
        [np.zeros(4, np.float32)] * 2,
        [np.zeros(4, np.float32), None, np.zeros(4, np.float32)],
    ],
    ids=["too long and too short", "another axis", "too few", "None"],
)
def test_unfitting_elements_raise(wrong: list[Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        Buffer(SPACES[0], 3).gather(wrong, fresh=True)


def test_one_unfitting_element_raises() -> None:
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        Buffer(SPACES[0], 1).gather([np.zeros((4, 1), np.float32)], fresh=True)


def test_convertible_elements_are_converted() -> None:
    batch = Buffer(SPACES[0], 2).gather([np.ones(4, np.float64), [0, 1, 0, 1]], fresh=True)

    assert batch.dtype == np.float32
    assert batch.tolist() == [[1, 1, 1, 1], [0, 1, 0, 1]]


def test_missing_part_raises() -> None:
    elements = [SPACES[4].sample() for _ in range(3)]
    del elements[1]["b"]["c"]

    with pytest.raises((KeyError, ValueError)):
        Buffer(SPACES[4], 3).gather(elements, fresh=True)
