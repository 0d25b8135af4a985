"""Tests that codecs write elements into vectors and are computed only once for each space."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Space, ops
from gymkernel_util_spaces.codec import codec
from gymkernel_util_spaces.plans import register
from gymkernel_util_spaces.vectors import of_array, of_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel_util_spaces.vectors import Codec

FLOATS = st.floats(width=32, allow_nan=False)


class Line(Space[Any]):
    """A space of vectors of n numbers, with a codec and operations."""

    def __init__(self, n: int, dtype: Any = np.float32) -> None:
        super().__init__((n,), dtype)
        self.made: list[int] = []  # this is a list, because setting an attribute would count as changing the space

    is_np_flattenable = True


class Group(Space[Any]):
    """A space of tuples that contain an element of each inner space."""

    def __init__(self, spaces: Any) -> None:
        super().__init__()
        self.spaces = spaces


@register(Line)
def _(space: Line) -> Codec:
    space.made.append(1)
    return of_array(space.shape or (), space.dtype)


@register(Group)
def _(space: Group) -> Codec | None:
    named = isinstance(space.spaces, dict)
    parts = space.spaces.items() if named else enumerate(space.spaces)
    return of_parts([(key, codec(part)) for key, part in parts], named=named)


for _cls in (Line, Group):
    ops.flatdim.register(_cls, lambda space: codec(space).size)  # type: ignore[union-attr]
    ops.flatten.register(_cls, lambda space, x: codec(space).flatten(x))  # type: ignore[union-attr]
    ops.unflatten.register(_cls, lambda space, x: codec(space).read(x))  # type: ignore[union-attr]


def of(space: Any) -> Codec:
    found = codec(space)
    assert found is not None
    return found


@given(st.lists(FLOATS, min_size=6, max_size=6))
def test_array_survives_a_codec_round_trip(numbers: list[float]) -> None:
    whole = of_array((2, 3), np.dtype(np.float32))
    x = np.array(numbers, np.float32).reshape(2, 3)

    vector = whole.flatten(x)

    assert (vector.shape, vector.dtype) == ((6,), np.dtype(np.float32))
    assert np.array_equal(whole.read(vector), x)


@given(st.lists(FLOATS, min_size=2, max_size=2), st.integers(-(2**31), 2**31 - 1))
def test_parts_survive_a_codec_round_trip(numbers: list[float], number: int) -> None:
    space = Group({"a": Line(2), "b": Group((Line(1, np.int32), Line(0)))})
    x = {"a": np.array(numbers, np.float32), "b": (np.array([number], np.int32), np.zeros(0, np.float32))}

    vector = of(space).flatten(x)
    back = of(space).read(vector)

    assert (vector.tolist(), vector.dtype) == ([*numbers, number], np.dtype(np.float64))
    assert back["a"].tolist() == numbers
    assert (back["b"][0].tolist(), back["b"][0].dtype) == ([number], np.int32)
    assert back["b"][1].shape == (0,)


def test_offset_keeps_earlier_entries() -> None:
    whole, out = of(Line(2)), np.full(4, 9.0)

    whole.writer(1)(np.array([1, 2]), out)

    assert out.tolist() == [9, 1, 2, 9]
    assert whole.reader(1)(out).tolist() == [1, 2]


@pytest.mark.parametrize("x", [np.zeros(3), np.zeros(1), 0.5])
def test_array_with_wrong_size_is_rejected(x: Any) -> None:
    with pytest.raises(ValueError, match=r"Expected an array of shape \(2,\), got shape \("):
        of(Line(2)).flatten(x)


def test_wrong_number_of_parts_is_rejected() -> None:
    with pytest.raises(ValueError, match="Expected an element with 2 parts, got 1"):
        of(Group((Line(1), Line(1)))).flatten((np.zeros(1),))


def test_no_parts_give_an_empty_vector() -> None:
    assert of(Group(())).flatten(()).shape == (0,)


def test_part_without_a_length_makes_the_length_unknown() -> None:
    assert codec(Group((Line(1), Space()))) is None


class TestRemembering:
    def test_codec_is_compiled_once(self) -> None:
        space = Line(2)

        assert of(space) is of(space)
        assert len(space.made) == 1

    def test_codec_is_recompiled_after_a_change(self) -> None:
        space = Line(2)
        first = of(space)

        ops.changed()

        assert of(space) is not first

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_copy_compiles_its_own_codec(self, duplicate: Callable[[Any], Any]) -> None:
        space = Line(2)
        of(space)

        twin = duplicate(space)

        assert twin._array_plan is None
        assert of(twin).size == 2

    def test_foreign_space_is_not_modified(self) -> None:
        class Theirs:
            is_np_flattenable = False

        theirs = Theirs()

        assert codec(theirs) is None
        assert vars(theirs) == {}

    def test_subclass_with_own_flatten_does_not_inherit_the_codec(self) -> None:
        class Reversed(Line):
            pass

        ops.flatdim.register(Reversed, lambda space: 2)
        ops.flatten.register(Reversed, lambda space, x: np.asarray(x, np.float32)[::-1])
        ops.unflatten.register(Reversed, lambda space, x: x[::-1])
        ops.flatten_space.register(Reversed, lambda space: Line(2))

        assert of(Reversed(2)).flatten(np.array([1, 2])).tolist() == [2, 1]
        assert of(Group((Line(1), Reversed(2)))).flatten((np.zeros(1), np.array([1, 2]))).tolist() == [0, 2, 1]
        assert of(Group((Reversed(2),))).read(np.array([2.0, 1.0]))[0].tolist() == [1, 2]
