"""Tests of sampling from Box, for all dtypes and kinds of bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error, ops
from gymkernel.spaces import Box

FLOATS = ("f2", "f4", "f8")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
SHAPES = ((), (1,), (3,), (13,), (2, 2), (0,), (2, 0), (1, 3, 1))


@st.composite
def boxes(draw: Any) -> Box[Any]:
    """Generate Boxes of all dtypes, with all combinations of finite and infinite bounds."""
    dtype = np.dtype(draw(st.sampled_from((*FLOATS, *INTEGERS, "?"))))
    shape = draw(st.sampled_from(SHAPES))
    seed = draw(st.integers(0, 2**32))
    if dtype.kind == "f":
        numbers: Any = st.floats(width=8 * dtype.itemsize, allow_nan=False, allow_infinity=False)
    else:
        least, most = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        numbers = st.integers(least, most) | st.sampled_from((least, most, most - 1, 0))
    size = math.prod(shape)
    pairs = [sorted(draw(st.tuples(numbers, numbers))) for _ in range(size)]
    low, high = (np.array([pair[side] for pair in pairs], dtype).reshape(shape) for side in (0, 1))
    if dtype.kind == "f":
        low = np.where(draw(masks(shape)), low, -np.inf).astype(dtype)
        high = np.where(draw(masks(shape)), high, np.inf).astype(dtype)
        return Box(low, high, dtype=dtype, seed=seed)
    endless = dtype.kind == "i" and draw(st.sampled_from(("", "low", "high", "both")))
    return Box(
        -np.inf if endless in {"low", "both"} else low,
        np.inf if endless in {"high", "both"} else high,
        shape,
        dtype,
        seed,
    )


def masks(shape: tuple[int, ...]) -> Any:
    size = math.prod(shape)
    return st.lists(st.booleans(), min_size=size, max_size=size).map(lambda bits: np.array(bits, bool).reshape(shape))


class TestLaws:
    @given(boxes())
    def test_sample_is_an_array_in_the_space(self, space: Box[Any]) -> None:
        for _ in range(3):
            x = space.sample()
            assert isinstance(x, np.ndarray)
            assert x.dtype == space.dtype
            assert x in space

    @given(boxes(), st.integers(0, 2**63))
    def test_equal_seeds_give_equal_samples(self, space: Box[Any], seed: int) -> None:
        assert space.seed(seed) == seed
        first = [space.sample() for _ in range(3)]
        space.seed(seed)

        assert all(np.array_equal(x, space.sample()) for x in first)

    @given(boxes(), st.integers(1, 4))
    def test_batched_sample_equals_a_batch_of_samples(self, space: Box[Any], n: int) -> None:
        batch = ops.batch_space(space, n)

        x = batch.sample()

        assert x in batch
        assert all(np.asarray(row, space.dtype) in space for row in x)

    @given(boxes())
    def test_examples_are_in_the_space_and_do_not_use_its_generator(self, space: Box[Any]) -> None:
        before = space.np_random.bit_generator.state

        assert all(x in space for x in space.examples())
        assert space.np_random.bit_generator.state == before


class TestGenerator:
    def test_generator_is_used_without_copying(self) -> None:
        generator = np.random.default_rng(5)

        assert Box(0, 1, seed=generator).np_random is generator

    @pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7), np.array(7)])
    def test_numpy_integers_are_valid_seeds(self, seed: Any) -> None:
        expected = Box(0, 1, seed=7).sample()

        assert np.array_equal(Box(0, 1, seed=seed).sample(), expected)

    @pytest.mark.parametrize("seed", [-1, 1.5, "7"])
    def test_invalid_seed_is_rejected(self, seed: Any) -> None:
        with pytest.raises(error.Error, match="Expected the seed to be an integer >= 0"):
            Box(0, 1, seed=seed)

    def test_random_seed_can_be_reused(self) -> None:
        space: Box[Any] = Box(0, 1)
        seed = space.seed()
        x = space.sample()

        space.seed(seed)

        assert np.array_equal(space.sample(), x)


class TestDistribution:
    """Tests of the distributions, with 2000 samples each."""

    N = 2000

    def draw(self, low: float, high: float, dtype: Any = np.float64) -> Any:
        return Box(low, high, (self.N,), dtype, seed=0).sample()

    def test_bounded_elements_are_uniform(self) -> None:
        x = self.draw(-1, 3)

        assert x.mean() == pytest.approx(1, abs=0.1)
        assert x.min() < -0.9
        assert x.max() > 2.9

    def test_lower_bounded_elements_are_exponential(self) -> None:
        assert self.draw(5, np.inf).mean() == pytest.approx(6, abs=0.1)

    def test_upper_bounded_elements_are_exponential(self) -> None:
        assert self.draw(-np.inf, 5).mean() == pytest.approx(4, abs=0.1)

    def test_unbounded_elements_are_normal(self) -> None:
        x = self.draw(-np.inf, np.inf)

        assert (x.mean(), x.std()) == (pytest.approx(0, abs=0.1), pytest.approx(1, abs=0.1))

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
    def test_every_integer_in_the_range_is_drawn(self, dtype: Any) -> None:
        assert set(self.draw(3, 6, dtype).tolist()) == {3, 4, 5, 6}

    def test_both_booleans_are_drawn(self) -> None:
        assert self.draw(0, 1, bool).mean() == pytest.approx(0.5, abs=0.1)

    def test_upper_half_of_uint64_is_drawn(self) -> None:  # unlike Gymnasium, which only samples 0 (D14)
        x = self.draw(0, 2**64 - 1, np.uint64)

        assert (x >= 2**63).mean() == pytest.approx(0.5, abs=0.1)

    @pytest.mark.parametrize("dtype", [np.int64, np.uint64])
    def test_range_at_the_end_of_a_dtype_does_not_overflow(self, dtype: Any) -> None:
        top = int(np.iinfo(dtype).max)

        x = self.draw(top - 1, top, dtype)

        assert set(x.tolist()) <= {top - 1, top}

    def test_range_wider_than_the_largest_float_works(self) -> None:
        most = np.finfo(np.float64).max

        x = self.draw(-most, most)

        assert np.isfinite(x).all()
        assert (x > 0).mean() == pytest.approx(0.5, abs=0.1)

    def test_equal_bounds_allow_one_number(self) -> None:
        assert set(self.draw(2, 2)) == {2}


class TestMany:
    def test_sample_many_equals_single_samples(self) -> None:
        space: Box[Any] = Box(0, 9, (2,), np.int8, seed=1)

        batch = space.sample_n(5)

        assert batch.shape == (5, 2)
        assert batch in ops.batch_space(space, 5)

    def test_zero_samples_can_be_drawn(self) -> None:
        assert Box(0, 1, (2,)).sample_n(0).shape == (0, 2)

    def test_negative_number_of_samples_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="number of elements to be an integer >= 0, got -1"):
            Box(0, 1).sample_n(-1)


@pytest.mark.parametrize("size", [2**15, 2**15 + 1, 3 * 2**15, 100_003])
@pytest.mark.parametrize("low, high, dtype", [(0, 255, "u1"), (-1, 1, "f4"), (0, 3, "f8"), (-0.5, 7, "f8")])
def test_large_box_draws_the_same_numbers_as_small_boxes(size: int, low: float, high: float, dtype: str) -> None:
    large, one = Box(low, high, (size,), dtype, seed=5), Box(low, high, (1,), dtype, seed=5)

    drawn = large.sample()

    assert drawn.tolist() == one.sample_n(size)[:, 0].tolist()
    assert large.np_random.random() == one.np_random.random()
    assert (drawn.shape, drawn.dtype, drawn.flags.writeable) == ((size,), np.dtype(dtype), True)
