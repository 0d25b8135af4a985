"""Tests of `MultiBinary`: construction, sampling and operations."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error, ops
from gymkernel.spaces import Box, MultiBinary, Space, utils

shapes = st.one_of(st.integers(1, 20), st.lists(st.integers(1, 5), min_size=1, max_size=3))
spaces = st.builds(MultiBinary, shapes, st.integers(0, 99))


class Switches(MultiBinary):
    """A subclass of MultiBinary with its own `sample`."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return np.ones(self.shape, np.int8)


class TestConstruction:
    @pytest.mark.parametrize(
        "n, shape, kept",
        [
            (3, (3,), 3),
            (np.int64(3), (3,), 3),
            ([2, 3], (2, 3), (2, 3)),
            ((4,), (4,), (4,)),
            (np.array([1, 2]), (1, 2), (1, 2)),
        ],
    )
    def test_n_is_a_number_or_a_shape(self, n: Any, shape: tuple[int, ...], kept: Any) -> None:
        space = MultiBinary(n)

        assert (space.shape, space.n, space.dtype) == (shape, kept, np.int8)
        assert type(space.n) is type(kept)

    @pytest.mark.parametrize("n", [0, -1, [2, 0], 2.0, [2.5], "23", None, np.array(2.0)], ids=repr)
    def test_invalid_n_is_rejected(self, n: Any) -> None:
        with pytest.raises(ValueError, match="expects a positive integer or a sequence of positive integers"):
            MultiBinary(n)

    def test_shape_can_be_empty(self) -> None:
        assert MultiBinary(()).sample() in MultiBinary(())

    def test_zero_dimensional_elements_are_arrays_also_from_a_batch(self) -> None:
        space = MultiBinary(())
        x = space.sample()
        array = np.zeros((), np.int8)
        space.encode(x, [array])

        assert type(space.decode([array])) is type(x) is np.ndarray
        assert all(np.int8(value) in space for value in (0, 1))
        assert np.int8(2) not in space
        assert np.int8(1) not in MultiBinary(1)

    def test_repr_and_equality(self) -> None:
        assert repr(MultiBinary(3)) == "MultiBinary(3)"
        assert repr(MultiBinary([2, 3])) == "MultiBinary((2, 3))"
        assert MultiBinary(3) == MultiBinary(np.int8(3))
        assert MultiBinary(3) != MultiBinary([3])
        assert MultiBinary(3) != Box(0, 1, (3,), np.int8)
        with pytest.raises(TypeError, match="unhashable"):
            hash(MultiBinary(3))


class TestSample:
    @given(spaces)
    def test_samples_and_examples_are_in_the_space(self, space: MultiBinary) -> None:
        assert all(x in space and x.dtype == np.int8 for x in [space.sample(), *space.examples()])

    @given(spaces, st.integers(0, 5))
    def test_batch_is_drawn_in_one_call(self, space: MultiBinary, n: int) -> None:
        batch = space.sample_n(n)

        assert batch.shape == (n, *space.shape)
        assert set(np.unique(batch)) <= {0, 1}

    def test_subclass_with_its_own_draw_draws_batches_with_it(self) -> None:
        assert Switches(3).sample_n(50).all()

    @pytest.mark.parametrize("n", [-1, 1.5, "1"])
    def test_batch_size_must_be_an_integer(self, n: Any) -> None:
        with pytest.raises(ValueError, match=r"an integer >= 0, got"):
            MultiBinary(3).sample_n(n)

    @given(spaces, st.integers(0, 99))
    def test_mask_fixes_elements(self, space: MultiBinary, seed: int) -> None:
        mask = np.random.default_rng(seed).integers(0, 3, space.shape, np.int8)

        x = space.sample(mask=mask)

        assert x in space
        assert (x[mask < 2] == mask[mask < 2]).all()

    def test_probabilities_weight_elements(self) -> None:
        space = MultiBinary(4, seed=1)

        drawn = [space.sample(probability=np.array([0.0, 1.0, 0.9, 0.1])) for _ in range(200)]

        share = np.mean(drawn, axis=0)
        assert share[0] == 0
        assert share[1] == 1
        assert share[2] > 0.8
        assert share[3] < 0.2

    @pytest.mark.parametrize(
        "weights",
        [
            {"mask": [0, 1, 2]},
            {"mask": np.zeros(3)},
            {"mask": np.zeros(4, np.int8)},
            {"mask": np.full(3, 3, np.int8)},
            {"mask": np.full(3, -1, np.int8)},
            {"probability": np.ones(3, np.int8)},
            {"probability": np.full(3, 1.5)},
            {"probability": np.full(3, np.nan)},
            {"probability": np.full((1, 3), 0.5)},
            {"mask": np.zeros(3, np.int8), "probability": np.zeros(3)},
        ],
        ids=repr,
    )
    def test_invalid_masks_and_probabilities_are_rejected(self, weights: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"Expected|got both"):
            MultiBinary(3).sample(**weights)

    def test_equal_seeds_give_equal_streams(self) -> None:
        a, b = MultiBinary(9), MultiBinary(9)

        assert a.seed(np.int64(5)) == b.seed(5) == 5
        assert np.array_equal(a.sample(), b.sample())
        with pytest.raises(error.Error, match="integer >= 0"):
            a.seed(-1)


