"""Tests of operations on Box, and of `flatten_space` for spaces with a layout."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import ops
from gymkernel.spaces import Box, Field, Space

if TYPE_CHECKING:
    from gymkernel.spaces import Layout


class Angle(Box[Any]):
    """A subclass of Box with its own constructor and an additional method."""

    def __init__(self, turns: int = 1, seed: int | None = None) -> None:
        super().__init__(-np.pi * turns, np.pi * turns, (2,), seed=seed)

    def degrees(self, x: Any) -> Any:
        return np.degrees(x)


class Reading(Space[tuple[float, int]]):
    """A third-party space whose layout consists of two arrays."""

    def sample(self, mask: Any = None, probability: Any = None) -> tuple[float, int]:
        return float(self.np_random.random()), int(self.np_random.integers(9))

    def contains(self, x: Any) -> bool:
        return isinstance(x, tuple) and len(x) == 2 and 0 <= x[0] < 1 and 0 <= x[1] < 9

    def layout(self) -> Layout:
        return (Field.of(float), Field.of(np.int16))

    def encode(self, x: Any, out: Any) -> None:
        out[0][...], out[1][...] = x

    def decode(self, arrays: Any) -> tuple[float, int]:
        return float(arrays[0]), int(arrays[1])


SPACES = [
    Box(0, 1, seed=1),
    Box(-np.inf, np.inf, (), seed=1),
    Box(0, 255, (4, 3, 2), np.uint8, seed=1),
    Box(np.array([[-1, -np.inf], [0, 5]], "f4"), np.array([[1, 3], [np.inf, 5]], "f4"), seed=1),
    Box(-5, 5, (), np.int8, seed=1),
    Box(0, 1, (3,), bool, seed=1),
    Box(0, 2**64 - 1, (2,), np.uint64, seed=1),
    Box(-np.inf, 7, (20,), np.int64, seed=1),
    Box(0, 1, (2, 0), seed=1),
    Angle(seed=1),
]
every_space = pytest.mark.parametrize("space", SPACES, ids=str)


def same(a: Any, b: Any) -> bool:
    return bool(np.array_equal(a, b)) and a.dtype == b.dtype and a.shape == b.shape


@every_space
class TestSingle:
    def test_flattened_element_is_in_the_flattened_space(self, space: Box[Any]) -> None:
        flat = ops.flatten(space, space.sample())

        assert flat in ops.flatten_space(space)
        assert flat.shape == (ops.flatdim(space),)

    def test_unflatten_reverses_flatten(self, space: Box[Any]) -> None:
        x = space.sample()

        assert same(ops.unflatten(space, ops.flatten(space, x)), x)

    def test_flattened_element_does_not_share_memory(self, space: Box[Any]) -> None:
        x = space.sample()

        assert not np.shares_memory(ops.flatten(space, x), x)

    def test_decode_reverses_encode(self, space: Box[Any]) -> None:
        x = space.sample()
        arrays = [np.zeros(field.shape, field.dtype) for field in space.layout()]

        space.encode(x, arrays)
        back = space.decode(arrays)

        assert same(back, x)
        assert not np.shares_memory(back, arrays[0])

    def test_array_nearest_to_zero_is_contained(self, space: Box[Any]) -> None:
        zero = ops.create_zero_array(space)

        assert zero in space
        assert zero.shape == space.shape

    def test_space_is_equivalent_to_itself(self, space: Box[Any]) -> None:
        assert ops.is_space_dtype_shape_equiv(space, copy.deepcopy(space))


@every_space
@pytest.mark.parametrize("n", [1, 3])
class TestBatch:
    def test_concatenated_elements_are_in_the_batched_space(self, space: Box[Any], n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        out = ops.create_empty_array(space, n)

        batch = ops.concatenate(space, xs, out)

        assert batch is out
        assert batch in ops.batch_space(space, n)

    def test_iterate_reverses_concatenate(self, space: Box[Any], n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        batch = ops.concatenate(space, xs, ops.create_empty_array(space, n))

        rows = list(ops.iterate(ops.batch_space(space, n), batch))

        assert all(np.array_equal(a, b) for a, b in zip(rows, xs, strict=True))

    def test_different_spaces_of_the_same_class_are_batched(self, space: Box[Any], n: int) -> None:
        batch = ops.batch_differing_spaces([space] * n)

        assert np.array_equal(batch.low, ops.batch_space(space, n).low)
        assert np.array_equal(batch.bounded_above, ops.batch_space(space, n).bounded_above)
        assert batch.sample() in batch


class TestBatchedBounds:
    """Tests that the bounds of a batched space are views that repeat the original bounds without copying them."""

    def batch(self) -> Box[Any]:
        single: Box[Any] = Box(np.array([-np.inf, 0, 5], "f4"), np.array([1, np.inf, 6], "f4"), seed=4)
        return ops.batch_space(single, 1000)  # type: ignore[no-any-return]

    def test_batched_bounds_use_no_memory(self) -> None:
        assert self.batch().intervals.low.strides[0] == 0

    def test_batched_bounds_are_writable_when_read(self) -> None:
        single: Box[Any] = Box(0, 1, (2,))
        batch = ops.batch_space(single, 3)

        batch.low[0] = -5

        assert np.array([[-4, 0], [0, 1], [1, 0]], np.float32) in batch
        assert np.array([-4, 0], np.float32) not in single

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
    def test_copy_of_a_batched_space_draws_the_same_samples(self, duplicate: Any) -> None:
        batch = self.batch()
        batch.sample()

        twin = duplicate(batch)

        assert twin == batch
        assert np.array_equal(twin.sample(), batch.sample())

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
    def test_copy_of_a_batched_space_uses_no_memory(self, duplicate: Any) -> None:
        batch = self.batch()

        assert duplicate(batch).intervals.high.strides[0] == 0
        assert len(pickle.dumps(batch)) < 2000

    def test_batched_box_equals_a_box_with_full_arrays(self) -> None:
        batch = self.batch()

        assert batch == Box(batch.low.copy(), batch.high.copy())

    def test_batched_space_can_be_batched(self) -> None:
        batch = ops.batch_space(ops.batch_space(Box(0, np.array([1, 2], "f4"), seed=1), 3), 4)

        assert batch.shape == (4, 3, 2)
        assert batch.sample() in batch
        assert 2 * batch.high not in batch

    def test_batched_box_draws_like_a_box_of_its_shape(self) -> None:
        batch, plain = ops.batch_space(Box(-1, 1, (2,), seed=3), 5), Box(-1, 1, (5, 2), seed=3)

        assert np.array_equal(batch.sample(), plain.sample())

    def test_batching_keeps_the_generator_of_the_single_space(self) -> None:
        single: Box[Any] = Box(0, 1, seed=3)
        batch = ops.batch_space(single, 2)

        batch.sample()

        assert np.array_equal(single.sample(), Box(0, 1, seed=3).sample())

    def test_empty_batch(self) -> None:
        assert ops.batch_space(Box(0, 1, (2,)), 0).sample().shape == (0, 2)


class TestDifferingSpaces:
    def test_rows_have_the_bounds_of_their_spaces(self) -> None:
        batch = ops.batch_differing_spaces([Box(0, 1), Box(-5, np.inf)])

        assert batch == Box(np.array([[0], [-5]], "f4"), np.array([[1], [np.inf]], "f4"))

    def test_unbounded_integers_stay_unbounded(self) -> None:
        batch = ops.batch_differing_spaces([Box(-np.inf, 3, dtype=np.int8), Box(-128, 3, dtype=np.int8)])

        assert batch.bounded_below.tolist() == [[False], [True]]

    @pytest.mark.parametrize("other", [Box(0, 1, (2,)), Box(0, 1, dtype=np.float64)])
    def test_different_shape_or_dtype_is_rejected(self, other: Box[Any]) -> None:
        with pytest.raises(
            ValueError, match=r"Boxes of the same shape and dtype, got \(1,\) float32 at index 0 and .* index 1"
        ):
            ops.batch_differing_spaces([Box(0, 1), other])

    def test_different_class_is_rejected(self) -> None:
        with pytest.raises(TypeError, match="spaces of the same class, got Box at index 0 and Angle at index 1"):
            ops.batch_differing_spaces([Box(0, 1, (2,)), Angle()])

    def test_empty_list_of_spaces_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="at least one space"):
            ops.batch_differing_spaces([])


class TestEquivalence:
    @pytest.mark.parametrize(
        "other, equivalent",
        [
            (Box(-9, 9, (2,)), True),
            (Box(0, 1, (3,)), False),
            (Box(0, 1, (2,), np.float64), False),
            (Angle(), False),
            (Reading(), False),
        ],
    )
    def test_equivalence_ignores_bounds(self, other: Any, equivalent: bool) -> None:
        assert ops.is_space_dtype_shape_equiv(Box(0, 1, (2,)), other) is equivalent


class TestConcatenate:
    @pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
    def test_rows_with_a_wrong_shape_are_rejected(self, shape: tuple[int, ...]) -> None:
        space: Box[Any] = Box(0, 1, shape)
        wrong = np.zeros((*shape, 4), np.float32)

        with pytest.raises(ValueError, match=r"shape|dimension"):
            ops.concatenate(space, [wrong] * 2, ops.create_empty_array(space, 2))

    def test_rows_with_wrong_lengths_are_rejected_even_if_the_sum_fits(self) -> None:
        space: Box[Any] = Box(0, 1, (2,))

        with pytest.raises(
            ValueError, match=r"Expected arrays of shape \(2,\) for Box.*, got shapes \[\(1,\), \(3,\)\]"
        ):
            ops.concatenate(space, [np.zeros(3, "f4"), np.zeros(1, "f4")], ops.create_empty_array(space, 2))

    def test_too_few_rows_are_rejected(self) -> None:
        space: Box[Any] = Box(0, 1, (2,))

        with pytest.raises(ValueError, match=r"shape|dimension"):
            ops.concatenate(space, [space.sample()], ops.create_empty_array(space, 2))

    def test_create_empty_array_accepts_a_function(self) -> None:
        ones = ops.create_empty_array(Box(0, 1, (2,)), 3, fn=np.ones)

        assert same(ones, np.ones((3, 2), np.float32))

    def test_scalar_batch_cannot_be_iterated(self) -> None:
        with pytest.raises(TypeError, match="Cannot iterate over 3: a batch of Box"):
            ops.iterate(Box(0, 1, ()), 3)


class TestFlatSpace:
    def test_bounds_are_flattened(self) -> None:
        space: Box[Any] = Box(np.array([[0, 1], [2, 3]], "f4"), 9)

        assert ops.flatten_space(space) == Box(np.array([0, 1, 2, 3], "f4"), 9)

    @given(st.lists(st.integers(0, 3), max_size=4))
    def test_length_is_the_number_of_elements(self, shape: list[int]) -> None:
        space: Box[Any] = Box(0, 1, tuple(shape))

        assert ops.flatdim(space) == ops.flatten_space(space).shape[0] == np.prod(shape, dtype=int)


class TestSpacesWithALayout:
    """Tests that a third-party space with a layout supports flattening."""

    def test_flattened_space_has_the_common_dtype(self) -> None:
        assert ops.flatten_space(Reading()) == Box(-np.inf, np.inf, (2,), np.float64)

    def test_flattened_element_is_contained(self) -> None:
        space = Reading(seed=1)

        flat = ops.flatten(space, space.sample())

        assert flat in ops.flatten_space(space)

    def test_unflatten_reverses_flatten(self) -> None:
        space = Reading(seed=1)
        x = space.sample()

        assert ops.unflatten(space, ops.flatten(space, x)) == x

    @pytest.mark.parametrize(
        "dtype, expected",
        [
            (np.uint8, Box(0, 255, (1,), np.uint8)),
            (bool, Box(0, 1, (1,), bool)),
            (np.float32, Box(-np.inf, np.inf, (1,), np.float32)),
        ],
    )
    def test_flattened_space_is_unbounded(self, dtype: Any, expected: Box[Any]) -> None:
        class One(Space[Any]):
            def layout(self) -> Layout:
                return (Field.of(dtype),)

        assert ops.flatten_space(One()) == expected

    def test_space_without_layout_error_says_what_to_do(self) -> None:
        class Word(Space[str]):
            pass

        with pytest.raises(NotImplementedError, match=r"flatten_space is not defined for .*Word: define layout"):
            ops.flatten_space(Word())
