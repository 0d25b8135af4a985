"""The `RescaleAction` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper, parameters_of
from gymkernel_wrapper_rescale_action import RescaleAction as Single

__all__ = ["RescaleAction"]


class RescaleAction(VectorizedActionWrapper[ObsType, NDArray[Any], NDArray[Any], ArrayType]):
    """A vector wrapper that accepts actions within new bounds and rescales them linearly to the original bounds.

    The arguments and exceptions are the same as for `gymkernel.wrappers.RescaleAction`.

    >>> import gymkernel as gym
    >>> envs = RescaleAction(gym.make_vec("Pendulum-v1", 2, "sync"), -1.0, 1.0)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.single_action_space  # doctest: +SKIP
    Box(-1.0, 1.0, (1,), float32)
    >>> envs.step([[-1.0], [1.0]])[0].shape  # doctest: +SKIP
    (2, 3)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[ObsType, NDArray[Any], ArrayType]) -> None: ...
