"""`RescaleAction` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper, parameters_of
from gymkernel_wrapper_rescale_action import RescaleAction as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["RescaleAction"]


class RescaleAction(VectorizedActionWrapper[ObsType, NDArray[Any], NDArray[Any], ArrayType]):
    """Take actions between other bounds in every environment, and rescale them affinely to its `Box`.

    Arguments and errors are those of `gymkernel.wrappers.RescaleAction`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[ObsType, NDArray[Any], ArrayType]) -> None: ...
