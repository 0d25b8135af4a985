"""Tests of `OneOf`: construction, sampling and operations."""

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
from gymkernel.spaces import Box, OneOf, Space, Tuple, utils


class Word(Space[str]):
    """A third-party space without a layout."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return mask or "ab"[int(self.np_random.integers(2))]

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)


class Maybe(OneOf):
    """A subclass of OneOf with its own constructor."""

    def __init__(self, space: Any) -> None:
        super().__init__((space, Tuple(())))


dtypes = st.sampled_from(["f4", "f8", "i2", "u1", "?", "i8"])
shapes = st.sampled_from([(), (1,), (3,), (2, 2)])
boxes = st.builds(lambda shape, dtype: Box(0, 1, shape, np.dtype(dtype)), shapes, dtypes)
inner = st.one_of(boxes, st.lists(boxes, max_size=2).map(Tuple))
spaces = st.lists(st.one_of(inner, st.lists(inner, min_size=1, max_size=2).map(OneOf)), min_size=1, max_size=4).map(
    lambda parts: OneOf(parts, seed=1)
)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray | np.generic):
        return bool(np.array_equal(a, b)) and a.dtype == b.dtype and type(a) is type(b)
    return bool(a == b)


class TestConstruction:
    @pytest.mark.parametrize(
        "spaces, exception, message",
        [
            ((), ValueError, "at least one space, got none"),
            (5, TypeError, r"expects spaces, got 5 \(int\)"),
            ((Box(0, 1), 3), TypeError, r"at index 1, got 3 \(int\)"),
            ((Box,), TypeError, "at index 0"),
        ],
    )
    def test_invalid_arguments_are_rejected(self, spaces: Any, exception: Any, message: str) -> None:
        with pytest.raises(exception, match=message):
            OneOf(spaces)

    def test_inner_spaces_are_indexed(self) -> None:
        space = OneOf(iter([Box(0, 1), Box(0, 2)]))

        assert len(space) == 2
        assert space[1] == Box(0, 2)
        assert space.spaces == (Box(0, 1), Box(0, 2))

    def test_repr_and_equality(self) -> None:
        low = "Box(0.0, 1.0, (1,), float32)"
        assert repr(OneOf([Box(0, 1), Tuple([Box(0, 1)])])) == f"OneOf({low}, Tuple({low}))"
        assert OneOf([Box(0, 1)]) == OneOf([Box(0, 1)])
        assert OneOf([Box(0, 1), Box(0, 2)]) != OneOf([Box(0, 2), Box(0, 1)])
        assert OneOf([Box(0, 1)]) != Tuple([Box(0, 1)])
        with pytest.raises(TypeError, match="unhashable"):
            hash(OneOf([Box(0, 1)]))


class TestSample:
    @given(spaces)
    def test_samples_and_examples_are_in_the_space(self, space: OneOf) -> None:
        assert all(x in space for x in [space.sample(), *space.examples()])
        assert type(space.sample()[0]) is np.int64

    def test_every_space_is_sampled(self) -> None:
        space = OneOf([Word(), Word(), Word()], seed=1)

        counts = np.bincount([space.sample()[0] for _ in range(300)])

        assert counts.min() > 60

    def test_weights_reach_the_chosen_space(self) -> None:
        space = OneOf([Word(), Word()], seed=1)

        assert {space.sample(mask=("x", "y")) for _ in range(20)} == {(0, "x"), (1, "y")}
        assert space.sample(probability=(None, None)) in space

    @pytest.mark.parametrize(
        "weights, message",
        [
            ({"mask": [None, None]}, "mask to be a tuple of length 2, got list"),
            ({"probability": (None,)}, "probability to be a tuple of length 2, got a tuple of 1"),
            ({"mask": (None, None), "probability": (None, None)}, "got both"),
        ],
    )
    def test_invalid_masks_and_probabilities_are_rejected(self, weights: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            OneOf([Word(), Word()]).sample(**weights)

    @given(spaces, st.one_of(st.none(), st.integers(0, 99)))
    def test_returned_seeds_can_be_reused(self, space: OneOf, seed: int | None) -> None:
        seeds = space.seed(seed)
        drawn = [space.sample() for _ in range(3)]

        assert space.seed(list(seeds)) == seeds
        assert same([space.sample() for _ in range(3)], drawn)

    def test_numpy_integers_are_valid_seeds(self) -> None:
        assert OneOf([Box(0, 1)]).seed(np.int64(3)) == OneOf([Box(0, 1)]).seed(3)

    @pytest.mark.parametrize("seed, exception", [((1,), ValueError), ("1", TypeError), (-1, error.Error)])
    def test_invalid_seeds_are_rejected(self, seed: Any, exception: type[Exception]) -> None:
        with pytest.raises(exception, match="Expected"):
            OneOf([Word()]).seed(seed)


class TestMembership:
    space = OneOf([Word(), Tuple([Word(), Word()])])

    @pytest.mark.parametrize("x", [(0, "a"), (np.int64(0), "a"), (np.int64(1), ("a", "b")), (1, ["a", "b"])], ids=repr)
    def test_pairs_of_index_and_element_are_contained(self, x: Any) -> None:
        assert x in self.space

    @pytest.mark.parametrize(
        "x", [(1, None), (0, np.ones(2)), (2, "a"), (-1, ("a", "b")), (0,), [0, "a"], "a", None, (0.0, "a")], ids=repr
    )
    def test_invalid_elements_are_not_contained(self, x: Any) -> None:
        assert x not in self.space


class TestKeeping:
    @given(spaces)
    def test_json_round_trip(self, space: OneOf) -> None:
        if "Tuple()" in repr(space):
            return  # the number of empty tuples is lost in JSON
        xs = [space.sample() for _ in range(4)]

        assert same(space.from_jsonable(json.loads(json.dumps(space.to_jsonable(xs)))), xs)

    def test_json_form_is_a_pair(self) -> None:
        space = OneOf([Box(0, 1, (2,)), Tuple([Box(0, 1), Box(0, 1)])])
        zero, one = np.zeros(2, np.float32), np.ones(1, np.float32)

        assert space.to_jsonable([(0, zero), (1, (one, one))]) == [[0, [0.0, 0.0]], [1, [[[1.0]], [[1.0]]]]]

    @given(spaces)
    def test_pickles_and_copies_continue_the_stream(self, space: OneOf) -> None:
        twins = [pickle.loads(pickle.dumps(space)), copy.deepcopy(space)]
        x = space.sample()

        assert all(twin == space and same(twin.sample(), x) for twin in twins)

    @given(spaces)
    def test_description_round_trip(self, space: OneOf) -> None:
        assert utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space)))) == space


class TestOperations:
    @given(spaces)
    def test_flatten_round_trip(self, space: OneOf) -> None:
        for x in (space.sample(), *space.examples()):
            flat = ops.flatten(space, x)

            assert flat in ops.flatten_space(space)
            assert flat.shape == (ops.flatdim(space),)
            assert flat[0] == x[0]
            assert same(ops.unflatten(space, flat), (np.int64(x[0]), x[1]))

    def test_shorter_elements_are_padded_with_their_first_number(self) -> None:
        space = OneOf([Box(0, 9), Box(0, 9, (3,))])

        assert ops.flatten(space, (0, np.array([7], np.float32))).tolist() == [0, 7, 7, 7]

    def test_index_fits_the_dtype(self) -> None:
        space = OneOf([Box(0, 1, (), np.int8)] * 200)

        flat = ops.flatten(space, (199, np.int8(1)))

        assert flat.tolist() == [199, 1]
        assert flat in ops.flatten_space(space)

    def test_inner_space_without_a_vector_form_raises(self) -> None:
        space = OneOf([Word(), Box(0, 1)])
        for operation, arguments in ((ops.flatdim, ()), (ops.flatten, ((0, "a"),)), (ops.flatten_space, ())):
            with pytest.raises(ValueError, match="cannot flatten its elements to vectors"):
                operation(space, *arguments)
        assert space.layout() is None

    @given(spaces)
    def test_layout_lists_the_fields(self, space: OneOf) -> None:
        layout = space.layout()
        assert layout is not None
        for x in space.examples():
            arrays = [np.ones(field.shape, field.dtype) for field in layout]

            space.encode(x, arrays)

            assert same(space.decode(arrays), x)

    @given(spaces, st.integers(1, 3))
    def test_batches_are_tuples(self, space: OneOf, n: int) -> None:
        xs = [space.sample() for _ in range(n)]
        batched = ops.batch_space(space, n)

        batch = ops.concatenate(space, iter(xs), ops.create_empty_array(space, n))

        assert isinstance(batched, Tuple)
        assert batch in batched
        assert batched.sample() in batched
        assert same(list(ops.iterate(batched, batch)), xs)
        assert ops.create_empty_array(space, n) == ((),) * n
        assert ops.create_zero_array(space) in space
        assert ops.batch_differing_spaces([space] * n) == batched

    def test_equivalence_compares_structure(self) -> None:
        space = OneOf([Box(0, 1), Box(0, 1, (2,))])

        assert ops.is_space_dtype_shape_equiv(space, OneOf([Box(0, 9), Box(0, 1, (2,))]))
        assert not ops.is_space_dtype_shape_equiv(space, OneOf([Box(0, 1)]))
        assert not ops.is_space_dtype_shape_equiv(space, Tuple(space.spaces))

    def test_single_element_is_not_a_batch(self) -> None:
        with pytest.raises(error.CustomSpaceError, match="its elements are not batches"):
            ops.iterate(OneOf([Word()]), (0, "a"))

    def test_subclass_supports_every_operation(self) -> None:
        space = Maybe(Box(0, 1, (3,)))

        assert ops.flatten(space, (1, ())).tolist() == [1, 0, 0, 0]
        assert same(ops.unflatten(space, ops.flatten(space, (1, ()))), (np.int64(1), ()))
        assert isinstance(ops.batch_differing_spaces([space, Maybe(Box(0, 1))]), Tuple)
