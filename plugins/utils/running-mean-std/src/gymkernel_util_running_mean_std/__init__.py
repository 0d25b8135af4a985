"""`RunningMeanStd`: mean and variance of a stream of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["RunningMeanStd", "update_mean_var_count_from_moments"]


class RunningMeanStd:
    """Mean and variance of a stream of arrays, element by element, by the parallel algorithm of Chan et al. (1979).

    An update never changes an array that was read before.

    Args:
        epsilon: the weight of what stands before the first update: a mean of 0 and a variance of 1.
        shape: of one array.
        dtype: of the statistics. In float64 they stay exact over 10 million updates; in float32 an update becomes
            smaller than the last digit of the mean, after 250,000 where that is 100 times the deviation.

    Attributes:
        mean: the mean, of `shape`.
        var: the variance (of the population), of `shape`.
        count: how many arrays there were, plus `epsilon`.

    >>> statistics = RunningMeanStd(epsilon=0)
    >>> statistics.update(np.array([1.0, 2.0, 3.0, 6.0]))
    >>> float(statistics.mean), float(statistics.var), statistics.count
    (3.0, 3.5, 4)
    """

    def __init__(self, epsilon: float = 1e-4, shape: int | Sequence[int] = (), dtype: DTypeLike = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype.kind != "f":
            message = f"RunningMeanStd expects a floating dtype, got {self.dtype}"
            raise ValueError(message)
        self.mean: NDArray[Any] = np.zeros(shape, self.dtype)
        self.var: NDArray[Any] = np.ones(shape, self.dtype)
        self.count: float = epsilon

    def update(self, x: ArrayLike) -> None:
        """Take in a batch.

        Args:
            x: arrays along the first axis; none at all changes nothing.

        Raises:
            ValueError: the arrays are not of `shape`.
        """
        batch = np.asarray(x, self.dtype)
        if batch.shape[1:] != self.mean.shape or not batch.ndim:
            message = f"RunningMeanStd expects a batch of arrays of shape {self.mean.shape}, got shape {batch.shape}"
            raise ValueError(message)
        if n := len(batch):
            mean = np.add.reduce(batch, 0) / n
            batch = batch - mean
            self.update_from_moments(mean, np.add.reduce(batch * batch, 0) / n, n)

    def update_one(self, x: NDArray[Any]) -> None:
        """Take in one array, of `shape`: the same as a batch of it alone, in a fraction of the time."""
        before = self.count
        self.count = count = before + 1
        delta = x - self.mean
        step = delta / count
        self.mean = self.mean + step
        self.var = (self.var + delta * step) * (before / count)

    def update_from_moments(self, batch_mean: ArrayLike, batch_var: ArrayLike, batch_count: float) -> None:
        """Take in a batch, or other statistics, by mean, variance and count."""
        mean, var = np.asarray(batch_mean, self.dtype), np.asarray(batch_var, self.dtype)
        moments = update_mean_var_count_from_moments(self.mean, self.var, self.count, mean, var, batch_count)
        self.mean, self.var, self.count = moments

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` takes: copies of `mean` and `var`, and `count`."""
        return {"mean": np.array(self.mean), "var": np.array(self.var), "count": self.count}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state.

        Args:
            state: from `state_dict`; its arrays are copied, and may be nested lists.

        Raises:
            KeyError: something is missing.
            ValueError: the arrays are not of `shape`.
        """
        if missing := {"mean", "var", "count"} - state.keys():
            message = (
                f"A state of RunningMeanStd has mean, var and count; {sorted(missing)} is missing in {list(state)}"
            )
            raise KeyError(message)
        mean, var = np.array(state["mean"], self.dtype), np.array(state["var"], self.dtype)
        if mean.shape != self.mean.shape or var.shape != self.mean.shape:
            message = (
                f"Expected a state of shape {self.mean.shape}, got a mean of {mean.shape} and a var of {var.shape}"
            )
            raise ValueError(message)
        self.mean, self.var, self.count = mean, var, float(state["count"])

    def __repr__(self) -> str:
        return f"RunningMeanStd(mean={self.mean}, var={self.var}, count={self.count})"


def update_mean_var_count_from_moments(
    mean: Any, var: Any, count: float, batch_mean: Any, batch_var: Any, batch_count: float
) -> tuple[Any, Any, float]:
    """The mean, variance and count of two sets together, from those of each.

    >>> update_mean_var_count_from_moments(1.0, 0.0, 2, 4.0, 0.0, 1)
    (2.0, 2.0, 3)
    """
    total = count + batch_count
    delta = batch_mean - mean
    share = batch_count / total
    spread = (var * count + batch_var * batch_count) / total
    return mean + delta * share, spread + delta * delta * (share * (count / total)), total
