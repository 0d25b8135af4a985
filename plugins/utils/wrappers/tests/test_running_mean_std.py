"""Tests that the statistics of `RunningMeanStd` do not depend on how the numbers are split into updates."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel.wrappers.utils import RunningMeanStd, update_mean_var_count_from_moments

NUMBERS = st.floats(-1e3, 1e3)


def rows(draw_from: list[list[float]]) -> np.ndarray[Any, Any]:
    return np.array(draw_from).reshape(-1, 3)


BATCHES = st.lists(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), max_size=5).map(rows), min_size=1, max_size=6)


@given(BATCHES)
def test_consecutive_batches_equal_one_batch(batches: list[Any]) -> None:
    everything = np.concatenate(batches)
    statistics = RunningMeanStd(epsilon=0, shape=(3,))
    for batch in batches:
        statistics.update(batch)
    assert statistics.count == len(everything)
    if len(everything):
        np.testing.assert_allclose(statistics.mean, everything.mean(axis=0), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(statistics.var, everything.var(axis=0), rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 2), (0,)], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(seed=st.integers(0, 99), epsilon=st.sampled_from([1e-4, 0, 5]), scale=st.sampled_from([1e-9, 1.0, 1e9, 1e200]))
def test_single_updates_equal_batches_of_one_exactly(
    shape: Any, dtype: Any, seed: int, epsilon: float, scale: float
) -> None:
    fast, plain = RunningMeanStd(epsilon, shape, dtype), RunningMeanStd(epsilon, shape, dtype)
    scale = scale if dtype == np.float64 else min(scale, 1e9)  # float32 cannot hold 1e200
    with np.errstate(over="ignore", invalid="ignore"):
        for x in np.random.default_rng(seed).normal(scale, scale, (9, *shape)).astype(dtype):
            fast.update_one(np.asarray(x))
            plain.update(x[None])
    np.testing.assert_array_equal(fast.mean, plain.mean, strict=True)
    np.testing.assert_array_equal(fast.var, plain.var, strict=True)
    assert fast.count == plain.count


def test_initial_mean_is_0_and_variance_1() -> None:
    statistics = RunningMeanStd(shape=(2,))
    assert statistics.mean.tolist() == [0, 0]
    assert statistics.var.tolist() == [1, 1]
    assert statistics.count == 1e-4


def test_scalars_have_an_empty_shape() -> None:
    statistics = RunningMeanStd(epsilon=0)
    statistics.update([1, 3])
    assert (float(statistics.mean), float(statistics.var)) == (2, 1)


def test_earlier_results_are_not_overwritten() -> None:
    statistics = RunningMeanStd(shape=(2,))
    mean, var = statistics.mean, statistics.var
    statistics.update([[5, 6]])
    statistics.update_one(np.array([5, 6]))
    assert (mean.tolist(), var.tolist()) == ([0, 0], [1, 1])


def test_empty_batch_changes_nothing() -> None:
    statistics = RunningMeanStd(shape=(2,))
    statistics.update(np.zeros((0, 2)))
    assert (statistics.mean.tolist(), statistics.count) == ([0, 0], 1e-4)


@pytest.mark.parametrize("x", [1.0, [1.0, 2.0], [[1.0, 2.0, 3.0]]])
def test_arrays_with_wrong_shape_are_rejected(x: Any) -> None:
    with pytest.raises(ValueError, match=r"^RunningMeanStd expects a batch of arrays of shape \(2,\), got shape"):
        RunningMeanStd(shape=(2,)).update(x)


def test_the_dtype_is_kept() -> None:
    statistics = RunningMeanStd(shape=(2,), dtype=np.float32)
    statistics.update(np.ones((3, 2)))
    assert {statistics.mean.dtype, statistics.var.dtype} == {np.dtype(np.float32)}


def test_integer_dtype_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^RunningMeanStd expects a floating dtype, got int64$"):
        RunningMeanStd(dtype=np.int64)


def test_state_survives_json() -> None:
    draw = np.random.default_rng(3)
    statistics = RunningMeanStd(shape=(2,))
    statistics.update(draw.normal(size=(10, 2)))
    text = json.dumps({key: np.asarray(value).tolist() for key, value in statistics.state_dict().items()})
    restored = RunningMeanStd(shape=(2,))
    restored.load_state_dict(json.loads(text))
    more = draw.normal(size=(10, 2))
    statistics.update(more)
    restored.update(more)
    assert repr(restored) == repr(statistics)


def test_state_is_a_copy() -> None:
    statistics = RunningMeanStd(shape=(2,))
    state = statistics.state_dict()
    state["mean"][0] = 7
    assert statistics.mean.tolist() == [0, 0]


def test_state_with_wrong_shape_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^Expected a mean and a var of shape \(2,\), got shapes \(3,\)"):
        RunningMeanStd(shape=(2,)).load_state_dict(RunningMeanStd(shape=(3,)).state_dict())


def test_incomplete_state_is_rejected() -> None:
    with pytest.raises(KeyError, match=r"mean, var and count, got .* without var"):
        RunningMeanStd().load_state_dict({"mean": 0, "count": 1})


def test_moments_of_two_sets_are_combined() -> None:
    a, b = np.array([1.0, 5.0, 9.0]), np.array([2.0, 2.5])
    got = update_mean_var_count_from_moments(a.mean(), a.var(), 3, b.mean(), b.var(), 2)
    both = np.concatenate([a, b])
    np.testing.assert_allclose(got, [both.mean(), both.var(), 5])


@pytest.mark.slow
def test_ten_million_updates_keep_precision() -> None:
    """Update with numbers around a million, for which sums of squares would be too inaccurate."""
    draw = np.random.default_rng(1)
    one, batched = RunningMeanStd(epsilon=0, shape=(1,)), RunningMeanStd(epsilon=0, shape=(1,))
    mean = m2 = 0.0
    n = 0
    for _ in range(1000):
        x = draw.normal(1e6, 1.0, (10_000, 1))
        batched.update(x)
        for row in x:
            one.update_one(row)
        shifted = x[:, 0].astype(np.longdouble) - 1e6
        mean, m2, n = mean + shifted.sum(), m2 + (shifted * shifted).sum(), n + len(x)
    expected = 1e6 + float(mean / n), float(m2 / n - (mean / n) ** 2)
    for statistics in (one, batched):
        assert statistics.count == 10_000_000
        np.testing.assert_allclose(statistics.mean, expected[0], rtol=1e-12)
        np.testing.assert_allclose(statistics.var, expected[1], rtol=1e-8)


@pytest.mark.parametrize("shape", [(), (1,), (2, 2)], ids=str)
def test_late_updates_still_count(shape: Any) -> None:
    """Load exact statistics of 9,990,000 numbers, and compute the expected results of more updates with integers."""
    draw = np.random.default_rng(2)
    more = draw.integers(100_000_000, 100_000_100, (10_000, *shape))
    before, low = 9_990_000, 100_000_040
    one, batched = RunningMeanStd(0, shape), RunningMeanStd(0, shape)
    for statistics in (one, batched):
        statistics.load_state_dict({"mean": np.full(shape, low), "var": np.full(shape, 7.0), "count": before})
    batched.update(more.astype(np.float64))
    for row in more.astype(np.float64):
        one.update_one(np.asarray(row))
    total, shifted = before + len(more), more - low
    sums, squares = shifted.sum(0), (shifted * shifted).sum(0) + 7 * before
    for statistics in (one, batched):
        np.testing.assert_allclose(statistics.mean - low, sums / total, rtol=1e-3)
        np.testing.assert_allclose(statistics.var, squares / total - (sums / total) ** 2, rtol=1e-8)
