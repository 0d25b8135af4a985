"""The `DelayObservation` wrapper for vector environments."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.ops import create_empty_array, create_zero_array
from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike, Where
from gymkernel_util_wrappers.env_view import batch_axes
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper
from gymkernel_wrapper_delay_observation import DelayObservation as Single

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["DelayObservation"]


class DelayObservation(VectorizedObservationWrapper[ObsType, ActType, ObsType, ArrayType]):
    """A vector wrapper that returns observations from `delay` steps ago, or zeros at the start of an episode.

    The arguments and exceptions are the same as for `gymkernel.wrappers.DelayObservation`.

    >>> import gymkernel as gym
    >>> envs = DelayObservation(gym.make_vec("CartPole-v1", 2, "sync"), delay=1)  # doctest: +SKIP
    >>> observations, _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> observations.any()  # doctest: +SKIP
    np.False_
    >>> envs.step([0, 1])[0].any()  # doctest: +SKIP
    np.True_
    """

    single = Single

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType], delay: int) -> None:
        arrays = isinstance(create_empty_array(env.single_observation_space, 1), np.ndarray)
        self.single = _BatchDelay if arrays else _CopyingDelay  # type: ignore[misc] # set only on this object
        super().__init__(env, delay)


class _CopyingDelay(Single[Any, Any]):
    """A `DelayObservation` that stores copies, because the vector environment may overwrite its observations."""

    def observation(self, observation: Any) -> Any:
        return super().observation(copy.deepcopy(observation))


class _BatchDelay(Single[Any, Any]):
    """A `DelayObservation` that stores the last `delay + 1` batches, each a single array, in a ring buffer."""

    batched = True

    def __init__(self, env: Any, delay: int) -> None:
        super().__init__(env, delay)
        (n,) = batch_axes(env)
        batch = create_empty_array(env.observation_space, n)
        self._ring = np.zeros((delay + 1, *batch.shape), batch.dtype)
        self._at = 0
        """The index of the newest batch in the ring buffer."""
        self._filling = 0
        """The number of steps until every environment has enough observations to fill the ring buffer."""
        self._count = np.zeros(n, np.int64)
        """The number of observations so far in each environment's episode. It is updated only until the ring buffer is
        full."""
        self._zero = create_zero_array(env.observation_space)

    def on_reset(self, where: Where = ...) -> None:
        self._count[where] = 0
        self._filling = len(self._ring)

    def observation(self, observation: NDArray[Any], where: Where = ...) -> NDArray[Any]:
        ring, length = self._ring, len(self._ring)
        if where is ...:
            self._at = (self._at + 1) % length
            ring[self._at] = observation
        else:  # shift the rows of these environments by one slot, and leave all other rows in place
            slots = [(self._at - k) % length for k in range(length)]
            for older, newer in zip(reversed(slots[1:]), reversed(slots[:-1]), strict=True):
                ring[older, where] = ring[newer, where]
            ring[self._at, where] = observation[where]
        late: NDArray[Any] = ring[(self._at + 1) % length].copy()
        if self._filling:
            self._count[where] += 1
            late[self._count < length] = self._zero
            self._filling -= where is ...
        return late
