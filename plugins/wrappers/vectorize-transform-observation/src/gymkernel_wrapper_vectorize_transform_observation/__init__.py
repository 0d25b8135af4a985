"""`VectorizeTransformObservation`: a wrapper for one environment, around a vector environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType, ObsType, WrapperObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["VectorizeTransformObservation"]


class VectorizeTransformObservation(
    VectorizedObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType], RecordConstructorArgs
):
    """Put a wrapper of observations, written for one environment, around a vector environment.

    Every environment gets a wrapper of its own, so that one that remembers something of the episode works, too. One
    that says `batched` is made once and gets whole batches. Last observations of episodes under SAME_STEP go through
    it as well. Wrappers of this library have vectorized ones in `gymkernel.wrappers.vector`, which are faster.

    Args:
        wrapper: a subclass of `gymkernel.ObservationWrapper`.
        **kwargs: for the wrapper.

    Raises:
        TypeError: `wrapper` is no such class.
    """

    def __init__(
        self,
        env: VectorEnv[ObsType, ActType, ArrayType],
        wrapper: type[ObservationWrapper[Any, Any, Any]],
        **kwargs: Any,
    ) -> None:
        if not (isinstance(wrapper, type) and issubclass(wrapper, ObservationWrapper)):
            raise TypeError(
                f"VectorizeTransformObservation expects a subclass of gymkernel.ObservationWrapper, got {wrapper!r}; "
                "put a wrapper that defines step around each environment: make_vec(..., wrappers=[...])"
            )
        RecordConstructorArgs.__init__(self, wrapper=wrapper, **kwargs)
        self.single = wrapper  # type: ignore[misc] # of this one
        super().__init__(env, **kwargs)
