"""Tests of `Box`: bounds, membership, representation and pickling."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gymkernel import error
from gymkernel.spaces import Box, Space, utils

MIXED = (np.array([-np.inf, -np.inf, 0, 0], np.float32), np.array([np.inf, 1, np.inf, 1], np.float32))


class TestConstruction:
    def test_two_numbers_bound_a_scalar(self) -> None:
        space: Box[Any] = Box(-1, 2)

        assert (space.shape, space.dtype) == ((1,), np.float32)
        assert (space.low.tolist(), space.high.tolist()) == ([-1], [2])

    def test_numbers_and_shape_bound_every_element(self) -> None:
        space: Box[Any] = Box(0, 255, (2, 3), np.uint8)

        assert (space.low == 0).all()
        assert (space.high == 255).all()
        assert space.low.shape == space.high.shape == (2, 3)
        assert space.low.dtype == space.dtype == np.uint8

    def test_shape_is_inferred_from_arrays(self) -> None:
        assert Box(np.zeros((2, 0)), 1, dtype=np.float64).shape == (2, 0)

    @pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16, np.float64, np.longdouble])
    @given(value=st.integers(-(2**70), 2**70) | st.floats(allow_nan=False))
    @settings(max_examples=30)
    def test_a_subclass_of_int_or_float_gives_the_same_bound(self, dtype: Any, value: float) -> None:
        def create(low: Any) -> Any:
            try:
                box = Box(low, np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max, (2,), dtype)
            except (ValueError, OverflowError) as exc:
                return type(exc)
            return box.low.tolist(), box.bounded_below.tolist()

        class Whole(int):
            pass

        assert create(value) == create(Whole(value) if isinstance(value, int) else np.float64(value))

    def test_shape_of_numpy_integers_becomes_python_integers(self) -> None:
        shape = Box(0, 1, np.array([2, 3])).shape  # type: ignore[call-overload]

        assert shape == (2, 3)
        assert all(type(n) is int for n in shape)

    def test_arrays_of_the_caller_are_copied(self) -> None:
        low, high = np.array([-np.inf, 0.0]), np.array([np.inf, 5.0])

        space: Box[Any] = Box(low, high, dtype=np.int8)
        space.sample()

        assert np.array_equal(low, [-np.inf, 0])
        assert np.array_equal(high, [np.inf, 5])
        assert low.flags.writeable
        high[1] = 0
        assert space.high[1] == 5

    def test_arrays_with_the_same_dtype_are_copied(self) -> None:
        low = np.zeros(2, np.float32)

        space: Box[Any] = Box(low, 1)

        assert not np.shares_memory(low, space.low)
        assert low.flags.writeable

    def test_infinite_bound_of_an_integer_box_is_unbounded(self) -> None:
        space: Box[Any] = Box(-np.inf, np.inf, (2,), np.int8)

        assert (space.low.tolist(), space.high.tolist()) == ([-128, -128], [127, 127])
        assert not space.bounded_below.any()
        assert not space.bounded_above.any()

    @pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int8, np.uint8])
    def test_limits_of_an_integer_dtype_are_bounds(self, dtype: Any) -> None:
        limits = np.iinfo(dtype)

        space: Box[Any] = Box(int(limits.min), int(limits.max), dtype=dtype)

        assert (int(space.low[0]), int(space.high[0])) == (limits.min, limits.max)
        assert space.is_bounded()

    def test_float_box_accepts_integers_beyond_64_bits(self) -> None:
        assert Box(-(10**30), 10**30).high == np.float32(1e30)

    @pytest.mark.filterwarnings("error")
    def test_bounds_of_a_narrower_dtype_are_converted(self) -> None:
        low, high = np.array([-1, 0], np.float32), np.array([1, np.inf], np.float32)

        assert Box(low, high, dtype=np.float64) == Box(low.astype(float), high.astype(float), dtype=np.float64)

    def test_float64_bound_of_a_float32_box_warns(self) -> None:
        with pytest.warns(UserWarning, match=r"The precision of low is reduced from float64 to float32"):
            Box(np.zeros(2), np.ones(2, np.float32))

    @pytest.mark.parametrize(
        "arguments, exception, message",
        [
            ((0, 1, None, None), ValueError, "Box expects a dtype, got None"),
            ((0, 1, None, np.complex64), ValueError, "expects a floating-point, integer or bool dtype, got complex64"),
            ((0, 1, None, "U3"), ValueError, "expects a floating-point, integer or bool dtype, got <U3"),
            ((0, 1, 5), TypeError, "expects shape to be a sequence of integers, got 5"),
            ((0, 1, (2.0,)), TypeError, r"expects shape to be a sequence of integers, got \(2.0,\)"),
            ((0, 1, (2, -1)), ValueError, r"to contain no negative lengths, got \(2, -1\)"),
            (([0, 0], 1), ValueError, r"low to be a number or a numeric array, got \[0, 0\] \(list\)"),
            ((0, "1"), ValueError, r"high to be a number or a numeric array, got '1' \(str\)"),
            ((np.array(["a"]), 1), ValueError, "low to be a number or a numeric array"),
            ((True, 1), ValueError, r"low to be a number or a numeric array, got True \(bool\)"),
            ((0, None), ValueError, r"high to be a number or a numeric array, got None \(NoneType\)"),
            ((np.zeros(2), np.ones(3)), ValueError, r"low and high to have the same shape, got \(2,\) and \(3,\)"),
            ((np.zeros(2), 1, (3,)), ValueError, r"low to have shape \(3,\), got an array of shape \(2,\)"),
            ((np.nan, 1), ValueError, "expects low to contain no NaN, got nan"),
            ((np.zeros(2, "f4"), np.array([1, np.nan], "f4")), ValueError, "expects high to contain no NaN"),
            ((2, 1), ValueError, r"expects low <= high, got low=2.0 > high=1.0 at index \(0,\)"),
            ((0, np.inf, None, np.uint8), ValueError, r"Box of uint8 expects high to be finite .*, got inf"),
            ((-np.inf, 1, None, bool), ValueError, r"Box of bool expects low to be finite .*, got -inf"),
            ((0, 256, None, np.uint8), ValueError, "high to be within the range of uint8, 0 to 255, got 256"),
            ((-1, 1, None, np.uint8), ValueError, "low to be within the range of uint8, 0 to 255, got -1"),
            ((0, 2**64, None, np.uint64), ValueError, "high to be within the range of uint64"),
            ((np.inf, np.inf, None, np.int8), ValueError, "low to be within the range of int8, -128 to 127, got inf"),
            ((0, 1e39), ValueError, "high to be within the range of float32"),
            ((0, 10**400), ValueError, "high to be within the range of float32"),
        ],
    )
    def test_invalid_arguments_raise_with_expected_and_actual(
        self, arguments: tuple[Any, ...], exception: type[Exception], message: str
    ) -> None:
        with pytest.raises(exception, match=message):
            Box(*arguments)

    def test_crossed_scalar_bounds_error_has_no_index(self) -> None:
        with pytest.raises(ValueError, match=r"got low=2.0 > high=1.0$"):
            Box(2, 1, ())


class TestRepr:
    @pytest.mark.parametrize(
        "space, text",
        [
            (Box(0, 255, (84, 84, 3), np.uint8), "Box(0, 255, (84, 84, 3), uint8)"),
            (Box(-1, 1), "Box(-1.0, 1.0, (1,), float32)"),
            (Box(-np.inf, np.inf, (), np.float64), "Box(-inf, inf, (), float64)"),
            (Box(np.array([0, 1]), np.array([1, 1]), dtype=np.int64), "Box([0 1], 1, (2,), int64)"),
            (Box(0, 1, (0,), bool), "Box([], [], (0,), bool)"),
        ],
    )
    def test_repr_shows_equal_bounds_as_one_number(self, space: Box[Any], text: str) -> None:
        assert repr(space) == text

    def test_notebook_representation(self) -> None:
        assert "Box" in str(Box(0, 1)._repr_html_())


class TestBoundedness:
    @pytest.mark.parametrize(
        "low, high, below, above",
        [(0, 1, True, True), (0, np.inf, True, False), (-np.inf, 1, False, True), (-np.inf, np.inf, False, False)],
    )
    def test_each_side_is_checked_separately(self, low: float, high: float, below: bool, above: bool) -> None:
        space: Box[Any] = Box(low, high)

        assert (space.is_bounded("below"), space.is_bounded("above")) == (below, above)
        assert space.is_bounded() is (below and above)

    def test_one_unbounded_element_makes_the_box_unbounded(self) -> None:
        assert not Box(*MIXED).is_bounded("below")

    def test_unknown_manner_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="manner to be 'both', 'below' or 'above', got 'left'"):
            Box(0, 1).is_bounded("left")  # type: ignore[arg-type]


class TestContains:
    @pytest.mark.parametrize("size", [1, 5, 50])
    def test_bounds_are_inclusive(self, size: int) -> None:
        space: Box[Any] = Box(-1, 1, (size,))
        beyond = np.zeros(size, np.float32)
        beyond[-1] = np.nextafter(np.float32(1), np.float32(2))

        assert space.low in space
        assert space.high in space
        assert beyond not in space
        assert -beyond not in space

    @pytest.mark.parametrize("shape", [(), (1,), (3,), (5, 5)])
    def test_nan_is_not_contained(self, shape: tuple[int, ...]) -> None:
        assert np.full(shape, np.nan, np.float32) not in Box(-np.inf, np.inf, shape)

    @pytest.mark.parametrize("shape", [(1,), (4, 4)])
    def test_elements_can_have_different_bounds(self, shape: tuple[int, ...]) -> None:
        low = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        space: Box[Any] = Box(low, low + 1)

        assert low in space
        assert low - 1 not in space
        assert low + 2 not in space

    @pytest.mark.parametrize(
        "dtype, given, inside",
        [
            (np.float32, np.float32, True),
            (np.float32, np.float16, True),
            (np.float32, np.float64, False),
            (np.float64, np.float32, True),
            (np.float32, np.int8, True),
            (np.float32, np.int64, False),
            (np.int64, np.int32, True),
            (np.int64, np.uint64, False),
            (np.int8, np.int64, False),
            (np.uint8, np.bool_, True),
            (np.float32, np.complex64, False),
            (np.float32, np.object_, False),
            (np.float32, np.dtype("U1"), False),
        ],
    )
    @pytest.mark.parametrize("size", [2, 30])
    def test_dtype_must_cast_safely(self, dtype: Any, given: Any, inside: bool, size: int) -> None:
        assert (np.zeros(size, given) in Box(0, 1, (size,), dtype)) is inside

    def test_byte_order_does_not_matter(self) -> None:
        assert np.ones(2, ">f4") in Box(0, 1, (2,))
        assert 2 * np.ones(2, ">f4") not in Box(0, 1, (2,))

    @pytest.mark.parametrize("shape", [(), (2,), (1, 1), (0,)])
    def test_shape_must_match(self, shape: tuple[int, ...]) -> None:
        assert np.zeros(shape, np.float32) not in Box(-1, 1, (1,))

    def test_full_range_box_contains_every_array_of_its_dtype(self) -> None:
        space: Box[Any] = Box(0, 255, (5, 5), np.uint8)

        assert np.full((5, 5), 255, np.uint8) in space
        assert np.full((5, 5), True) in space

    def test_empty_array_is_contained(self) -> None:
        assert np.zeros((2, 0), np.float32) in Box(0, 1, (2, 0))

    @pytest.mark.parametrize(
        "x, inside",
        [
            ([0.5, 1], True),
            ((0, 0), True),
            ([0, 2], False),
            ([0, np.nan], False),
            ([0, "a"], False),
            ([0, None], False),
            ([[0], [0, 1]], False),
            ([0], False),
            (None, False),
            ("ab", False),
            (0.5, False),
            ({}, False),
        ],
    )
    def test_non_array_is_converted_with_a_warning(self, x: Any, inside: bool) -> None:
        space: Box[Any] = Box(0, 1, (2,))

        with pytest.warns(UserWarning, match=f"cast to an array \\({type(x).__name__}\\)"):
            assert space.contains(x) is inside

    @pytest.mark.parametrize("number", [300, -1, 10**400])
    def test_number_outside_the_dtype_is_not_contained(self, number: int) -> None:
        with pytest.warns(UserWarning, match="cast to an array"):
            assert [number] not in Box(0, 255, dtype=np.uint8)

    def test_bounds_can_be_replaced(self) -> None:
        space: Box[Any] = Box(0, 1)
        assert np.full(1, 3, np.float32) not in space

        space.high = np.full(1, 5, np.float32)

        assert np.full(1, 3, np.float32) in space


class TestEquality:
    def test_equality_compares_bounds_shape_and_dtype(self) -> None:
        assert Box(0, 1, (2,)) == Box(np.zeros(2, np.float32), np.ones(2, np.float32))
        assert Box(*MIXED) == Box(*MIXED)

    @pytest.mark.parametrize(
        "other", [Box(0, 2, (2,)), Box(-1, 1, (2,)), Box(0, 1, (3,)), Box(0, 1, (2,), np.float64), 3, None, "Box"]
    )
    def test_different_spaces_are_not_equal(self, other: object) -> None:
        assert Box(0, 1, (2,)) != other

    def test_equality_ignores_the_generator(self) -> None:
        assert Box(0, 1, seed=1) == Box(0, 1, seed=2)

    def test_box_is_not_hashable(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(Box(0, 1))


def duplicates() -> list[Any]:
    return [lambda s: pickle.loads(pickle.dumps(s)), copy.deepcopy]


class TestCopies:
    @pytest.mark.parametrize("duplicate", duplicates())
    @pytest.mark.parametrize(
        "space",
        [
            Box(0, 1, seed=3),
            Box(*MIXED, seed=3),
            Box(-9, 9, (20,), np.int8, seed=3),
            Box(-np.inf, 3, (2,), np.int64, seed=3),
        ],
    )
    def test_copy_is_equal_and_continues_the_stream(self, duplicate: Any, space: Box[Any]) -> None:
        space.sample()

        twin = duplicate(space)

        assert twin == space
        assert np.array_equal(twin.sample(), space.sample())
        assert repr(twin) == repr(space)
        assert np.array_equal(twin.bounded_below, space.bounded_below)

    @pytest.mark.parametrize("duplicate", duplicates())
    def test_copy_has_its_own_generator_and_intervals(self, duplicate: Any) -> None:
        space: Box[Any] = Box(0, 1, seed=3)
        space.sample()

        twin = duplicate(space)
        twin.sample()

        assert twin.np_random is not space.np_random
        assert twin.intervals is not space.intervals

    def test_old_pickle_state_loads(self) -> None:
        old = {**Box(0, 1, (2,), seed=1).__getstate__()}
        old["shape"], old["np_random"] = old.pop("_shape"), old.pop("_np_random")

        space: Box[Any] = object.__new__(Box)
        space.__setstate__(old)

        assert space == Box(0, 1, (2,))
        assert repr(space) == "Box(0.0, 1.0, (2,), float32)"
        assert np.array_equal(space.sample(), Box(0, 1, (2,), seed=1).sample())


class TestJson:
    @pytest.mark.parametrize(
        "space",
        [
            Box(*MIXED, seed=1),
            Box(0, 1, (2, 0), seed=1),
            Box(0, 1, (0, 3), seed=1),
            Box(0, 1, (), np.float64, seed=1),
            Box(0, 1, (3,), bool, seed=1),
            Box(0, 2**64 - 1, (2, 2), np.uint64, seed=1),
        ],
    )
    def test_elements_survive_a_json_round_trip(self, space: Box[Any]) -> None:
        elements = [space.sample() for _ in range(3)]

        back = space.from_jsonable(json.loads(json.dumps(space.to_jsonable(elements))))

        assert all(
            np.array_equal(a, b) and a.dtype == b.dtype and a.shape == b.shape
            for a, b in zip(elements, back, strict=True)
        )

    @pytest.mark.parametrize(
        "space",
        [
            Box(*MIXED),
            Box(0, 2**64 - 1, (2,), np.uint64),
            Box(-np.inf, np.inf, (2,), np.int8),
            Box(0, 1, (0,)),
            Box(0, 1, (0, 3)),
        ],
    )
    def test_box_survives_a_json_round_trip(self, space: Box[Any]) -> None:
        back = utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space))))

        assert back == space
        assert np.array_equal(back.bounded_below, space.bounded_below)
        assert np.array_equal(back.bounded_above, space.bounded_above)


class TestAttributes:
    def test_box_elements_are_arrays(self) -> None:
        space: Box[Any] = Box(0, 1, (2,))

        assert isinstance(space, Space)
        assert space.is_np_flattenable is True
        assert space.layout()[0].shape == (2,)

    @pytest.mark.parametrize("name", ["mask", "probability"])
    def test_masks_and_probabilities_are_rejected(self, name: str) -> None:
        with pytest.raises(error.Error, match=rf"Box.sample does not support {name}, got \[1\]"):
            Box(0, 1).sample(**{name: [1]})  # type: ignore[arg-type]
