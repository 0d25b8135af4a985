"""Tests of `Discrete`: construction, membership, sampling and pickling."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error
from gymkernel.spaces import Box, Discrete, MultiDiscrete, Space, utils

DTYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


@st.composite
def discretes(draw: Any) -> Discrete[Any]:
    """Generate Discrete spaces of all dtypes and sizes, including spaces at the limits of the dtype."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    start = draw(st.integers(least, most) | st.sampled_from((0, least, most, most - 1)))
    room = min(most - start + 1, most)
    n = draw(st.integers(1, room) | st.integers(1, min(room, 9)) | st.just(room))
    return Discrete(n, start=start, dtype=dtype, seed=draw(st.integers(0, 2**32)))


class TestConstruction:
    def test_default_arguments(self) -> None:
        space: Discrete[Any] = Discrete(3)

        assert (space.n, space.start, space.dtype, space.shape) == (3, 0, np.int64, ())

    def test_n_and_start_are_scalars_of_the_dtype(self) -> None:
        space: Discrete[Any] = Discrete(np.int32(3), start=np.uint8(2), dtype=np.int16)

        assert type(space.n) is type(space.start) is np.int16

    def test_space_is_flattenable(self) -> None:
        space: Discrete[Any] = Discrete(3)

        assert isinstance(space, Space)
        assert space.is_np_flattenable is True

    @pytest.mark.parametrize(
        "arguments, exception, message",
        [
            ({"n": 2.0}, TypeError, r"expects n to be an integer, got 2.0 \(float\)"),
            ({"n": "2"}, TypeError, r"expects n to be an integer, got '2' \(str\)"),
            ({"n": None}, TypeError, r"expects n to be an integer, got None \(NoneType\)"),
            ({"n": 2, "start": 0.5}, TypeError, r"expects start to be an integer, got 0.5 \(float\)"),
            ({"n": 2, "dtype": np.float32}, TypeError, "expects an integer dtype, got float32"),
            ({"n": 2, "dtype": bool}, TypeError, "expects an integer dtype, got bool"),
            ({"n": 2, "dtype": None}, TypeError, "expects an integer dtype, got None"),
            ({"n": 0}, ValueError, "expects n to be positive, got n=0"),
            ({"n": -1}, ValueError, "expects n to be positive, got n=-1"),
            ({"n": 300, "dtype": np.uint8}, ValueError, r"Discrete\(300, start=0\) does not fit uint8, .* 255"),
            (
                {"n": 3, "start": 126, "dtype": np.int8},
                ValueError,
                r"start=126\) does not fit int8, whose maximum is 127",
            ),
            ({"n": 3, "start": -1, "dtype": np.uint8}, ValueError, r"start=-1\) does not fit uint8"),
            ({"n": 2**63}, ValueError, "does not fit int64"),
        ],
    )
    def test_invalid_arguments_raise_with_expected_and_actual(
        self, arguments: Any, exception: type[Exception], message: str
    ) -> None:
        with pytest.raises(exception, match=message):
            Discrete(**arguments)

    @pytest.mark.parametrize(
        "space, text",
        [
            (Discrete(3), "Discrete(3)"),
            (Discrete(3, start=-1), "Discrete(3, start=-1)"),
            (Discrete(3, dtype=np.uint8), "Discrete(3, dtype=uint8)"),
            (Discrete(3, start=2, dtype=np.int8), "Discrete(3, start=2, dtype=int8)"),
        ],
    )
    def test_repr_shows_non_default_arguments(self, space: Discrete[Any], text: str) -> None:
        assert repr(space) == text


