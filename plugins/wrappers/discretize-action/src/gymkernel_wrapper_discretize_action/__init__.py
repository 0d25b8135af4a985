"""The `DiscretizeAction` wrapper, which divides a continuous action space into bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import EnvLike, ObsType
from gymkernel.wrapper import ActionWrapper
from gymkernel_util_wrappers.binned import Binned, padded_rows

__all__ = ["DiscretizeAction"]

TABLE = 2**16
"""The maximum number of actions for which a table of all actions is precomputed."""


class DiscretizeAction(ActionWrapper[ObsType, Any, NDArray[Any]], Binned):
    """A wrapper that divides each dimension of a bounded `Box` action space into bins of equal width.

    The wrapped environment receives the centre of the selected bin.

    Args:
        bins: the number of bins per dimension, or a sequence with a number of bins for each dimension.
        multidiscrete: whether the action space is a `MultiDiscrete` with one integer per dimension. Otherwise, the
            action space is a `Discrete` that enumerates all combinations of bins. The last dimension varies fastest.

    Raises:
        TypeError: if the action space is not a Box or `bins` contains a value that is not an integer.
        ValueError: if a bound is infinite, a number of bins is less than 1, or `bins` has the wrong length.

    >>> from gymkernel import Env
    >>> from gymkernel.spaces import Box
    >>> class Robot(Env):
    ...     action_space = Box(0.0, 8.0, (2,))
    >>> env = DiscretizeAction(Robot(), (4, 2))
    >>> env.action_space, env.action(1), env.action(6)
    (Discrete(8), array([1., 6.], dtype=float32), array([7., 2.], dtype=float32))
    """

    batched = True

    def __init__(
        self, env: EnvLike[ObsType, NDArray[Any]], bins: int | Sequence[int], multidiscrete: bool = False
    ) -> None:
        ActionWrapper.__init__(self, env)
        inner: Any = env.action_space
        edges, space = self._divide(inner, bins, multidiscrete, "action")
        self.action_space = space
        self.bin_centers = [0.5 * (edge[:-1] + edge[1:]) for edge in edges]
        self._centers = padded_rows(self.bin_centers)
        self._flat = self._centers.astype(inner.dtype).ravel()
        self._offsets = np.arange(self.n_dims) * self._centers.shape[1]
        self._shape = inner.shape
        self._table: NDArray[Any] | None = None
        if not multidiscrete and int(space.n) * self.n_dims <= TABLE:
            self._table = self._centers_of(np.arange(int(space.n)))

    def action(self, action: Any) -> NDArray[Any]:
        """Convert an action or a batch of actions to the centres of the selected bins."""
        act = np.asarray(action, np.int64)
        if self._table is not None:
            return self._table.take(act, 0, mode="wrap")
        return self._centers_of(act)

    def _centers_of(self, act: NDArray[np.int64]) -> NDArray[Any]:
        places = np.minimum(np.maximum(act, 0), self.bins - 1) if self.multidiscrete else self._split(act)
        centers: NDArray[Any] = self._flat.take(places + self._offsets)
        return centers.reshape(places.shape[:-1] + self._shape)

    def revert_action(self, action: NDArray[Any]) -> Any:
        """Return the bins whose centres are closest to an action of the wrapped environment.

        Args:
            action: an element of the wrapped environment's action space, or a batch of elements.
        """
        flat = np.asarray(action).reshape(*np.shape(action)[: np.ndim(action) - len(self._shape)], self.n_dims, 1)
        places = np.argmin(np.abs(self._centers - flat), axis=-1)
        return places if self.multidiscrete else (places * self._strides).sum(-1)
