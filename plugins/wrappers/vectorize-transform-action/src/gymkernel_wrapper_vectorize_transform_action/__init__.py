"""The `VectorizeTransformAction` wrapper, which applies a single-environment action wrapper to a vector environment."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike, WrapperActType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ActionWrapper
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper

__all__ = ["VectorizeTransformAction"]


class VectorizeTransformAction(
    VectorizedActionWrapper[ObsType, WrapperActType, ActType, ArrayType], RecordConstructorArgs
):
    """A vector wrapper that applies a single-environment `ActionWrapper` to each environment.

    A wrapper class with `batched = True` is instantiated only once and receives batches. Any other wrapper class is
    instantiated once for each environment.

    Args:
        wrapper: a class that defines `action` and, if it stores state during an episode, also `on_reset`.
        **kwargs: keyword arguments for the wrapper's constructor, except the environment.

    Raises:
        TypeError: if `wrapper` is not a subclass of `gymkernel.ActionWrapper`.

    >>> from gymkernel import ActionWrapper
    >>> class Opposite(ActionWrapper):
    ...     def action(self, action):
    ...         return 1 - action
    >>> import gymkernel as gym
    >>> plain = gym.make_vec("CartPole-v1", 2, "sync")  # doctest: +SKIP
    >>> envs = VectorizeTransformAction(gym.make_vec("CartPole-v1", 2, "sync"), Opposite)  # doctest: +SKIP
    >>> _ = plain.reset(seed=7), envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[0].tolist() == plain.step([1, 0])[0].tolist()  # doctest: +SKIP
    True
    """

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        wrapper: type[ActionWrapper[Any, WrapperActType, ActType]],
        **kwargs: Any,
    ) -> None:
        if not (isinstance(wrapper, type) and issubclass(wrapper, ActionWrapper)):
            raise TypeError(f"VectorizeTransformAction expects a subclass of gymkernel.ActionWrapper, got {wrapper!r}")
        RecordConstructorArgs.__init__(self, wrapper=wrapper, **kwargs)
        self.single = wrapper  # type: ignore[misc] # set on this object only
        super().__init__(env, **kwargs)
