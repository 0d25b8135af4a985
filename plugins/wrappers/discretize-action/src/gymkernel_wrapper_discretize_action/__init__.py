"""The `DiscretizeAction` wrapper, which divides a continuous action space into bins."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ActionWrapper
from gymkernel_space_discrete import Discrete
from gymkernel_space_multi_discrete import MultiDiscrete
from gymkernel_util_wrappers.space_checks import require_box

__all__ = ["DiscretizeAction"]

TABLE = 2**16
"""The maximum number of actions for which a table of all actions is precomputed."""


class DiscretizeAction(ActionWrapper[ObsType, Any, NDArray[Any]], RecordConstructorArgs):
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
        require_box(inner, "DiscretizeAction", "action")
        low, high = np.ravel(inner.low), np.ravel(inner.high)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ValueError(f"DiscretizeAction expects the action space to have finite bounds, got {inner}")
        numbers = _numbers(bins, low.size)
        number = math.prod(numbers)
        if not multidiscrete and number >= 2**63:
            raise ValueError(f"{number} combinations of bins do not fit into a Discrete; pass multidiscrete=True")
        RecordConstructorArgs.__init__(
            self, bins=numbers if hasattr(bins, "__iter__") else numbers[0], multidiscrete=bool(multidiscrete)
        )
        self.low, self.high, self.n_dims, self.multidiscrete = low, high, low.size, bool(multidiscrete)
        self.bins = np.array(numbers)
        edges = [np.linspace(a, b, n + 1) for a, b, n in zip(low, high, numbers, strict=True)]
        self.bin_centers = [0.5 * (edge[:-1] + edge[1:]) for edge in edges]
        self._centers = np.full((self.n_dims, max(numbers, default=1)), np.inf, np.result_type(*edges, np.float16))
        for row, centers in zip(self._centers, self.bin_centers, strict=True):
            row[: len(centers)] = centers
        if not multidiscrete:
            self._strides = np.array([math.prod(numbers[i + 1 :]) for i in range(self.n_dims)], np.int64)
        self._flat = self._centers.astype(inner.dtype).ravel()
        self._offsets = np.arange(self.n_dims) * self._centers.shape[1]
        self._shape = inner.shape
        self._table: NDArray[Any] | None = None
        self.action_space = MultiDiscrete(self.bins) if multidiscrete else Discrete(number)
        if not multidiscrete and number * self.n_dims <= TABLE:
            self._table = self._centers_of(np.arange(number))

    def action(self, action: Any) -> NDArray[Any]:
        """Convert an action or a batch of actions to the centres of the selected bins."""
        act = np.asarray(action, np.int64)
        if self._table is not None:
            return self._table.take(act, 0, mode="wrap")
        return self._centers_of(act)

    def _centers_of(self, act: NDArray[np.int64]) -> NDArray[Any]:
        if self.multidiscrete:
            places = np.minimum(np.maximum(act, 0), self.bins - 1)
        else:
            places = act[..., None] // self._strides % self.bins
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


def _numbers(bins: Any, n: int) -> tuple[int, ...]:
    message = f"DiscretizeAction expects bins to be one integer or {n} integers of at least 1, got {bins!r}"
    try:
        numbers = tuple(map(operator.index, bins)) if hasattr(bins, "__iter__") else (operator.index(bins),) * n
    except TypeError:
        raise TypeError(message) from None
    if len(numbers) != n or any(number < 1 for number in numbers):
        raise ValueError(message)
    return numbers
