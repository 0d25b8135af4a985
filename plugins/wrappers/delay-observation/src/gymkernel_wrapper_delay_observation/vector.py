"""`DelayObservation` for vector environments."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.ops import create_empty_array, create_zero_array
from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel_util_wrappers.env_view import batch_axes
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper
from gymkernel_wrapper_delay_observation import DelayObservation as Single

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.vector_env import VectorEnv
    from gymkernel.wrapper import Where

__all__ = ["DelayObservation"]


class DelayObservation(VectorizedObservationWrapper[ObsType, ActType, ObsType, ArrayType]):
    """Show the observations of `delay` steps ago of every environment; before there is one, zeros.

    Arguments and errors are those of `gymkernel.wrappers.DelayObservation`.
    """

    single = Single

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], delay: int) -> None:
        arrays = isinstance(create_empty_array(env.single_observation_space, 1), np.ndarray)
        self.single = _Batch if arrays else _Kept  # type: ignore[misc] # of this one
        super().__init__(env, delay)


class _Kept(Single[Any, Any]):
    """Copies of what may be parts of arrays that the vector environment uses again."""

    def observation(self, observation: Any) -> Any:
        return super().observation(copy.deepcopy(observation))


class _Batch(Single[Any, Any]):
    """Batches that are one array, in a ring of as many as are on their way."""

    batched = True

    def __init__(self, env: Any, delay: int) -> None:
        super().__init__(env, delay)
        (n,) = batch_axes(env)
        batch = create_empty_array(env.observation_space, n)
        self._ring = np.zeros((delay + 1, *batch.shape), batch.dtype)
        self._at = 0
        """Where in the ring the last batch is."""
        self._young = 0
        """For how many steps of all environments some may have had fewer observations than the ring has places."""
        self._count = np.zeros(n, np.int64)
        """How many observations of its episode an environment had, while some are young."""
        self._zero = create_zero_array(env.observation_space)

    def on_reset(self, where: Where = ...) -> None:
        self._count[where] = 0
        self._young = len(self._ring)

    def observation(self, observation: NDArray[Any], where: Where = ...) -> NDArray[Any]:
        ring, length = self._ring, len(self._ring)
        if where is ...:
            self._at = (self._at + 1) % length
            ring[self._at] = observation
        else:  # the others stay where they are, so that these move on: what each slot has goes to the one before it
            slots = [(self._at - k) % length for k in range(length)]
            for older, newer in zip(reversed(slots[1:]), reversed(slots[:-1]), strict=True):
                ring[older, where] = ring[newer, where]
            ring[self._at, where] = observation[where]
        late: NDArray[Any] = ring[(self._at + 1) % length].copy()
        if self._young:
            self._count[where] += 1
            late[self._count < length] = self._zero
            self._young -= where is ...
        return late
