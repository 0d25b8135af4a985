"""`DiscretizeAction` for vector environments."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType
from gymkernel.vector import VectorEnv, VectorizedActionWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_discretize_action import DiscretizeAction as Single

__all__ = ["DiscretizeAction"]


class DiscretizeAction(VectorizedActionWrapper[ObsType, Any, NDArray[Any], ArrayType]):
    """Cut the `Box` of actions of every environment into bins.

    Arguments and errors are those of `gymkernel.wrappers.DiscretizeAction`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[ObsType, NDArray[Any], ArrayType]) -> None: ...
