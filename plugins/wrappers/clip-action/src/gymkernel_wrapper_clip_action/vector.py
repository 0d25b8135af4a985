"""`ClipAction` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper, parameters_of
from gymkernel_wrapper_clip_action import ClipAction as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["ClipAction"]


class ClipAction(VectorizedActionWrapper[ObsType, NDArray[Any], NDArray[Any], ArrayType]):
    """Clip the action of every environment to the bounds of its `Box`.

    Arguments and errors are those of `gymkernel.wrappers.ClipAction`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[ObsType, NDArray[Any], ArrayType]) -> None: ...
