"""Tests that each row of a flattened batch is a flattened element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel.spaces import Box, Discrete
from gymkernel.spaces.utils import flatten, flatten_space
from gymkernel.vector.utils import batch_space, iterate
from gymkernel_util_wrappers.batch_flattener import batch_flattener

N = 4


class Backward(Box[Any]):
    """A Box that flattens the numbers of an element in reverse order."""


@flatten.register(Backward)
def _flatten_backward(space: Backward, x: Any) -> Any:
    return np.ravel(x)[::-1]


@pytest.mark.parametrize(
    "space",
    [
        Box(-1, 1, (3,)),
        Box(-1, 1, ()),
        Box(0, 255, (2, 3), np.uint8),
        Discrete(5),
        Discrete(4, start=-2),
        Backward(-1, 1, (3,)),
    ],
    ids=lambda space: f"{type(space).__name__} {space}",
)
def test_row_equals_the_flattened_element(space: Any) -> None:
    batched = batch_space(space, N)
    batched.seed(3)
    batch = batched.sample()
    flat = batch_flattener(space, N)(batch)
    assert flat.dtype == flatten_space(space).dtype
    assert [row.tolist() for row in flat] == [flatten(space, x).tolist() for x in iterate(batched, batch)]


def test_flattened_batch_does_not_share_memory() -> None:
    batch = np.zeros((2, 3), np.float32)
    assert not np.shares_memory(batch_flattener(Box(-1, 1, (3,)), 2)(batch), batch)
