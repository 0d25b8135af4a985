"""Tests of operations on Discrete, such as conversion to one-hot vectors and batching."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from gymkernel import ops
from gymkernel.spaces import Box, Discrete, MultiDiscrete
from gymkernel_util_spaces.codec import codec


class Suit(Discrete[Any]):
    """A subclass of Discrete with its own constructor."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(4, seed=seed, start=1)


SPACES = [
    Discrete(3, seed=1),
    Discrete(5, start=-2, seed=1),
    Discrete(1, start=7, dtype=np.uint8, seed=1),
    Discrete(255, dtype=np.uint8, seed=1),
    Discrete(127, start=-100, dtype=np.int8, seed=1),
    Discrete(3, start=2**63 - 3, seed=1),
    Discrete(2, start=2**64 - 2, dtype=np.uint64, seed=1),
    Suit(seed=1),
]
every_space = pytest.mark.parametrize("space", SPACES, ids=str)


@every_space
class TestSingle:
    def test_element_flattens_to_a_one_hot_vector(self, space: Discrete[Any]) -> None:
        flat = ops.flatten(space, space.start)

        assert flat[0] == flat.sum() == 1
        assert flat.shape == (ops.flatdim(space),) == (space.n,)

    def test_flattened_element_is_in_the_flattened_space(self, space: Discrete[Any]) -> None:
        flat = ops.flatten(space, space.sample())

        assert flat.dtype == space.dtype
        assert flat in ops.flatten_space(space)

    def test_unflatten_reverses_flatten(self, space: Discrete[Any]) -> None:
        x = space.sample()

        back = ops.unflatten(space, ops.flatten(space, x))

        assert back == x
        assert type(back) is space.dtype.type

    def test_decode_reverses_encode(self, space: Discrete[Any]) -> None:
        x = space.sample()
        arrays = [np.zeros(field.shape, field.dtype) for field in space.layout()]

        space.encode(x, arrays)

        assert space.decode(arrays) == x

    def test_element_nearest_to_zero_is_contained(self, space: Discrete[Any]) -> None:
        assert ops.create_zero_array(space) in space

    def test_space_is_equivalent_to_itself(self, space: Discrete[Any]) -> None:
        assert ops.is_space_dtype_shape_equiv(space, copy.deepcopy(space))


@every_space
@pytest.mark.parametrize("n", [1, 4])
class TestBatch:
    def test_batched_space_is_a_multi_discrete(self, space: Discrete[Any], n: int) -> None:
        batch = ops.batch_space(space, n)

        assert batch == MultiDiscrete([int(space.n)] * n, space.dtype, start=np.full(n, space.start))
        assert batch.sample() in batch

    def test_concatenated_elements_are_in_the_batched_space(self, space: Discrete[Any], n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        out = ops.create_empty_array(space, n)

        batch = ops.concatenate(space, xs, out)

        assert batch is out
        assert batch in ops.batch_space(space, n)

    def test_iterate_reverses_concatenate(self, space: Discrete[Any], n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        batch = ops.concatenate(space, xs, ops.create_empty_array(space, n))

        assert list(ops.iterate(ops.batch_space(space, n), batch)) == xs

    def test_batched_space_copies_the_generator(self, space: Discrete[Any], n: int) -> None:
        twin = copy.deepcopy(space)

        ops.batch_space(space, n).sample()

        assert space.sample() == twin.sample()


class TestDifferingSpaces:
    def test_each_space_keeps_its_count_and_start(self) -> None:
        batch = ops.batch_differing_spaces([Discrete(3), Discrete(5, start=-1)])

        assert batch == MultiDiscrete([3, 5], start=[0, -1])

    def test_common_dtype_holds_all_values(self) -> None:
        batch = ops.batch_differing_spaces([Discrete(3, dtype=np.int8), Discrete(5, start=1000, dtype=np.int16)])

        assert batch.dtype == np.int16

    def test_subclass_is_batched(self) -> None:
        assert ops.batch_differing_spaces([Suit(), Suit()]) == ops.batch_space(Suit(), 2)

    def test_counts_beyond_int64_are_supported(self) -> None:
        large: Discrete[Any] = Discrete(2**63 + 5, dtype=np.uint64)

        assert ops.batch_differing_spaces([large, large]).nvec.tolist() == [2**63 + 5] * 2


class TestRefusals:
    @pytest.mark.parametrize("x", [np.zeros(3), np.zeros(0)])
    def test_vector_without_a_one_cannot_be_unflattened(self, x: Any) -> None:
        with pytest.raises(ValueError, match=r"Cannot unflatten .*: Discrete\(3\) expects a one-hot vector"):
            ops.unflatten(Discrete(3), x)

    @pytest.mark.parametrize("x", [3, -1])
    def test_invalid_element_cannot_be_flattened(self, x: int) -> None:
        with pytest.raises(ValueError, match=rf"{x} is not an element of Discrete\(3\)"):
            ops.flatten(Discrete(3), x)

    def test_single_number_is_not_a_batch(self) -> None:
        with pytest.raises(
            TypeError, match="Cannot iterate over an element of a Discrete, because it is a single number, got 2"
        ):
            ops.iterate(Discrete(3), 2)

    @pytest.mark.parametrize(
        "other, equivalent",
        [(Discrete(9, start=3), True), (Discrete(3, dtype=np.int8), False), (Suit(), False), (Box(0, 1), False)],
    )
    def test_equivalence_compares_dtype_and_class(self, other: Any, equivalent: bool) -> None:
        assert ops.is_space_dtype_shape_equiv(Discrete(3), other) is equivalent


@pytest.mark.parametrize("x", [0, 63, 64, 99])
def test_unflattened_nested_part_has_the_dtype(x: int) -> None:
    whole = codec(Discrete(100, start=-7, dtype=np.int16))
    assert whole is not None

    back = whole.read(whole.flatten(np.int16(x - 7)))

    assert (type(back), back) == (np.int16, x - 7)
