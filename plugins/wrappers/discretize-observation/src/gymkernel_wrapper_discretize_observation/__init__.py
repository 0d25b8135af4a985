"""The `DiscretizeObservation` wrapper, which divides continuous observations into bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.wrapper import ObservationWrapper
from gymkernel_util_wrappers.binned import Binned, padded_rows
from gymkernel_util_wrappers.env_view import batch_axes

__all__ = ["DiscretizeObservation"]


class DiscretizeObservation(ObservationWrapper[Any, ActType, NDArray[Any]], Binned):
    """A wrapper that replaces each value of a bounded `Box` observation with the index of a bin.

    All bins for a value have the same width. A value on the edge between two bins is assigned to the upper bin. A value
    outside the bounds is assigned to the nearest bin.

    Args:
        bins: the number of bins per value, or a sequence with a number of bins for each value, in C order.
        multidiscrete: whether observations are arrays of bin indices, in a `MultiDiscrete`. Otherwise, an observation
            is a single integer in a `Discrete` that enumerates all combinations of bins. The last value varies fastest.

    Raises:
        TypeError: if the observation space is not a Box or `bins` contains a value that is not an integer.
        ValueError: if a bound is infinite, a number of bins is less than 1, or `bins` has the wrong length.

    >>> from gymkernel import Env
    >>> from gymkernel.spaces import Box
    >>> class Still(Env):
    ...     observation_space = Box(0.0, 1.0, (2,))
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.array([0.35, 0.95], np.float32), {}
    >>> env = DiscretizeObservation(Still(), bins=4)
    >>> env.observation_space, env.reset()[0]
    (Discrete(16), 7)
    >>> env.revert_observation(7)
    (array([0.25, 0.75], dtype=float32), array([0.5, 1. ], dtype=float32))
    """

    batched = True

    def __init__(self, env: EnvLike[Any, ActType], bins: int | Sequence[int], multidiscrete: bool = False) -> None:
        ObservationWrapper.__init__(self, env)
        edges, self.observation_space = self._divide(env.observation_space, bins, multidiscrete, "observation")
        self.bin_edges = [edge[1:-1] for edge in edges]
        self._edges, self._inner = padded_rows(edges), padded_rows(self.bin_edges)
        self._shape = (*batch_axes(env), self.n_dims)

    def observation(self, observation: NDArray[Any]) -> Any:
        """Convert an observation or a batch of observations to the indices of the bins."""
        numbers = np.reshape(observation, self._shape)
        indices = np.add.reduce(numbers[..., None] >= self._inner, -1, np.int64)
        if self.multidiscrete:
            return indices
        flat = indices @ self._strides
        return flat if flat.ndim else int(flat)

    def revert_observation(self, obs: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the lower and upper edges of the bins of an observation or of a batch of observations.

        Args:
            obs: the result of `observation`.

        Returns:
            An array of lower edges and an array of upper edges, with the shape and dtype of the wrapped environment's
            observations. For a batch, the arrays have additional leading axes.
        """
        indices = np.asarray(obs, np.int64)
        if not self.multidiscrete:
            indices = self._split(indices)
        rows, dtype = np.arange(self.n_dims), self.env.observation_space.dtype
        return self._edges[rows, indices].astype(dtype), self._edges[rows, indices + 1].astype(dtype)
