"""Tests of shared memory for every space: written elements are read as a batch, in new arrays if requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Space, error, ops
from gymkernel.arrays import plan_of
from gymkernel.space import Field
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple
from gymkernel_util_spaces.batches import BatchPlan
from gymkernel_util_spaces.compare import difference

if TYPE_CHECKING:
    from gymkernel.space import Layout

N = 3


class Word(Space[str]):
    """A third-party space of words with at most four letters. A layout encodes the words."""

    def layout(self) -> Layout:
        return Field.of(np.uint8), Field.of(np.uint8, (4,))

    def encode(self, x: str, out: Any) -> None:
        out[0][...] = len(x)
        out[1][: len(x)] = list(x.encode())

    def decode(self, arrays: Any) -> str:
        return bytes(arrays[1][: int(arrays[0])]).decode()

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "".join(self.np_random.choice(list("abc"), int(self.np_random.integers(5))))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= 4

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word)

    __hash__ = None  # type: ignore[assignment]


class Pixels(Space[Any]):
    """A third-party space that needs only two lines of code, because an element is the only array of its layout."""

    def layout(self) -> Layout:
        return (Field.of(np.uint8, (2, 3)),)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.integers(0, 255, (2, 3), np.uint8)


class Named(Box[Any]):
    """A subclass without its own adapters."""


SPACES = [
    Box(-1, 1, (4,)),
    Box(0, 255, (2, 3), np.uint8),
    Box(-1, 1, ()),
    Box(-1, 1, (2,), np.float16),
    Named(-1, 1, (2,)),
    Discrete(5, start=-2),
    MultiDiscrete([3, 4]),
    MultiBinary((2, 2)),
    Text(5),
    Word(),
    Pixels(),
    Dict(a=Pixels(), b=Discrete(3)),
    OneOf([Box(0, 9, (2,)), Discrete(3), Word()]),
    Tuple((Discrete(3), Word(), Tuple((Box(0, 1, (2,)), Text(2))))),
    Dict(a=Box(-1, 1, (2,)), b=Dict(c=Text(4), d=Box(0, 255, (2, 2), np.uint8)), e=Word()),
]
each = pytest.mark.parametrize("space", SPACES, ids=lambda space: str(space)[:40])


@each
def test_written_elements_are_read_repeatedly(space: Any) -> None:
    space.seed(3)
    memory = ops.create_shared_memory(space, N)

    for _ in range(2):
        rows = [space.sample() for _ in range(N)]
        for i, row in enumerate(rows):
            ops.write_to_shared_memory(space, i, row, memory)
        batch = ops.read_from_shared_memory(space, memory, N)

        wanted = ops.concatenate(space, rows, ops.create_empty_array(space, N))
        assert difference(wanted, batch, "the batch") is None


@each
def test_every_part_is_in_shared_memory(space: Any) -> None:
    assert BatchPlan.of(space).object_parts == ()


@pytest.mark.parametrize(
    "space",
    [Sequence(Box(0, 1, (2,))), Graph(Box(0, 1, (2,)), None), Space()],
    ids=lambda space: type(space).__name__,
)
def test_elements_without_a_fixed_size_cannot_be_shared(space: Any) -> None:
    with pytest.raises(error.CustomSpaceError, match=r"define layout\(\) for the space, or pass shared_memory=False"):
        ops.create_shared_memory(space, N)


def test_single_array_layout_is_an_array_of_the_batch() -> None:
    plan = BatchPlan.of(Dict(a=Pixels(), b=Word()))

    assert plan.leaves[0] == (("a",), np.dtype(np.uint8), (2, 3), True)
    assert [path for path, *_ in plan.encoded] == [("b",)]


def test_plan_is_cached() -> None:
    space = Dict(a=Box(0, 1), b=Word())
    first = plan_of(space).batch()

    assert plan_of(space).batch() is first

    space["c"] = Discrete(3)

    assert [leaf.path for leaf in plan_of(space).batch().leaves] == [("a",), ("b",), ("b",), ("c",)]


def test_only_variable_size_parts_are_sent_by_message() -> None:
    plan = BatchPlan.of(Dict(far=Sequence(Discrete(3)), near=Box(0, 1, (2,)), word=Word()))
    assert plan.object_parts == (("far",),)
    assert [path for path, *_ in plan.encoded] == [("word",)]
    assert [leaf.path for leaf in plan.leaves] == [("near",), ("word",), ("word",)]
