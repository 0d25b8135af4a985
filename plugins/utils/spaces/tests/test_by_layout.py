"""Tests of flattening by the layout alone, for spaces whose class has no registered operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Space, ops
from gymkernel.arrays import iterate_parts, plan_of
from gymkernel.space import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel.space import Layout

FLOATS = st.floats(width=32, allow_nan=False)


class Angles:
    """A space from another library that has no base class and defines only a layout."""

    def sample(self) -> np.ndarray[Any, Any]:
        return np.zeros((2, 3), np.float32)

    def layout(self) -> Layout:
        return (Field.of(np.float32, (2, 3)),)

    encode, decode = Space.encode, Space.decode


class Robots:
    """A space whose elements are tuples (id, arm) of an integer and two joint angles."""

    def sample(self) -> tuple[int, tuple[float, ...]]:
        return 0, (0.0, 0.0)

    def layout(self) -> Layout:
        return Field.of(np.int64), Field.of(np.float32, (2,))

    def encode(self, x: tuple[int, tuple[float, ...]], out: Sequence[np.ndarray[Any, Any]]) -> None:
        out[0][...], out[1][:] = x

    def decode(self, arrays: Sequence[np.ndarray[Any, Any]]) -> tuple[int, tuple[float, ...]]:
        return int(arrays[0]), tuple(arrays[1].tolist())


class Grid(Space[Any]):
    """A third-party space that defines only a layout."""

    def layout(self) -> Layout:
        return (Field.of(np.float32, (2, 3)),)


class TestFlattening:
    @given(st.lists(FLOATS, min_size=6, max_size=6))
    def test_array_survives_a_flatten_round_trip(self, numbers: list[float]) -> None:
        x = np.array(numbers, np.float32).reshape(2, 3)

        flat = ops.flatten(Angles(), x)

        assert (flat.shape, flat.dtype) == ((6,), np.float32)
        assert np.array_equal(ops.unflatten(Angles(), flat), x)

    @given(st.integers(-(2**53), 2**53), st.tuples(FLOATS, FLOATS))
    def test_parts_survive_a_flatten_round_trip(self, number: int, arm: tuple[float, float]) -> None:
        flat = ops.flatten(Robots(), (number, arm))

        assert flat.tolist() == [number, *arm]
        assert ops.unflatten(Robots(), flat) == (number, arm)

    @pytest.mark.parametrize("length", [0, 2, 4])
    def test_vector_with_wrong_length_is_rejected(self, length: int) -> None:
        with pytest.raises(ValueError, match=f"a vector of length 3 .* got length {length}"):
            ops.unflatten(Robots(), np.zeros(length))

    def test_unflattened_element_does_not_share_memory(self) -> None:
        flat = np.zeros(6, np.float32)

        x = ops.unflatten(Angles(), flat)

        assert not np.shares_memory(x, flat)

    def test_empty_layout_gives_a_vector_of_length_zero(self) -> None:
        class Nothing(Angles):
            def layout(self) -> Layout:
                return ()

            encode = staticmethod(lambda x, out: None)

        assert ops.flatten(Nothing(), ()).shape == (0,)

    def test_keyword_arguments_are_accepted(self) -> None:
        x = np.ones((2, 3), np.float32)

        assert ops.flatten(Angles(), x=x).tolist() == [1] * 6
        assert ops.flatten(space=Angles(), x=x).tolist() == [1] * 6

    def test_space_class_as_argument_raises(self) -> None:
        class Angle(Space[Any]):
            def layout(self) -> Layout:
                return (Field.of(np.float64, (1,)),)

        assert ops.flatten(Angle(), np.array([0.5])).tolist() == [0.5]
        assert ops.unflatten(Angle(), [0.5]).tolist() == [0.5]

    @pytest.mark.parametrize(
        "x", [np.ones((2, 3)), np.ones((2, 3), np.int8), [[1] * 3] * 2, 1, np.ones((1, 3))], ids=str
    )
    def test_array_likes_are_converted(self, x: Any) -> None:
        flat = ops.flatten(Grid(), x)

        assert (flat.tolist(), flat.dtype) == ([1] * 6, np.float32)

    def test_array_with_wrong_shape_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="could not broadcast"):
            ops.flatten(Grid(), np.zeros((3, 2), np.float32))

    @pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8])
    def test_unflattened_element_has_the_dtype_and_its_own_memory(self, dtype: Any) -> None:
        flat = np.arange(6, dtype=dtype)

        x = ops.unflatten(Grid(), flat)

        assert (x.tolist(), x.dtype) == ([[0, 1, 2], [3, 4, 5]], np.float32)
        assert not np.shares_memory(x, flat)

    def test_overridden_encode_is_used(self) -> None:
        class Negated(Grid):
            def encode(self, x: Any, out: Any) -> None:
                out[0][...] = -x

            def decode(self, arrays: Any) -> Any:
                return -arrays[0]

        x = np.ones((2, 3), np.float32)

        assert ops.flatten(Negated(), x).tolist() == [-1] * 6
        assert np.array_equal(ops.unflatten(Negated(), ops.flatten(Negated(), x)), x)


class TestKeeping:
    def test_plan_is_cached(self) -> None:
        space = Grid()
        assert plan_of(space) is plan_of(space)

    def test_registration_invalidates_the_plan(self) -> None:
        class Late(Grid):
            pass

        space, x = Late(), np.ones((2, 3), np.float32)
        before = ops.flatten(space, x)
        ops.flatten.register(Late, lambda space, x: np.zeros(6))

        assert before.tolist() == [1] * 6
        assert ops.flatten(space, x).tolist() == [0] * 6

    def test_reported_change_invalidates_the_plan(self) -> None:
        class Longer(Space[Any]):
            def layout(self) -> Layout:
                return (Field.of(np.int8, (length,)),)

        length, space = 2, Longer()
        assert ops.flatten(space, np.ones(2)).tolist() == [1, 1]

        length = 3
        ops.changed()

        assert ops.flatten(space, np.ones(3)).tolist() == [1, 1, 1]

    @pytest.mark.parametrize("operation", ["flatten", "unflatten"])
    def test_space_without_layout_raises_every_time(self, operation: str) -> None:
        space = Space[Any]()
        assert plan_of(space).codec is None

        for _ in range(2):
            with pytest.raises(NotImplementedError, match=f"{operation} is not defined for Space: define layout"):
                ops.OPERATIONS[operation](space, np.zeros(1))

    def test_foreign_space_is_not_modified(self) -> None:
        space = Robots()

        assert ops.flatten(space, (1, (2, 3))).tolist() == [1, 2, 3]
        assert vars(space) == {}


class TestPartsOfABatch:
    @pytest.fixture
    def words(self) -> Space[Any]:
        """A space whose batches are sequences."""

        class Words(Space[Any]):
            pass

        ops.iterate.register(Words, lambda space, items: iter(items))
        return Words()

    def test_parts_are_adjacent(self, words: Space[Any]) -> None:
        assert list(iterate_parts([words, words], [("a", "b"), np.arange(2)])) == [("a", 0), ("b", 1)]
        assert list(iterate_parts([words], [np.arange(2)])) == [(0,), (1,)]

    def test_empty_part_is_in_every_element(self, words: Space[Any]) -> None:
        nothing = type(words)()
        nothing.layout = tuple  # type: ignore[method-assign]

        assert list(iterate_parts([nothing, words], [(), ("a", "b")])) == [((), "a"), ((), "b")]

    def test_parts_with_different_lengths_raise(self, words: Space[Any]) -> None:
        with pytest.raises(ValueError, match="shorter"):
            list(iterate_parts([words, words], [("a", "b"), ("c",)]))


def test_dict_space_flattens_and_unflattens() -> None:
    class Pose(Space[Any]):
        def layout(self) -> Layout:
            return Field.of(float), Field.of(float, (2,))

        def encode(self, x: Any, out: Sequence[Any]) -> None:
            out[0][...], out[1][:] = x["angle"], x["place"]

        def decode(self, arrays: Sequence[Any]) -> Any:
            return {"angle": float(arrays[0]), "place": arrays[1].tolist()}

    vector = ops.flatten(Pose(), {"angle": 1.0, "place": [2.0, 3.0]})

    assert vector.tolist() == [1, 2, 3]
    assert ops.flatdim(Pose()) == 3
    assert ops.unflatten(Pose(), vector) == {"angle": 1.0, "place": [2.0, 3.0]}