class TestContains:
    @pytest.mark.parametrize("x", [-1, 0, 1, np.int8(1), np.uint8(1), np.array(-1), np.array(1, np.int8), True])
    def test_integers_in_the_range_are_contained(self, x: Any) -> None:
        assert x in Discrete(3, start=-1)

    @pytest.mark.parametrize(
        "x",
        [
            -2,
            2,
            10**30,
            1.0,
            "1",
            None,
            [1],
            (),
            np.float64(-1),
            np.bool_(1),
            np.array([1]),
            np.array(1.0),
            np.array(True),
            np.uint64(1),
            np.array(None),
        ],
    )
    def test_other_values_are_not_contained(self, x: Any) -> None:
        assert x not in Discrete(3, start=-1)

    @pytest.mark.parametrize("x, inside", [(np.int8(1), True), (np.int16(1), False), (np.uint8(1), False), (1, True)])
    def test_dtype_must_cast_safely(self, x: Any, inside: bool) -> None:
        assert (x in Discrete(3, dtype=np.int8)) is inside

    def test_numbers_near_the_dtype_limits_do_not_overflow(self) -> None:
        space: Discrete[Any] = Discrete(100, start=28, dtype=np.int8)

        assert np.int8(127) in space
        assert np.int8(-128) not in space
        assert 128 not in space

    @given(discretes(), st.integers(-(2**65), 2**65))
    def test_range_is_contained(self, space: Discrete[Any], x: int) -> None:
        start, n = int(space.start), int(space.n)

        assert (x in space) is (start <= x < start + n)
        assert start in space
        assert start + n - 1 in space
        assert start + n not in space


class TestSample:
    @given(discretes())
    def test_sample_is_a_scalar_in_the_space(self, space: Discrete[Any]) -> None:
        x = space.sample()

        assert type(x) is space.dtype.type
        assert x in space

    @given(discretes())
    def test_examples_are_in_the_space(self, space: Discrete[Any]) -> None:
        assert all(x in space for x in space.examples())

    @given(discretes(), st.integers(0, 2**63))
    def test_equal_seeds_give_equal_samples(self, space: Discrete[Any], seed: int) -> None:
        assert space.seed(seed) == seed
        first = [space.sample() for _ in range(3)]
        space.seed(seed)

        assert [space.sample() for _ in range(3)] == first

    def test_every_element_is_drawn(self) -> None:
        space: Discrete[Any] = Discrete(4, start=-2, seed=0)

        assert {int(space.sample()) for _ in range(100)} == {-2, -1, 0, 1}

    def test_examples_of_a_small_space_are_all_elements(self) -> None:
        assert [int(x) for x in Discrete(3, start=5).examples()] == [5, 6, 7]

    def test_generator_is_used_without_copying(self) -> None:
        generator = np.random.default_rng(5)

        assert Discrete(3, seed=generator).np_random is generator

    def test_numpy_integers_are_valid_seeds(self) -> None:
        assert Discrete(99, seed=np.int64(3)).sample() == Discrete(99, seed=3).sample()  # type: ignore[call-overload]

    def test_negative_seed_is_rejected(self) -> None:
        with pytest.raises(error.Error, match="the seed to be an integer >= 0, got -1"):
            Discrete(3, seed=-1)

    @given(discretes(), st.integers(0, 5))
    def test_sample_many_draws_one_batch(self, space: Discrete[Any], n: int) -> None:
        drawn = space.sample_n(n)

        assert drawn.shape == (n,)
        assert drawn.dtype == space.dtype
        assert all(x in space for x in drawn)


