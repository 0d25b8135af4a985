"""Tests of `Tuple`: construction, membership, sampling, seeding and pickling."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error
from gymkernel.spaces import Box, Space, Tuple, utils


class Word(Space[str]):
    """A third-party space of words, without a layout."""

    def __init__(self, letter: str = "a", seed: int | None = None) -> None:
        super().__init__(seed=seed)
        self.letter = letter

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return (mask or self.letter) * int(self.np_random.integers(1, 9))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and set(x) <= {self.letter}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and self.letter == other.letter

    __hash__ = None  # type: ignore[assignment]


def leaves() -> Any:
    return st.sampled_from([Box(0, 1), Box(-1, 1, (2, 2), np.float64), Box(0, 9, (), np.int8), Word("b")]).map(
        copy.deepcopy
    )


def tuples() -> Any:
    """Generate nested Tuples, including empty Tuples."""
    nested = st.recursive(leaves(), lambda inner: st.lists(inner, max_size=3).map(Tuple), max_leaves=5)
    return st.lists(nested, max_size=3).map(Tuple)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    return bool(np.array_equal(a, b)) and getattr(a, "dtype", None) == getattr(b, "dtype", None)


class TestConstruction:
    def test_tuple_space_is_a_sequence_of_spaces(self) -> None:
        space = Tuple([Box(0, 1), Box(0, 2)])

        assert isinstance(space, Space)
        assert isinstance(space, Sequence)
        assert space[1] == Box(0, 2)
        assert space[:1] == (Box(0, 1),)
        assert len(space) == 2
        assert list(space) == list(space.spaces) == [Box(0, 1), Box(0, 2)]
        assert list(reversed(space)) == [Box(0, 2), Box(0, 1)]
        assert space.index(Box(0, 2)) == 1
        assert space.count(Box(0, 1)) == 1

    def test_an_element_has_neither_shape_nor_dtype(self) -> None:
        assert Tuple([Box(0, 1)]).shape is None
        assert Tuple([Box(0, 1)]).dtype is None

    def test_any_iterable_of_spaces_makes_one(self) -> None:
        assert Tuple(Box(0, i) for i in range(3)) == Tuple([Box(0, 0), Box(0, 1), Box(0, 2)])

    @pytest.mark.parametrize(
        "part, seen", [(3, r"got 3 \(int\)"), (Box, r"got <class .*Box'> \(type\)"), ("ab", "got 'ab'")]
    )
    def test_non_space_is_rejected(self, part: Any, seen: str) -> None:
        with pytest.raises(TypeError, match=rf"Tuple expects a space at index 1, {seen}"):
            Tuple([Box(0, 1), part])

    def test_repr_shows_the_spaces(self) -> None:
        assert repr(Tuple([Box(0, 1), Tuple([])])) == "Tuple(Box(0.0, 1.0, (1,), float32), Tuple())"

    @pytest.mark.parametrize(
        "space, flattenable",
        [(Tuple([]), True), (Tuple([Box(0, 1)]), True), (Tuple([Word()]), False), (Tuple([Tuple([Word()])]), False)],
    )
    def test_tuple_flattens_to_an_array_if_all_parts_do(self, space: Tuple, flattenable: bool) -> None:
        assert space.is_np_flattenable is flattenable


class TestContains:
    def test_tuples_lists_and_arrays_of_elements(self) -> None:
        space = Tuple([Box(0, 1, (2,)), Box(0, 1, (2,))])
        part = np.zeros(2, np.float32)

        assert (part, part) in space
        assert [part, part] in space
        assert np.zeros((2, 2), np.float32) in space

    @pytest.mark.parametrize(
        "x",
        [
            (),
            ("a",),
            ("a", "a", "a"),
            ("a", "c"),
            "ab",
            None,
            3,
            {0: "a", 1: "b"},
            np.array(3),
            pytest.param({"a", "b"}, id="a set"),
        ],
        ids=repr,
    )
    def test_other_values_are_not_contained(self, x: Any) -> None:
        assert x not in Tuple([Word("a"), Word("b")])

    def test_the_empty_tuple_contains_itself(self) -> None:
        assert () in Tuple([])

    @given(tuples())
    def test_samples_and_examples_are_in_the_space(self, space: Tuple) -> None:
        assert space.sample() in space
        assert all(x in space for x in space.examples())


class TestSeed:
    def test_returned_seeds_can_be_reused(self) -> None:
        space = Tuple([Box(0, 1), Tuple([Box(0, 1), Box(0, 1)])])
        seeds = space.seed(42)
        x = space.sample()

        assert space.seed(seeds) == seeds
        assert same(space.sample(), x)

    @given(tuples(), st.integers(0, 2**63))
    def test_equal_seeds_give_equal_samples(self, space: Tuple, seed: int) -> None:
        space.seed(seed)
        x = space.sample()
        space.seed(seed)

        assert same(space.sample(), x)

    def test_parts_get_seeds_of_their_own(self) -> None:
        a, b = Tuple([Box(0, 1), Box(0, 1)], seed=1).sample()

        assert a != b

    def test_none_reseeds_every_part(self) -> None:
        space = Tuple([Box(0, 1)], seed=1)

        assert space.seed() != space.seed()

    @pytest.mark.parametrize("seed", [np.int64(5), np.array(5)], ids=repr)
    def test_a_numpy_integer_is_a_seed(self, seed: Any) -> None:
        parts = [Box(0, 1), Box(0, 1)]

        assert Tuple(parts).seed(seed) == Tuple(parts).seed(5)

    @pytest.mark.parametrize("seeds", [[1, 2], (1, 2), np.array([1, 2])], ids=repr)
    def test_a_sequence_has_a_seed_for_each(self, seeds: Any) -> None:
        space = Tuple([Box(0, 1), Box(0, 1)], seed=seeds)

        assert same(space.sample(), (Box(0, 1, seed=1).sample(), Box(0, 1, seed=2).sample()))

    def test_another_number_of_seeds_is_refused(self) -> None:
        with pytest.raises(ValueError, match="Expected a seed for each of the 2 spaces, got 1"):
            Tuple([Box(0, 1), Box(0, 1)]).seed([1])

    @pytest.mark.parametrize("seed", ["1", 1.5, {1: 2}])
    def test_invalid_seed_is_rejected(self, seed: Any) -> None:
        with pytest.raises(TypeError, match="Expected the seed to be an integer, a sequence of integers, or None"):
            Tuple([Box(0, 1)]).seed(seed)

    def test_negative_seed_is_rejected(self) -> None:
        with pytest.raises(error.Error, match="an integer >= 0, got -1"):
            Tuple([Box(0, 1)]).seed(-1)

    def test_generator_is_not_passed_to_the_parts(self) -> None:
        generator, part = np.random.default_rng(1), Box(0, 1, seed=3)

        space = Tuple([part], seed=generator)

        assert space.np_random is generator
        assert same(space.sample(), (Box(0, 1, seed=3).sample(),))

    def test_parts_without_a_generator_get_theirs_from_a_copy(self) -> None:
        generator = np.random.default_rng(1)
        one, other = (Tuple([Box(0, 1), Tuple([Box(0, 1)])], seed=rng) for rng in (generator, np.random.default_rng(1)))

        assert same(one.sample(), other.sample())
        assert one.sample()[0] != one.sample()[1][0]
        assert generator.random() == np.random.default_rng(1).random()


class TestWeights:
    def test_each_part_gets_its_own_mask(self) -> None:
        word, _ = Tuple([Word("a"), Box(0, 1)]).sample(mask=("z", None))

        assert set(word) == {"z"}

    @pytest.mark.parametrize(
        "weights, message",
        [
            ({"mask": ["z", None]}, "Tuple expects mask to be a tuple of length 2, got list"),
            ({"mask": ("z",)}, "Tuple expects mask to be a tuple of length 2, got a tuple of 1"),
            ({"probability": 1}, "Tuple expects probability to be a tuple of length 2, got int"),
            ({"mask": (None, None), "probability": (None, None)}, "a mask or a probability, got both"),
        ],
    )
    def test_invalid_arguments_raise_with_expected_and_actual(self, weights: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Tuple([Word(), Box(0, 1)]).sample(**weights)


class TestEquality:
    def test_equality_compares_parts_in_order(self) -> None:
        assert Tuple([Box(0, 1), Word()]) == Tuple((Box(0, 1), Word()))

    @pytest.mark.parametrize(
        "other",
        [Tuple([Word(), Box(0, 1)]), Tuple([Box(0, 1)]), Tuple([]), (Box(0, 1), Word()), [Box(0, 1), Word()], None],
    )
    def test_different_spaces_are_not_equal(self, other: object) -> None:
        assert Tuple([Box(0, 1), Word()]) != other

    def test_space_is_not_hashable(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(Tuple([]))


class TestCopies:
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
    @given(space=tuples())
    def test_copy_is_equal_and_continues_the_stream(self, duplicate: Any, space: Tuple) -> None:
        space.seed(3)
        space.sample()

        twin = duplicate(space)

        assert twin == space
        assert same(twin.sample(), space.sample())


class TestJson:
    def test_elements_survive_a_columnwise_json_round_trip(self) -> None:
        space = Tuple([Box(0, 1, (2,)), Tuple([Word(), Box(0, 9, (), np.int8)])], seed=1)
        elements = [space.sample() for _ in range(3)]

        columns = json.loads(json.dumps(space.to_jsonable(elements)))

        assert len(columns) == 2
        assert all(map(same, space.from_jsonable(columns), elements))

    def test_tuple_survives_a_json_round_trip(self) -> None:
        space = Tuple([Box(0, 1), Tuple([Box(0, 2)]), Tuple([])])

        assert utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space)))) == space
