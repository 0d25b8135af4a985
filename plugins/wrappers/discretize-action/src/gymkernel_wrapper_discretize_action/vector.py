"""The `DiscretizeAction` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper, parameters_of
from gymkernel_wrapper_discretize_action import DiscretizeAction as Single

__all__ = ["DiscretizeAction"]


class DiscretizeAction(VectorizedActionWrapper[ObsType, Any, NDArray[Any], ArrayType]):
    """A vector wrapper that divides each dimension of a bounded `Box` action space into bins.

    The arguments and exceptions are the same as for `gymkernel.wrappers.DiscretizeAction`.

    >>> import gymkernel as gym
    >>> envs = DiscretizeAction(gym.make_vec("Pendulum-v1", 2, "sync"), bins=5)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.single_action_space  # doctest: +SKIP
    Discrete(5)
    >>> envs.step([0, 4])[0].shape  # doctest: +SKIP
    (2, 3)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[ObsType, NDArray[Any], ArrayType]) -> None: ...
