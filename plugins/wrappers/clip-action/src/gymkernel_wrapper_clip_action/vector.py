"""The `ClipAction` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper, parameters_of
from gymkernel_wrapper_clip_action import ClipAction as Single

__all__ = ["ClipAction"]


class ClipAction(VectorizedActionWrapper[ObsType, NDArray[Any], NDArray[Any], ArrayType]):
    """A vector wrapper that accepts unbounded actions and clips them to the bounds of the action space.

    The arguments and exceptions are the same as for `gymkernel.wrappers.ClipAction`.

    >>> import gymkernel as gym
    >>> envs = ClipAction(gym.make_vec("Pendulum-v1", 2, "sync"))  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([[9.0], [0.5]])[0].shape  # doctest: +SKIP
    (2, 3)
    >>> envs.single_action_space  # doctest: +SKIP
    Box(-inf, inf, (1,), float32)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[ObsType, NDArray[Any], ArrayType]) -> None: ...
