"""Tests of `MultiDiscrete`: construction, membership, sampling and pickling."""

from __future__ import annotations

import copy
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error
from gymkernel.spaces import Box, MultiDiscrete, Space, utils

DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
SHAPES = ((), (1,), (3,), (2, 3), (0,), (2, 1, 2))


@st.composite
def multi_discretes(draw: Any) -> MultiDiscrete[Any]:
    """Generate MultiDiscrete spaces of all dtypes and of many shapes, with and without `start`."""
    dtype, shape = np.dtype(draw(st.sampled_from(DTYPES))), draw(st.sampled_from(SHAPES))
    least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    starts, counts = [], []
    for _ in range(math.prod(shape)):
        first = draw(st.integers(least, most) | st.sampled_from((0, least, most)))
        room = min(most - first + 1, most)
        starts.append(first)
        counts.append(draw(st.integers(1, min(room, 9)) | st.integers(1, room)))
    start, nvec = (np.array(numbers, dtype).reshape(shape) for numbers in (starts, counts))
    return MultiDiscrete(nvec, dtype, draw(st.integers(0, 2**32)), start)


class TestConstruction:
    def test_default_arguments(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([3, 2])

        assert (space.shape, space.dtype, space.start.tolist()) == ((2,), np.int64, [0, 0])

    def test_counts_can_have_any_shape(self) -> None:
        assert MultiDiscrete([[3, 2], [4, 5]]).shape == (2, 2)

    def test_counts_and_starts_have_the_dtype(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([3], np.uint8, start=[2])

        assert space.nvec.dtype == space.start.dtype == np.uint8

    def test_arrays_of_the_caller_are_copied(self) -> None:
        nvec, start = np.array([3, 2]), np.array([1, 1])

        space: MultiDiscrete[Any] = MultiDiscrete(nvec, start=start)
        nvec[0], start[0] = 9, 9

        assert (space.nvec.tolist(), space.start.tolist()) == ([3, 2], [1, 1])

    def test_integral_floats_are_valid_counts(self) -> None:
        assert MultiDiscrete(np.array([3.0])) == MultiDiscrete([3])

    def test_space_is_flattenable(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([3])

        assert isinstance(space, Space)
        assert space.is_np_flattenable is True

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"nvec": [2.5]}, r"nvec to be integers within the range of int64, got \[2.5\]"),
            ({"nvec": [np.nan]}, "nvec to be integers within the range of int64"),
            ({"nvec": "ab"}, "nvec to be integers within the range of int64, got 'ab'"),
            ({"nvec": None}, "nvec to be integers within the range of int64, got None"),
            ({"nvec": [True]}, "nvec to be integers within the range of int64"),
            ({"nvec": [300], "dtype": np.uint8}, r"nvec to be integers within the range of uint8, got \[300\]"),
            ({"nvec": [3, 0]}, r"expects nvec to be positive, got nvec=\[3 0\]"),
            ({"nvec": [-1]}, r"expects nvec to be positive, got nvec=\[-1\]"),
            ({"nvec": [2], "dtype": np.float32}, "expects an integer dtype, got float32"),
            ({"nvec": [2], "dtype": None}, "expects an integer dtype, got None"),
            ({"nvec": [2, 2], "start": [1]}, r"start to have the shape of nvec, \(2,\), got \(1,\)"),
            ({"nvec": [2], "start": [0.5]}, r"start to be integers within the range of int64, got \[0.5\]"),
            ({"nvec": [2], "start": [-1], "dtype": np.uint8}, "start to be integers within the range of uint8"),
            ({"nvec": [200], "start": [100], "dtype": np.uint8}, r"the range of uint8, got start=\[100\]"),
            ({"nvec": 2, "start": 2**63 - 1}, r"start \+ nvec - 1 to be within the range of int64"),
        ],
    )
    def test_invalid_arguments_raise_with_expected_and_actual(self, arguments: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            MultiDiscrete(**arguments)

    @pytest.mark.parametrize(
        "space, text",
        [
            (MultiDiscrete([3, 2]), "MultiDiscrete([3 2])"),
            (MultiDiscrete([3, 2], start=[0, 1]), "MultiDiscrete([3 2], start=[0 1])"),
            (MultiDiscrete([[3], [2]]), "MultiDiscrete([[3]\n [2]])"),
        ],
    )
    def test_repr_shows_nonzero_starts(self, space: MultiDiscrete[Any], text: str) -> None:
        assert repr(space) == text


class TestContains:
    @given(multi_discretes())
    def test_smallest_and_largest_values_are_contained(self, space: MultiDiscrete[Any]) -> None:
        assert np.asarray(space.start) in space
        assert np.asarray(space.start + (space.nvec - 1)) in space

    def test_neighbours_of_the_range_are_not_contained(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([3, 2], start=[-1, 5])

        assert np.array([1, 6]) in space
        assert np.array([2, 6]) not in space
        assert np.array([1, 4]) not in space

    @pytest.mark.parametrize("x", [[1, 0], (1, 0), [True, False], np.array([1, 0], np.int8)], ids=str)
    def test_arrays_and_sequences_of_integers_are_contained(self, x: Any) -> None:
        assert x in MultiDiscrete([3, 2])

    @pytest.mark.parametrize(
        "x",
        [
            [3, 0],
            [1.0, 0],
            [1],
            [[1], [0, 1]],
            "10",
            None,
            1,
            {0: 1},
            np.array([2.0, 0]),
            np.array([1, 0], np.uint64),
            np.array([[1, 0]]),
            np.array([1, None]),
        ],
        ids=repr,
    )
    def test_other_values_are_not_contained(self, x: Any) -> None:
        assert x not in MultiDiscrete([3, 2])

    def test_numbers_near_the_dtype_limits_do_not_overflow(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([100], np.int8, start=[28])

        assert np.array([127], np.int8) in space
        assert np.array([-128], np.int8) not in space


class TestSample:
    @given(multi_discretes())
    def test_sample_is_an_array_in_the_space(self, space: MultiDiscrete[Any]) -> None:
        x = space.sample()

        assert isinstance(x, np.ndarray)
        assert x.dtype == space.dtype
        assert x in space

    @given(multi_discretes())
    def test_examples_are_in_the_space(self, space: MultiDiscrete[Any]) -> None:
        assert all(x in space for x in space.examples())

    @given(multi_discretes(), st.integers(0, 2**63))
    def test_equal_seeds_give_equal_samples(self, space: MultiDiscrete[Any], seed: int) -> None:
        assert space.seed(seed) == seed
        first = space.sample()
        space.seed(seed)

        assert np.array_equal(space.sample(), first)

    def test_every_element_is_drawn(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([2, 2], start=[0, 3], seed=0)

        assert {tuple(space.sample().tolist()) for _ in range(60)} == {(0, 3), (0, 4), (1, 3), (1, 4)}

    def test_generator_is_used_without_copying(self) -> None:
        generator = np.random.default_rng(5)

        assert MultiDiscrete([3], seed=generator).np_random is generator

    def test_numpy_integers_are_valid_seeds(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([99], seed=np.int64(3))  # type: ignore[arg-type]

        assert space.sample() == MultiDiscrete([99], seed=3).sample()

    def test_negative_seed_is_rejected(self) -> None:
        with pytest.raises(error.Error, match="the seed to be an integer >= 0, got -1"):
            MultiDiscrete([3], seed=-1)

    @given(multi_discretes(), st.integers(0, 4))
    def test_sample_many_equals_repeated_samples(self, space: MultiDiscrete[Any], n: int) -> None:
        twin = copy.deepcopy(space)

        batch = space.sample_n(n)

        assert batch.shape == (n, *space.shape)
        assert all(np.array_equal(row, twin.sample()) for row in batch)


class TestWeights:
    def test_mask_allows_the_marked_values(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([3, 2], start=[10, 0], seed=1)
        mask = (np.array([0, 0, 1], np.int8), np.array([1, 0], np.int8))

        assert space.sample(mask=mask).tolist() == [12, 0]

    def test_empty_mask_gives_the_start(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([3], start=[5])

        assert space.sample(mask=(np.zeros(3, np.int8),)).tolist() == [5]

    def test_weights_are_nested_like_the_counts(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([[2], [3]], seed=1)
        probability = ((np.array([0.0, 1.0]),), (np.array([0.0, 0.0, 1.0]),))

        assert space.sample(probability=probability).tolist() == [[1], [2]]

    def test_starts_beyond_2_53_are_exact(self) -> None:
        start = 2**63 + 1
        space: MultiDiscrete[Any] = MultiDiscrete([2], np.uint64, start=np.array([start], np.uint64))

        assert space.sample(mask=(np.array([0, 1], np.int8),)).tolist() == [start + 1]

    @pytest.mark.parametrize(
        "weights, message",
        [
            ({"mask": [np.ones(3, np.int8)] * 2}, "mask tuple of length 2 for .*, got list"),
            ({"mask": (np.ones(3, np.int8),)}, "mask tuple of length 2 for .*, got a tuple of 1"),
            ({"mask": (np.ones(3, np.int8), np.ones(3, np.int8))}, r"mask to be an array of int8 of shape \(2,\)"),
            ({"mask": (np.ones(3), np.ones(2))}, r"mask to be an array of int8 of shape \(3,\), got float64"),
            ({"mask": (np.full(3, 2, np.int8), np.ones(2, np.int8))}, "Expected a mask of 0 and 1"),
            ({"probability": (np.ones(3), np.ones(2))}, r"Expected probabilities in \[0, 1\] whose sum is 1"),
            ({"mask": (), "probability": ()}, "a mask or a probability, got both"),
        ],
    )
    def test_invalid_arguments_raise_with_expected_and_actual(self, weights: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            MultiDiscrete([3, 2]).sample(**weights)


class TestParts:
    def test_slice_is_a_multi_discrete_with_the_same_generator_state(self) -> None:
        space: MultiDiscrete[Any] = MultiDiscrete([[3, 2], [5, 4]], start=[[1, 2], [3, 4]], seed=1)

        part = space[0]

        assert part == MultiDiscrete([3, 2], start=[1, 2])
        assert part.np_random.bit_generator.state == space.np_random.bit_generator.state
        assert part.np_random is not space.np_random

    def test_length_is_the_number_of_elements(self) -> None:
        assert len(MultiDiscrete([3, 2])) == 2

    def test_length_of_a_multidimensional_space_warns(self) -> None:
        with pytest.warns(
            UserWarning, match=r"The length of a MultiDiscrete of shape \(1, 2\) is that of its first axis"
        ):
            assert len(MultiDiscrete([[3, 2]])) == 1


class TestEquality:
    def test_equality_compares_counts_starts_and_dtype(self) -> None:
        assert MultiDiscrete([3, 2], seed=1) == MultiDiscrete([3, 2], start=[0, 0], seed=2)

    @pytest.mark.parametrize(
        "other",
        [
            MultiDiscrete([3, 3]),
            MultiDiscrete([3]),
            MultiDiscrete([[3, 2]]),
            MultiDiscrete([3, 2], start=[0, 1]),
            MultiDiscrete([3, 2], np.int32),
            Box(0, np.array([2, 1]), dtype=np.int64),
            [3, 2],
        ],
    )
    def test_different_spaces_are_not_equal(self, other: object) -> None:
        assert MultiDiscrete([3, 2]) != other

    def test_space_is_not_hashable(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(MultiDiscrete([3]))


class TestCopies:
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
    @given(space=multi_discretes())
    def test_copy_is_equal_and_continues_the_stream(self, duplicate: Any, space: MultiDiscrete[Any]) -> None:
        space.sample()

        twin = duplicate(space)

        assert twin == space
        assert twin.np_random is not space.np_random
        assert np.array_equal(twin.sample(), space.sample())

    def test_old_pickle_without_start_begins_at_zero(self) -> None:
        space: MultiDiscrete[Any] = object.__new__(MultiDiscrete)

        space.__setstate__({"nvec": np.array([3, 2]), "shape": (2,), "dtype": np.dtype(np.int64), "np_random": None})

        assert space == MultiDiscrete([3, 2])
        assert space.sample() in space


class TestJson:
    @given(multi_discretes())
    def test_elements_survive_a_json_round_trip(self, space: MultiDiscrete[Any]) -> None:
        elements = [space.sample(), space.sample()]

        back = space.from_jsonable(json.loads(json.dumps(space.to_jsonable(elements))))

        assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(elements, back, strict=True))

    @given(multi_discretes())
    def test_multi_discrete_survives_a_json_round_trip(self, space: MultiDiscrete[Any]) -> None:
        assert utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space)))) == space


class TestChangedArrays:
    """Tests that programs may modify `nvec` and `start`."""

    @pytest.fixture
    def space(self) -> MultiDiscrete[Any]:
        space: MultiDiscrete[Any] = MultiDiscrete([9, 9], seed=1, start=[0, 1])
        assert space.contains(space.sample())
        return space

    def test_samples_follow_the_counts(self, space: MultiDiscrete[Any]) -> None:
        space.nvec[:] = 1

        assert [space.sample().tolist() for _ in range(3)] == [[0, 1]] * 3

    def test_samples_follow_other_counts(self, space: MultiDiscrete[Any]) -> None:
        space.nvec = np.ones(2, np.int64)

        assert [space.sample().tolist() for _ in range(3)] == [[0, 1]] * 3

    def test_membership_follows_the_counts(self, space: MultiDiscrete[Any]) -> None:
        space.nvec[:] = 2

        assert (np.array([1, 2]) in space, np.array([2, 1]) in space) == (True, False)

    def test_membership_follows_the_starts(self, space: MultiDiscrete[Any]) -> None:
        space.start[:] = 5

        assert (np.array([13, 5]) in space, np.array([4, 5]) in space) == (True, False)

    def test_equality_follows_the_counts(self, space: MultiDiscrete[Any]) -> None:
        other = copy.deepcopy(space)
        equal = space == other
        other.nvec[0] = 8

        assert equal
        assert space != other
