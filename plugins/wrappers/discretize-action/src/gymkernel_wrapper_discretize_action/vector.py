"""`DiscretizeAction` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper, parameters_of
from gymkernel_wrapper_discretize_action import DiscretizeAction as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["DiscretizeAction"]


class DiscretizeAction(VectorizedActionWrapper[ObsType, Any, NDArray[Any], ArrayType]):
    """Cut the `Box` of actions of every environment into bins.

    Arguments and errors are those of `gymkernel.wrappers.DiscretizeAction`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[ObsType, NDArray[Any], ArrayType]) -> None: ...
