"""Tests of the two maps that `rescale_box` returns."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel.spaces import Box
from gymkernel.wrappers.utils import rescale_box

NUMBERS = st.floats(-100, 100)


def interval(pair: tuple[float, float]) -> tuple[float, float]:
    low, high = sorted(pair)
    return low, high + 1


INTERVALS = st.tuples(NUMBERS, NUMBERS).map(interval)


@given(INTERVALS, INTERVALS, st.floats(0, 1))
def test_bounds_map_to_bounds_and_back(old: tuple[float, float], new: tuple[float, float], part: float) -> None:
    box, forward, backward = rescale_box(Box(*old, (1,), np.float64), *new)
    x = np.array([old[0] + part * (old[1] - old[0])])
    assert (float(box.low[0]), float(box.high[0])) == new
    np.testing.assert_allclose(forward(np.array([old[0]])), new[0], atol=1e-9)
    np.testing.assert_allclose(forward(np.array([old[1]])), new[1], atol=1e-9)
    np.testing.assert_allclose(backward(forward(x)), x, atol=1e-9)


def test_one_infinite_bound_makes_the_map_a_shift() -> None:
    old = Box(np.array([0.0, -np.inf, -np.inf]), np.array([np.inf, 1.0, np.inf]), dtype=np.float64)
    _, forward, backward = rescale_box(old, np.array([5.0, -np.inf, -np.inf]), np.array([np.inf, 3.0, np.inf]))
    assert forward(np.array([1.0, -1.0, 7.0])).tolist() == [6.0, 1.0, 7.0]
    assert backward(np.array([6.0, 1.0, 7.0])).tolist() == [1.0, -1.0, 7.0]


def test_batches_are_rescaled_along_the_leading_axes() -> None:
    _, forward, backward = rescale_box(Box(0, 10, (2,), np.float64), 0, 1)
    batch = np.arange(6.0).reshape(3, 2)
    np.testing.assert_allclose(forward(batch), batch / 10)
    np.testing.assert_allclose(backward(forward(batch)), batch)


@pytest.mark.parametrize("bounds", [(-4.0, 4.0), (1.0, 5.0), (0.0, 8.0)], ids=str)
@pytest.mark.parametrize("shape", [(), (3,)])
def test_map_stretches_shifts_or_does_both(bounds: tuple[float, float], shape: tuple[int, ...]) -> None:
    _, forward, backward = rescale_box(Box(-2, 2, shape), *bounds)
    x = np.full(shape, 0.5, np.float32)
    np.testing.assert_allclose(forward(x), bounds[0] + 2.5 * (bounds[1] - bounds[0]) / 4)
    np.testing.assert_allclose(backward(forward(x)), x)
    assert (x == 0.5).all()


def test_maps_can_be_pickled() -> None:
    _, forward, backward = pickle.loads(pickle.dumps(rescale_box(Box(-2, 2, (3,)), 0, 8)))
    np.testing.assert_allclose(backward(forward(np.ones(3))), 1)


def test_dtype_is_kept() -> None:
    box, forward, _ = rescale_box(Box(0, 10, (2,), np.float32), -1, 1)
    assert {box.dtype, forward(np.ones(2, np.float32)).dtype} == {np.dtype(np.float32)}


def test_equal_bounds_are_handled() -> None:
    _, forward, backward = rescale_box(Box(2, 2, (1,), np.float64), 5, 7)
    assert (forward(np.array([2.0])).item(), backward(np.array([5.0])).item()) == (5, 2)
    _, forward, backward = rescale_box(Box(2, 4, (1,), np.float64), 5, 5)
    assert (forward(np.array([3.0])).item(), backward(np.array([5.0])).item()) == (5, 2)


@pytest.mark.parametrize(
    "box, bounds, error, message",
    [
        ("a word", (0, 1), TypeError, r"^rescale_box expects a Box, got 'a word'$"),
        (
            Box(0, 1),
            ("a", 1),
            TypeError,
            "^rescale_box expects new_min to be a number or an array of numbers, got 'a'$",
        ),
        (Box(0, 1), (0, [1, 2]), ValueError, r"^rescale_box expects new_max to have shape \(1,\), got shape \(2,\)$"),
        (Box(0, 1), (2, 1), ValueError, "^rescale_box expects new_min <= new_max, got 2 and 1$"),
        (
            Box(0, 1),
            (0, np.inf),
            ValueError,
            "^rescale_box expects new_max to be infinite exactly where the old bound is",
        ),
        (
            Box(0, np.inf),
            (0, 1),
            ValueError,
            "^rescale_box expects new_max to be infinite exactly where the old bound is",
        ),
        (Box(0, 1), (np.nan, 1), ValueError, "expects bounds without NaN, got new_min=nan$"),
    ],
)
def test_incompatible_bounds_are_rejected(
    box: Any, bounds: tuple[Any, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        rescale_box(box, *bounds)
