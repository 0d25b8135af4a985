"""Tests of operations on MultiDiscrete, such as conversion to one-hot vectors and batching."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from gymkernel import ops
from gymkernel.spaces import Box, MultiDiscrete


class Keys(MultiDiscrete[Any]):
    """A subclass of MultiDiscrete with its own constructor."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__([2, 2, 5], seed=seed, start=[0, 0, 1])


SPACES = [
    MultiDiscrete([3, 2], seed=1),
    MultiDiscrete([[3, 2], [4, 1]], seed=1, start=[[1, -1], [0, 5]]),
    MultiDiscrete(5, seed=1),
    MultiDiscrete([], seed=1),
    MultiDiscrete([200, 200], np.uint8, seed=1),
    MultiDiscrete([127], np.int8, seed=1, start=[-100]),
    MultiDiscrete([2], np.uint64, seed=1, start=np.array([2**64 - 2], np.uint64)),
    Keys(seed=1),
]
every_space = pytest.mark.parametrize("space", SPACES, ids=str)


@every_space
class TestSingle:
    def test_element_flattens_to_adjacent_one_hot_vectors(self, space: MultiDiscrete[Any]) -> None:
        flat = ops.flatten(space, space.sample())

        assert flat.sum() == space.nvec.size
        assert flat.shape == (ops.flatdim(space),)
        assert ops.flatdim(space) == space.nvec.sum(dtype=int)

    def test_flattened_element_is_in_the_flattened_space(self, space: MultiDiscrete[Any]) -> None:
        flat = ops.flatten(space, space.sample())

        assert flat.dtype == space.dtype
        assert flat in ops.flatten_space(space)

    def test_unflatten_reverses_flatten(self, space: MultiDiscrete[Any]) -> None:
        x = space.sample()

        back = ops.unflatten(space, ops.flatten(space, x))

        assert back.dtype == x.dtype
        assert back.shape == x.shape
        assert np.array_equal(back, x)

    def test_decode_reverses_encode(self, space: MultiDiscrete[Any]) -> None:
        x = space.sample()
        arrays = [np.zeros(field.shape, field.dtype) for field in space.layout()]

        space.encode(x, arrays)
        back = space.decode(arrays)

        assert np.array_equal(back, x)
        assert back in space

    def test_element_nearest_to_zero_is_contained(self, space: MultiDiscrete[Any]) -> None:
        assert ops.create_zero_array(space) in space

    def test_space_is_equivalent_to_itself(self, space: MultiDiscrete[Any]) -> None:
        assert ops.is_space_dtype_shape_equiv(space, copy.deepcopy(space))


@every_space
@pytest.mark.parametrize("n", [1, 3])
class TestBatch:
    def test_batched_space_is_a_box_with_the_same_elements(self, space: MultiDiscrete[Any], n: int) -> None:
        batch = ops.batch_space(space, n)

        assert isinstance(batch, Box)
        assert batch.shape == (n, *space.shape)
        assert batch.dtype == space.dtype
        assert np.array_equal(batch.low[0], space.start)
        assert np.array_equal(batch.high[0], space.start + (space.nvec - 1))
        assert batch.sample() in batch

    def test_concatenated_elements_are_in_the_batched_space(self, space: MultiDiscrete[Any], n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        out = ops.create_empty_array(space, n)

        batch = ops.concatenate(space, xs, out)

        assert batch is out
        assert batch in ops.batch_space(space, n)

    def test_iterate_reverses_concatenate(self, space: MultiDiscrete[Any], n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        batch = ops.concatenate(space, xs, ops.create_empty_array(space, n))

        rows = list(ops.iterate(ops.batch_space(space, n), batch))

        assert all(np.array_equal(a, b) for a, b in zip(rows, xs, strict=True))

    def test_batching_does_not_use_the_generator(self, space: MultiDiscrete[Any], n: int) -> None:
        twin = copy.deepcopy(space)

        ops.batch_space(space, n).sample()

        assert np.array_equal(space.sample(), twin.sample())

    def test_spaces_of_the_same_class_are_batched(self, space: MultiDiscrete[Any], n: int) -> None:
        assert ops.batch_differing_spaces([space] * n) == ops.batch_space(space, n)


class TestDifferingSpaces:
    def test_rows_have_the_choices_of_their_spaces(self) -> None:
        batch = ops.batch_differing_spaces([MultiDiscrete([3, 2]), MultiDiscrete([5, 1], start=[0, -1])])

        assert batch == Box(np.array([[0, 0], [0, -1]]), np.array([[2, 1], [4, -1]]), dtype=np.int64)

    @pytest.mark.parametrize("other", [MultiDiscrete([3]), MultiDiscrete([3, 2], np.int8)], ids=str)
    def test_different_shape_or_dtype_is_rejected(self, other: MultiDiscrete[Any]) -> None:
        with pytest.raises(
            ValueError, match=r"of the same shape and dtype, got \(2,\) int64 at index 0 and .* at index 1"
        ):
            ops.batch_differing_spaces([MultiDiscrete([3, 2]), other])


class TestRefusals:
    @pytest.mark.parametrize("x", [np.zeros(5), np.ones(5), np.array([1, 1, 0, 0, 0]), np.zeros(0)], ids=str)
    def test_invalid_one_hot_vector_cannot_be_unflattened(self, x: Any) -> None:
        with pytest.raises(
            ValueError, match=r"Cannot unflatten .* to MultiDiscrete\(\[3 2\]\): expected a one-hot vector"
        ):
            ops.unflatten(MultiDiscrete([3, 2]), x)

    @pytest.mark.parametrize("x", [[0, 2], [-1, 0], [3, 0], [0]], ids=str)
    def test_invalid_element_cannot_be_flattened(self, x: Any) -> None:
        with pytest.raises(ValueError, match="is not an element of MultiDiscrete"):
            ops.flatten(MultiDiscrete([3, 2]), np.array(x))

    def test_single_number_is_not_a_batch(self) -> None:
        with pytest.raises(TypeError, match="Cannot iterate over 2: a batch of MultiDiscrete"):
            ops.iterate(MultiDiscrete([3]), 2)

    @pytest.mark.parametrize(
        "other, equivalent",
        [
            (MultiDiscrete([9, 9], start=[1, 1]), True),
            (MultiDiscrete([3, 2], np.int8), False),
            (MultiDiscrete([3, 2, 2]), False),
            (Box(0, 1, (2,), np.int64), False),
        ],
        ids=str,
    )
    def test_equivalence_compares_shape_dtype_and_class(self, other: Any, equivalent: bool) -> None:
        assert ops.is_space_dtype_shape_equiv(MultiDiscrete([3, 2]), other) is equivalent


def test_rows_with_wrong_lengths_are_rejected_even_if_the_sum_fits() -> None:
    space: MultiDiscrete[Any] = MultiDiscrete([3, 2])

    with pytest.raises(
        ValueError, match=r"Expected arrays of shape \(2,\) for MultiDiscrete\(\[3 2\]\), got shapes \[\(1,\), \(3,\)"
    ):
        ops.concatenate(space, [np.zeros(3, int), np.zeros(1, int)], ops.create_empty_array(space, 2))


@pytest.mark.parametrize("vector", [[0, 0, 0, 1, 0], [1, 1, 0, 0, 0], [1, 0, 0, 1, 1]])
def test_vector_must_be_one_hot_for_each_element(vector: list[int]) -> None:
    with pytest.raises(ValueError, match="expected a one-hot vector for each of its elements"):
        ops.unflatten(MultiDiscrete([3, 2]), np.array(vector))
