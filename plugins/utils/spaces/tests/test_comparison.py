"""Tests of descriptions of how two values differ and why a value is not an element of a space."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel.space import Space
from gymkernel_util_spaces.compare import difference, outline, short, snapshot
from gymkernel_util_spaces.membership import explain, mismatch, not_finite

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
)


class Interval(Space[Any]):
    """A space of arrays whose numbers lie between two bounds."""

    def __init__(self, low: float, high: float, shape: tuple[int, ...] = (2,), dtype: Any = np.float32) -> None:
        super().__init__(shape, dtype)
        self.low, self.high = np.full(shape, low, dtype), np.full(shape, high, dtype)

    def contains(self, x: Any) -> bool:
        fits = isinstance(x, np.ndarray) and x.shape == self.low.shape and x.dtype == self.low.dtype
        return bool(fits and (x >= self.low).all() and (x <= self.high).all())


class Named(Space[Any]):
    """A space of dicts that contain an element of each inner space."""

    def __init__(self, **spaces: Space[Any]) -> None:
        super().__init__()
        self.spaces = spaces

    def contains(self, x: Any) -> bool:
        return isinstance(x, dict) and x.keys() == self.spaces.keys() and all(self.spaces[k].contains(x[k]) for k in x)


@given(VALUES)
def test_value_equals_its_copy(value: Any) -> None:
    assert difference(value, snapshot(value)) is None


@given(VALUES, VALUES)
def test_difference_is_symmetric(a: Any, b: Any) -> None:
    assert (difference(a, b) is None) == (difference(b, a) is None)


@pytest.mark.parametrize(
    "a, b, message",
    [
        ({"x": 1}, {"y": 1}, "it had the keys ['x'], then ['y']"),
        ([1, [2]], [1, [3]], "[1][0] was 2, then 3"),
        (np.zeros(2), np.zeros(3), "it was float64 (2,), then float64 (3,)"),
        (np.zeros(2), np.zeros(2, np.float32), "it was float64 (2,), then float32 (2,)"),
        (np.array([0, 0]), np.array([1, 1]), "element [0] was 0, then 1 (2 elements differ)"),
        ((1,), (1, 2), "it was (1,), then (1, 2)"),
        (math.nan, 0.0, "it was nan, then 0.0"),
    ],
)
def test_first_differing_part_is_named(a: Any, b: Any, message: str) -> None:
    assert difference(a, b) == message


def test_order_and_nan_do_not_count_as_differences() -> None:
    assert difference({"a": 1, "b": 2}, OrderedDict(b=2, a=1)) is None
    assert difference(np.array([np.nan]), np.array([np.nan])) is None


def test_snapshot_is_a_deep_copy_and_outline_is_not() -> None:
    handle = object()
    value = {"array": np.zeros(1), "handle": handle}
    kept, outer = snapshot(value), outline(value)
    value["array"][0] = 1  # type: ignore[index]

    assert kept["array"] == outer["array"] == 0
    assert outer["handle"] is handle


def test_short_text_is_one_line() -> None:
    assert short("a\nb" * 100, 12) == "'a\\nba\\nb..."
    assert "\n" not in short(np.zeros((3, 3)))


@pytest.mark.parametrize(
    "x, kind, message",
    [
        (None, "structure", "expected an array of float32 (2,), got None"),
        (np.zeros(3, np.float32), "structure", "expected the shape (2,), got (3,)"),
        (np.zeros(2), "dtype", "expected the dtype float32, got float64"),
        (np.array([0, np.nan], np.float32), "nan", "element [1] is NaN"),
        (np.array([2, 3], np.float32), "value", "element [0] is 2.0, outside high=1.0 (2 elements are)"),
        ([0.0, 0.0], "dtype", "expected an array of float32 (2,), got [0.0, 0.0] (list)"),
    ],
)
def test_reason_why_an_array_is_not_contained(x: Any, kind: str, message: str) -> None:
    found = mismatch(Interval(-1, 1), x)

    assert found is not None
    assert (found.kind, found.message) == (kind, message)


def test_invalid_part_is_reported_with_its_path() -> None:
    space = Named(inner=Named(level=Interval(0, 1)))
    low = np.zeros(2, np.float32)

    assert explain(space, {"inner": {"level": low}}) is None
    assert explain(space, {"inner": {"level": low - 1}}) == (
        "at ['inner']['level'], element [0] is -1.0, outside low=0.0 (2 elements are)"
    )
    assert explain(space, {"inner": {}}) == "at ['inner'], expected a dict with the keys ['level'], got the keys []"


def test_non_finite_value_is_reported_with_its_index() -> None:
    assert not_finite({"a": [1.0, np.array([1, np.inf])]}) == "at ['a'][1], element [1] is inf"
    assert not_finite({"a": [1.0, "nan", 3]}) is None
