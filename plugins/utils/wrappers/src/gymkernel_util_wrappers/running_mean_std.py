"""The class `RunningMeanStd`, which computes the mean and variance of a stream of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import add, array, divide, float64, multiply, ndarray, subtract

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["RunningMeanStd", "update_mean_var_count_from_moments"]

FLOAT64 = np.dtype(np.float64)


class RunningMeanStd:
    """The elementwise mean and variance of a stream of arrays.

    The statistics are computed with the parallel algorithm of Chan et al. (1979). Each update creates new arrays, so
    arrays that were read earlier do not change. The order of operations is the same as in Gymnasium, so the same
    updates give bit-identical results.

    Args:
        epsilon: the weight of the initial statistics, which are a mean of 0 and a variance of 1.
        shape: the shape of one array.
        dtype: the dtype of the statistics. With float64, the statistics stay accurate over 10 million updates. With
            float32, updates are lost to rounding after 250,000 updates if the mean is 100 times the standard deviation.

    Attributes:
        mean: the mean, of shape `shape`.
        var: the population variance, of shape `shape`.
        count: the number of arrays in all updates so far, plus `epsilon`.

    >>> statistics = RunningMeanStd(epsilon=0)
    >>> statistics.update(np.array([1.0, 2.0, 3.0, 6.0]))
    >>> float(statistics.mean), float(statistics.var), statistics.count
    (3.0, 3.5, 4)
    """

    def __init__(self, epsilon: float = 1e-4, shape: int | Sequence[int] = (), dtype: DTypeLike = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype.kind != "f":
            raise ValueError(f"RunningMeanStd expects a floating dtype, got {self.dtype}")
        self.mean: NDArray[Any] = np.zeros(shape, self.dtype)
        self.var: NDArray[Any] = np.ones(shape, self.dtype)
        self.count: float = epsilon

    def update(self, x: ArrayLike) -> None:
        """Update the statistics with a batch of arrays.

        Args:
            x: a batch of arrays, stacked along the first axis. An empty batch has no effect.

        Raises:
            ValueError: if the arrays do not have the shape of the statistics.
        """
        batch = np.asarray(x)
        if batch.dtype.kind != "f":
            batch = batch.astype(self.dtype)
        if batch.shape[1:] != self.mean.shape or not batch.ndim:
            message = f"RunningMeanStd expects a batch of arrays of shape {self.mean.shape}, got shape {batch.shape}"
            raise ValueError(message)
        if n := len(batch):
            size = np.array(n, batch.dtype)
            mean = np.add.reduce(batch, 0) / size
            batch = batch - mean
            batch *= batch
            self.update_from_moments(mean, np.add.reduce(batch, 0) / size, n)

    def update_one(self, x: NDArray[Any]) -> None:
        """Update the statistics with one array, which is faster than calling `update` with a batch of one array.

        Args:
            x: an array of shape `shape`.
        """
        mean = self.mean
        delta = subtract(x, mean)
        if not isinstance(delta, ndarray):
            self._update_number(x, delta)
            return
        before, dtype = self.count, self.dtype
        self.count = count = before + 1
        old, new = array(before, dtype), array(count, dtype)  # twice as fast as with Python numbers
        spread = multiply(delta, delta)
        multiply(spread, old, spread)
        divide(spread, new, spread)
        self.var = var = multiply(self.var, old)
        add(var, spread, var)
        divide(var, new, var)
        divide(delta, new, delta)
        self.mean = add(mean, delta, delta)

    def _update_number(self, x: Any, delta: Any) -> None:
        """Update scalar statistics with Python floats, which are five times as fast as NumPy scalars."""
        if delta.dtype is not FLOAT64 or self.dtype is not FLOAT64:
            self.update_from_moments(x, 0.0, 1)
            return
        change, before = float(delta), self.count
        self.count = count = before + 1
        self.mean = float64(float(self.mean) + change / count)  # type: ignore[assignment]
        self.var = float64((float(self.var) * before + change * change * before / count) / count)  # type: ignore[assignment]

    def update_from_moments(self, batch_mean: ArrayLike, batch_var: ArrayLike, batch_count: float) -> None:
        """Update the statistics with the mean, variance and count of another set of arrays, such as a batch.

        Args:
            batch_mean: the mean of the arrays, of shape `shape`.
            batch_var: the population variance of the arrays, of shape `shape`.
            batch_count: the number of arrays.
        """
        mean, var, self.count = update_mean_var_count_from_moments(
            self.mean, self.var, self.count, batch_mean, batch_var, batch_count
        )
        same = mean.dtype == self.dtype
        self.mean, self.var = (mean, var) if same else (mean.astype(self.dtype), var.astype(self.dtype))

    def state_dict(self) -> dict[str, Any]:
        """Return copies of the mean, variance and count in the format that `load_state_dict` accepts."""
        return {"mean": np.array(self.mean), "var": np.array(self.var), "count": self.count}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the statistics from the result of `state_dict`.

        Args:
            state: a dictionary with the keys "mean", "var" and "count". The arrays are copied, and may also be nested
                lists.

        Raises:
            KeyError: if one of the three keys is missing.
            ValueError: if the arrays do not have the shape of the statistics.
        """
        if missing := {"mean", "var", "count"} - state.keys():
            raise KeyError(
                f"Expected a state with mean, var and count, got {list(state)} without {', '.join(sorted(missing))}"
            )
        mean, var = np.array(state["mean"], self.dtype), np.array(state["var"], self.dtype)
        if mean.shape != self.mean.shape or var.shape != self.mean.shape:
            raise ValueError(
                f"Expected a mean and a var of shape {self.mean.shape}, got shapes {mean.shape} and {var.shape}"
            )
        self.mean, self.var, self.count = mean, var, float(state["count"])

    def __repr__(self) -> str:
        return f"RunningMeanStd(mean={self.mean}, var={self.var}, count={self.count})"


def update_mean_var_count_from_moments(
    mean: Any, var: Any, count: float, batch_mean: Any, batch_var: Any, batch_count: float
) -> tuple[Any, Any, float]:
    """Combine the means, variances and counts of two sets of values.

    Args:
        mean: the mean of the first set, which is a number or an array of any shape. The other means and variances have
            the same shape.
        var: the population variance of the first set.
        count: the number of values in the first set.
        batch_mean: the mean of the second set.
        batch_var: the population variance of the second set.
        batch_count: the number of values in the second set.

    >>> update_mean_var_count_from_moments(1.0, 0.0, 2, 4.0, 0.0, 1)
    (2.0, 2.0, 3)
    """
    total = count + batch_count
    delta = batch_mean - mean
    spread = var * count + batch_var * batch_count
    if not isinstance(delta, np.ndarray):
        return mean + delta * batch_count / total, (spread + delta * delta * count * batch_count / total) / total, total
    total_array = np.array(total, delta.dtype)  # twice as fast as with a Python number
    square = delta * delta
    square *= count
    square *= batch_count
    square /= total_array
    spread += square
    spread /= total_array
    delta *= batch_count
    delta /= total_array
    delta += mean
    return delta, spread, total