class TestMembership:
    @pytest.mark.parametrize(
        "x",
        [[0, 1, 1], (0, 1, 1), np.array([0, 1, 1]), np.array([0, 1, 1], bool), np.array([0.0, 1, 0]), np.ones(3, "u1")],
        ids=repr,
    )
    def test_zeros_and_ones_of_any_dtype_are_contained(self, x: Any) -> None:
        assert x in MultiBinary(3)

    @pytest.mark.parametrize(
        "x",
        [
            [0, 1],
            [0, 1, 2],
            [0, [1], 0],
            "011",
            None,
            3,
            np.array([0, 1, -1], np.int8),
            np.array([0, 1, 2], np.uint8),
            np.array([0, 1, 257]),
            np.array([0.5, 1, 0]),
            np.array(["0", "1", "1"]),
            np.zeros((3, 1)),
        ],
        ids=repr,
    )
    def test_invalid_elements_are_not_contained(self, x: Any) -> None:
        assert x not in MultiBinary(3)

    @given(spaces, st.integers(-2, 3))
    def test_large_and_small_spaces_agree(self, space: MultiBinary, value: int) -> None:
        assert (np.full(space.shape, value, np.int8) in space) == (value in {0, 1})


class TestKeeping:
    @given(spaces)
    def test_json_round_trip(self, space: MultiBinary) -> None:
        xs = [space.sample() for _ in range(3)]

        back = space.from_jsonable(json.loads(json.dumps(space.to_jsonable(xs))))

        assert all(np.array_equal(a, b) and b.dtype == np.int8 for a, b in zip(xs, back, strict=True))

    @given(spaces)
    def test_pickles_and_copies_continue_the_stream(self, space: MultiBinary) -> None:
        twins = [pickle.loads(pickle.dumps(space)), copy.deepcopy(space)]
        x = space.sample()

        assert all(twin == space and np.array_equal(twin.sample(), x) for twin in twins)

    @given(spaces)
    def test_description_round_trip(self, space: MultiBinary) -> None:
        spec = json.loads(json.dumps(utils.space_to_spec(space)))

        assert utils.space_from_spec(spec) == space

    def test_description_is_limited_in_size(self) -> None:
        with pytest.raises(ValueError, match="max_size"):
            utils.space_from_spec({"version": 1, "space": {"kind": "MultiBinary", "n": [10**6, 10**6]}})


class TestOperations:
    @given(spaces)
    def test_flatten_round_trip(self, space: MultiBinary) -> None:
        x = space.sample()
        flat = ops.flatten(space, x)

        assert flat in ops.flatten_space(space)
        assert flat.shape == (ops.flatdim(space),)
        assert not np.shares_memory(flat, x)
        assert np.array_equal(ops.unflatten(space, flat), x)
        assert ops.unflatten(space, flat.astype(float)).dtype == np.int8

    @given(spaces)
    def test_layout_lists_the_fields(self, space: MultiBinary) -> None:
        arrays = [np.zeros(field.shape, field.dtype) for field in space.layout()]
        x = space.sample()

        space.encode(x, arrays)

        assert np.array_equal(space.decode(arrays), x)

    @given(spaces, st.integers(1, 4))
    def test_batches_are_concatenated_and_iterated(self, space: MultiBinary, n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        batched = ops.batch_space(space, n)

        batch = ops.concatenate(space, iter(xs), ops.create_empty_array(space, n))

        assert isinstance(batched, Box)
        assert batch in batched
        assert batched.sample() in batched
        assert all(np.array_equal(a, b) for a, b in zip(ops.iterate(batched, batch), xs, strict=True))
        assert ops.batch_differing_spaces([space] * n) == batched
        assert ops.create_zero_array(space) in space

    def test_rows_with_wrong_lengths_are_rejected_even_if_the_sum_fits(self) -> None:
        space = MultiBinary(2)

        with pytest.raises(
            ValueError, match=r"Expected arrays of shape \(2,\) for MultiBinary\(2\), got shapes \[\(1,\), \(3,\)\]"
        ):
            ops.concatenate(space, [np.zeros(3, np.int8), np.zeros(1, np.int8)], ops.create_empty_array(space, 2))

    def test_batched_spaces_have_their_own_generators(self) -> None:
        space = MultiBinary(6, seed=3)

        first, second = ops.batch_space(space, 2), ops.batch_space(space, 2)

        assert np.array_equal(first.sample(), second.sample())
        assert first.np_random is not space.np_random

    def test_equivalence_compares_shape_and_class(self) -> None:
        assert ops.is_space_dtype_shape_equiv(MultiBinary(3), MultiBinary(3))
        assert not ops.is_space_dtype_shape_equiv(MultiBinary(3), MultiBinary(4))
        assert not ops.is_space_dtype_shape_equiv(MultiBinary(3), Box(0, 1, (3,), np.int8))
        with pytest.raises(ValueError, match=r"the same shape, got \(3,\) at index 0 and \(4,\) at index 1"):
            ops.batch_differing_spaces([MultiBinary(3), MultiBinary(4)])

    def test_iterating_over_a_non_batch_raises(self) -> None:
        with pytest.raises(TypeError, match="Cannot iterate over 3"):
            ops.iterate(MultiBinary(3), 3)

    def test_subclass_supports_every_operation(self) -> None:
        space = Switches(3)

        assert ops.flatten(space, space.sample()) in ops.flatten_space(space)
        assert isinstance(ops.batch_space(space, 2), Box)
        assert isinstance(space, Space)
