"""Test that gymkernel's functions and wrappers accept Gymnasium's own spaces and environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from gymkernel import ops
from gymkernel.spaces.utils import flatdim, flatten
from gymkernel.vector.utils import batch_differing_spaces, batch_space, concatenate, create_empty_array


class Mission(spaces.Space[str]):
    """A third-party space, similar to one in minigrid."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return ("go", "stop")[int(self.np_random.integers(2))]

    def contains(self, x: Any) -> bool:
        return x in {"go", "stop"}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mission)

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_np_flattenable(self) -> bool:
        return False


class Angle(spaces.Box):
    """A subclass of one of Gymnasium's spaces."""

    def __init__(self, limit: float = np.pi) -> None:
        super().__init__(-limit, limit, (1,), np.float64)


SPACES = [
    spaces.Box(-1, 1, (3,)),
    spaces.Discrete(4, start=1),
    spaces.MultiDiscrete([2, 3]),
    spaces.MultiBinary(3),
    spaces.Text(5),
    spaces.Tuple([spaces.Box(0, 1), spaces.Discrete(2)]),
    spaces.Dict(a=spaces.Box(0, 1), b=spaces.Text(3)),
    spaces.OneOf([spaces.Box(0, 1), spaces.Discrete(2)]),
    spaces.Sequence(spaces.Discrete(3)),
    spaces.Graph(spaces.Box(0, 1), spaces.Discrete(2)),
    Mission(),
    Angle(),
]
each = pytest.mark.parametrize("space", SPACES, ids=repr)


@each
def test_batch_operations_equal_gymnasiums(space: Any) -> None:
    space.seed(1)
    items = [space.sample() for _ in range(3)]
    batched = batch_space(space, 3)

    batch = concatenate(space, items, create_empty_array(space, 3))

    assert isinstance(batched, gymnasium.Space)
    assert batched == gymnasium.vector.utils.batch_space(space, 3)
    assert batch in batched


def test_flatten_equals_gymnasiums() -> None:
    space = SPACES[5]

    assert flatdim(space) == 3
    assert np.array_equal(flatten(space, (np.ones(1, np.float32), 1)), [1, 0, 1])


def test_differing_subclass_spaces_are_batched() -> None:
    batched = batch_differing_spaces([Angle(1), Angle(2)])

    assert np.array_equal(batched.high, [[1], [2]])


def test_spaces_that_gymnasium_cannot_batch_become_a_tuple() -> None:
    assert len(batch_differing_spaces([Mission(), Mission()])) == 2


def test_unflattenable_gymnasium_space_raises() -> None:
    with pytest.raises((ValueError, NotImplementedError)):
        flatdim(Mission())


def test_array_can_serve_as_a_zero() -> None:
    assert ops.create_zero_array(spaces.Box(-1, 1, (2,))).tolist() == [0, 0]
