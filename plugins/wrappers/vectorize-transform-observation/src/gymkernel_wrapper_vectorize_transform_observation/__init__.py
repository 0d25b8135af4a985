"""The `VectorizeTransformObservation` wrapper, which applies a single-environment wrapper to a vector environment."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike, WrapperObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper

__all__ = ["VectorizeTransformObservation"]


class VectorizeTransformObservation(
    VectorizedObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType], RecordConstructorArgs
):
    """A vector wrapper that applies a single-environment `ObservationWrapper` to each environment.

    A wrapper class with `batched = True` is instantiated only once and receives batches. Any other wrapper class is
    instantiated once for each environment, so that it can store state during an episode. In SAME_STEP mode, the final
    observations of episodes are also transformed. For gymkernel's own wrappers, `gymkernel.wrappers.vector` contains
    faster vector versions.

    Args:
        wrapper: a subclass of `gymkernel.ObservationWrapper`.
        **kwargs: keyword arguments for the wrapper's constructor, except the environment.

    Raises:
        TypeError: if `wrapper` is not a subclass of `gymkernel.ObservationWrapper`.

    >>> from gymkernel import ObservationWrapper
    >>> class Halved(ObservationWrapper):
    ...     def observation(self, observation):
    ...         return observation / 2
    >>> import gymkernel as gym
    >>> plain = gym.make_vec("CartPole-v1", 2, "sync")  # doctest: +SKIP
    >>> envs = VectorizeTransformObservation(gym.make_vec("CartPole-v1", 2, "sync"), Halved)  # doctest: +SKIP
    >>> bool((envs.reset(seed=7)[0] == plain.reset(seed=7)[0] / 2).all())  # doctest: +SKIP
    True
    """

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        wrapper: type[ObservationWrapper[Any, Any, Any]],
        **kwargs: Any,
    ) -> None:
        if not (isinstance(wrapper, type) and issubclass(wrapper, ObservationWrapper)):
            raise TypeError(
                f"VectorizeTransformObservation expects a subclass of gymkernel.ObservationWrapper, got {wrapper!r}; "
                "apply any other wrapper to each environment: make_vec(..., wrappers=[...])"
            )
        RecordConstructorArgs.__init__(self, wrapper=wrapper, **kwargs)
        self.single = wrapper  # type: ignore[misc] # set on this object only
        super().__init__(env, **kwargs)
