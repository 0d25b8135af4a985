"""Tests of `Sequence`: construction, sampling and operations."""

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
from gymkernel.spaces import Field, Sequence, Space, Tuple, utils


class Point(Space[np.ndarray[Any, Any]]):
    """A third-party space of arrays, which has a layout and can be batched."""

    def __init__(self, seed: int | None = None, rows: int | None = None) -> None:
        super().__init__((2,) if rows is None else (rows, 2), np.float32, seed)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return np.ones(2, np.float32) if mask == "ones" else self.np_random.random(2).astype(np.float32)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == (2,) and bool(((x >= 0) & (x <= 1)).all())

    def to_jsonable(self, sample_n: Any) -> Any:
        return [x.tolist() for x in sample_n]

    def from_jsonable(self, sample_n: Any) -> Any:
        return [np.array(x, np.float32) for x in sample_n]

    def layout(self) -> Any:
        return (Field.of(np.float32, (2,)),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and other.shape == self.shape

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Point()"


class Word(Space[str]):
    """A third-party space without a layout."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "ab"[int(self.np_random.integers(2))]

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word)

    __hash__ = None  # type: ignore[assignment]


@ops.batch_space.register(Point)
def _batch(space: Point, n: int = 1) -> Point:
    return Point(rows=n)


@ops.iterate.register(Point)
def _iterate(space: Point, items: Any) -> Any:
    return iter(items)


@ops.concatenate.register(Point)
def _concatenate(space: Point, items: Any, out: Any) -> Any:
    out[...] = list(items)
    return out


@ops.create_empty_array.register(Point)
def _create_empty_array(space: Point, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn((n, 2), dtype=np.float32)


@ops.flatten_space.register(Point)
def _flatten_space(space: Point) -> Point:
    return Point()


FEATURES = [Point(), Word(), Tuple([Point(), Word()]), Sequence(Word()), Sequence(Point(), stack=True)]
each = pytest.mark.parametrize("feature", FEATURES, ids=["Point", "Word", "Tuple", "Sequence", "stacked"])
stacked = pytest.mark.parametrize("stack", [False, True], ids=["tuples", "stacked"])


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


class TestConstruction:
    @pytest.mark.parametrize("space", [3, None, Word])
    def test_argument_must_be_a_space(self, space: Any) -> None:
        with pytest.raises(TypeError, match="Sequence expects the space of its elements"):
            Sequence(space)

    def test_repr_and_equality(self) -> None:
        assert repr(Sequence(Point())) == "Sequence(Point(), stack=False)"
        assert Sequence(Point()) == Sequence(Point())
        assert Sequence(Point()) != Sequence(Point(), stack=True)
        assert Sequence(Point()) != Sequence(Word())
        with pytest.raises(TypeError, match="unhashable"):
            hash(Sequence(Word()))

    def test_only_stacked_sequences_have_a_batched_space(self) -> None:
        assert Sequence(Point(), stack=True).stacked_feature_space == Point(rows=1)
        assert not hasattr(Sequence(Point()), "stacked_feature_space")

    def test_notebook_shows_a_tree(self) -> None:
        assert "<b>feature_space</b>: <code>Point()</code>" in str(Sequence(Point())._repr_html_())


@each
@stacked
class TestLaws:
    def test_samples_and_examples_are_in_the_space(self, feature: Any, stack: bool) -> None:
        space = Sequence(feature, stack=stack, seed=1)

        assert all(x in space for x in [*(space.sample() for _ in range(9)), *space.examples()])

    def test_json_round_trip(self, feature: Any, stack: bool) -> None:
        space = Sequence(feature, stack=stack, seed=1)
        xs = [space.sample() for _ in range(3)]

        assert same(space.from_jsonable(json.loads(json.dumps(space.to_jsonable(xs)))), xs)

    def test_pickles_and_copies_continue_the_stream(self, feature: Any, stack: bool) -> None:
        space = Sequence(feature, stack=stack, seed=1)
        twins = [pickle.loads(pickle.dumps(space)), copy.deepcopy(space)]
        x = space.sample()

        assert all(twin == space and same(twin.sample(), x) for twin in twins)

    def test_state_ignores_derived_entries(self, feature: Any, stack: bool) -> None:
        space = Sequence(feature, stack=stack, seed=1)
        twin = object.__new__(Sequence)
        twin.__setstate__({**copy.deepcopy(space.__getstate__()), "stacked_feature_space": "of a class of Gymnasium's"})
        x = space.sample()

        assert same(twin.sample(), x)
        assert twin.contains(x)
        assert not stack or twin.stacked_feature_space == space.stacked_feature_space

    def test_returned_seeds_can_be_reused(self, feature: Any, stack: bool) -> None:
        space = Sequence(feature, stack=stack)
        for seed in (None, 5, np.int16(5)):
            seeds = space.seed(seed)
            x = space.sample()

            assert space.seed(list(seeds)) == seeds
            assert same(space.sample(), x)

    def test_unflatten_reverses_flatten(self, feature: Any, stack: bool) -> None:
        if "Word" in str(feature.parts()) or isinstance(feature, Word):
            return
        space = Sequence(feature, stack=stack, seed=1)
        x = space.sample()
        flat = ops.flatten(space, x)

        assert flat in ops.flatten_space(space)
        assert same(ops.unflatten(space, flat), x)

    def test_batch_is_a_tuple_of_sequences(self, feature: Any, stack: bool) -> None:
        space = Sequence(feature, stack=stack, seed=1)
        batched = ops.batch_space(space, 3)
        xs = [space.sample() for _ in range(3)]

        batch = ops.concatenate(space, iter(xs), ops.create_empty_array(space, 3))

        assert isinstance(batched, Tuple)
        assert batch in batched
        assert batched.sample() in batched
        assert same(list(ops.iterate(batched, batch)), xs)
        assert len(ops.create_empty_array(space, 2)) == 2
        assert ops.batch_differing_spaces([space, space]) == ops.batch_space(space, 2)
        assert ops.is_registered(ops.batch_space, Sequence)


class TestSample:
    def test_samples_have_at_least_one_element(self) -> None:
        space = Sequence(Word(), seed=1)

        lengths = [len(space.sample()) for _ in range(400)]

        assert min(lengths) == 1
        assert 3 < np.mean(lengths) < 5

    @pytest.mark.parametrize("name", ["mask", "probability"])
    @pytest.mark.parametrize(
        "length, lengths", [(3, {3}), (0, {0}), (np.int8(2), {2}), (np.array([1, 4]), {1, 4}), (np.array([0]), {0})]
    )
    @stacked
    def test_length_can_be_passed(self, name: str, length: Any, lengths: set[int], stack: bool) -> None:
        space = Sequence(Point(), stack=stack, seed=1)

        drawn = [space.sample(**{name: (length, None)}) for _ in range(30)]

        assert {len(x) for x in drawn} == lengths
        assert all(x in space for x in drawn)

    def test_mask_reaches_the_inner_space(self) -> None:
        assert (Sequence(Point(), stack=True).sample(mask=(None, "ones")) == 1).all()

    @pytest.mark.parametrize(
        "weights",
        [
            {"mask": 3},
            {"mask": (3,)},
            {"mask": (-1, None)},
            {"mask": (2.0, None)},
            {"mask": ([1, 2], None)},
            {"mask": (np.array([1.0]), None)},
            {"mask": (np.array([-1]), None)},
            {"mask": (np.array([[1]]), None)},
            {"mask": (np.array([], int), None)},
            {"probability": ("3", None)},
            {"mask": (1, None), "probability": (1, None)},
        ],
        ids=repr,
    )
    def test_invalid_masks_and_probabilities_are_rejected(self, weights: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=r"Sequence expects|got both"):
            Sequence(Word()).sample(**weights)

    @pytest.mark.parametrize(
        "seed, exception", [((1,), ValueError), ((1, 2, 3), ValueError), ("1", TypeError), (-1, error.Error)]
    )
    def test_invalid_seeds_are_rejected(self, seed: Any, exception: type[Exception]) -> None:
        with pytest.raises(exception, match="Expected"):
            Sequence(Word()).seed(seed)

    def test_first_sample_keeps_the_seed_of_the_inner_space(self) -> None:
        first, second = (Sequence(Point(seed=5)).sample()[0] for _ in range(2))

        assert np.array_equal(first, second)


class TestMembership:
    @pytest.mark.parametrize("x", [(), ("a",), ("a", "b")])
    def test_tuples_are_contained(self, x: Any) -> None:
        assert x in Sequence(Word())

    @pytest.mark.parametrize("x", [["a"], "a", None, (1,), ("a", 1)], ids=repr)
    def test_invalid_elements_are_not_contained(self, x: Any) -> None:
        assert x not in Sequence(Word())

    @pytest.mark.parametrize(
        "x, inside", [(np.ones((3, 2)), True), (np.ones((0, 2)), True), (np.ones((3, 3)), False), (5, False)], ids=repr
    )
    def test_stacked_sequences_are_arrays(self, x: Any, inside: bool) -> None:
        assert (x in Sequence(Point(), stack=True)) is inside


class TestOperations:
    def test_flattening_to_a_vector_raises(self) -> None:
        space = Sequence(Point())
        with pytest.raises(ValueError, match="cannot flatten its elements to vectors"):
            ops.flatdim(space)
        assert space.is_np_flattenable is False
        assert space.layout() is None

    def test_stacked_sequences_flatten_to_rows(self) -> None:
        assert ops.flatten(Sequence(Point(), stack=True), np.ones((3, 2))).shape == (3, 2)

    @given(st.integers(0, 4))
    def test_empty_sequence_can_be_flattened(self, n: int) -> None:
        space = Sequence(Point(), stack=True)
        x = space.sample(mask=(n, None))

        assert same(ops.unflatten(space, ops.flatten(space, x)), x)

    def test_placeholders_are_elements(self) -> None:
        assert ops.create_zero_array(Sequence(Word())) == ()
        assert ops.create_empty_array(Sequence(Word()), 2) == ((), ())
        assert ops.create_empty_array(Sequence(Point(), stack=True), 2)[1].shape == (1, 2)

    def test_equivalence_compares_structure(self) -> None:
        assert ops.is_space_dtype_shape_equiv(Sequence(Point()), Sequence(Point()))
        assert not ops.is_space_dtype_shape_equiv(Sequence(Point()), Sequence(Point(), stack=True))
        assert not ops.is_space_dtype_shape_equiv(Sequence(Point()), Point())

    def test_single_sequence_is_not_a_batch(self) -> None:
        with pytest.raises(error.CustomSpaceError, match="its elements are not batches"):
            ops.iterate(Sequence(Word()), ("a",))

    def test_subclass_supports_every_operation(self) -> None:
        class Path(Sequence):
            def __init__(self) -> None:
                super().__init__(Point(), stack=True)

        space = Path()

        assert same(ops.unflatten(space, ops.flatten(space, np.ones((2, 2), "f4"))), np.ones((2, 2), "f4"))
        assert isinstance(ops.batch_differing_spaces([space, Path()]), Tuple)

    @stacked
    def test_description_round_trip(self, stack: bool) -> None:
        space = Sequence(Tuple([Sequence(Tuple([]))]), stack=stack)

        assert utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space)))) == space