class TestWeights:
    @given(st.lists(st.booleans(), min_size=1, max_size=6).filter(any), st.integers(-5, 5))
    def test_mask_allows_the_marked_values(self, allowed: list[bool], start: int) -> None:
        space: Discrete[Any] = Discrete(len(allowed), start=start, seed=1)

        x = space.sample(mask=np.array(allowed, np.int8))

        assert allowed[int(x) - start]
        assert type(x) is np.int64

    def test_empty_mask_gives_the_start(self) -> None:
        assert Discrete(3, start=5).sample(mask=np.zeros(3, np.int8)) == 5

    def test_probabilities_weight_the_choice(self) -> None:
        space: Discrete[Any] = Discrete(3, start=1, seed=0)

        drawn = [int(space.sample(probability=np.array([0.0, 0.9, 0.1]))) for _ in range(300)]

        assert set(drawn) == {2, 3}
        assert drawn.count(2) > 200

    @pytest.mark.parametrize("dtype", [np.int8, np.uint64])
    def test_weighted_sample_has_the_dtype(self, dtype: Any) -> None:
        space: Discrete[Any] = Discrete(2, dtype=dtype)

        assert type(space.sample(mask=np.ones(2, np.int8))) is dtype
        assert type(space.sample(probability=np.array([0.5, 0.5]))) is dtype

    @pytest.mark.parametrize(
        "weights, message",
        [
            ({"mask": [1, 1]}, r"mask to be an array of int8 of shape \(2,\), got list"),
            ({"mask": np.ones(2)}, r"mask to be an array of int8 of shape \(2,\), got float64 \(2,\)"),
            ({"mask": np.ones(3, np.int8)}, r"of shape \(2,\), got int8 \(3,\)"),
            ({"mask": np.array([0, 2], np.int8)}, r"Expected a mask of 0 and 1, got \[0 2\]"),
            ({"mask": np.array([0, -1], np.int8)}, r"Expected a mask of 0 and 1, got \[ 0 -1\]"),
            ({"probability": np.ones(2, np.float32)}, r"probability to be an array of float64"),
            ({"probability": np.array([0.5, 0.6])}, r"in \[0, 1\] whose sum is 1, got \[0.5 0.6\] with the sum 1.1"),
            ({"probability": np.array([-0.5, 1.5])}, r"Expected probabilities in \[0, 1\]"),
            ({"probability": np.array([np.nan, 1])}, r"Expected probabilities in \[0, 1\]"),
            ({"mask": np.ones(2, np.int8), "probability": np.array([0.5, 0.5])}, "a mask or a probability, got both"),
        ],
    )
    def test_invalid_arguments_raise_with_expected_and_actual(self, weights: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Discrete(2).sample(**weights)


class TestEquality:
    def test_equality_compares_n_start_and_dtype(self) -> None:
        assert Discrete(3, start=1, seed=1) == Discrete(3, start=1, seed=2)

    @pytest.mark.parametrize(
        "other",
        [
            Discrete(4),
            Discrete(3, start=1),
            Discrete(3, dtype=np.int32),
            MultiDiscrete([3]),
            Box(0, 2, (), np.int64),
            3,
        ],
    )
    def test_different_spaces_are_not_equal(self, other: object) -> None:
        assert Discrete(3) != other

    def test_space_is_not_hashable(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(Discrete(3))


class TestCopies:
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
    @given(space=discretes())
    def test_copy_is_equal_and_continues_the_stream(self, duplicate: Any, space: Discrete[Any]) -> None:
        space.sample()

        twin = duplicate(space)

        assert twin == space
        assert twin.np_random is not space.np_random
        assert [twin.sample() for _ in range(3)] == [space.sample() for _ in range(3)]

    def test_old_pickle_without_start_begins_at_zero(self) -> None:
        space: Discrete[Any] = object.__new__(Discrete)

        space.__setstate__({"n": 3, "shape": (), "dtype": np.dtype(np.int64), "np_random": None})

        assert space == Discrete(3)
        assert space.sample() in space


class TestJson:
    @given(discretes())
    def test_elements_survive_a_json_round_trip(self, space: Discrete[Any]) -> None:
        elements = [space.sample(), space.start]

        back = space.from_jsonable(json.loads(json.dumps(space.to_jsonable(elements))))

        assert back == elements
        assert all(type(x) is space.dtype.type for x in back)

    @given(discretes())
    def test_discrete_survives_a_json_round_trip(self, space: Discrete[Any]) -> None:
        assert utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space)))) == space
