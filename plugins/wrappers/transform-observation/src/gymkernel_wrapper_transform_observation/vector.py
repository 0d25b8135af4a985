"""The `TransformObservation` wrapper for vector environments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gymkernel import logger, ops
from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike, WrapperObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_wrapper import VectorObservationWrapper
from gymkernel_wrapper_transform_observation import function, identity

__all__ = ["TransformObservation"]


class TransformObservation(
    VectorObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType], RecordConstructorArgs
):
    """A vector wrapper that applies a function to each batch of observations.

    In SAME_STEP mode, the function is also applied to batches of final observations. For a function that takes a single
    observation, use `VectorizeTransformObservation`.

    Args:
        func: a function that takes a batch of observations and returns a batch of observations for the agent. The
            function must be stateless, and its result for an environment must not depend on other environments.
        observation_space: the space of the transformed batches. None means the batched `single_observation_space` or,
            if this is also None, the original space.
        single_observation_space: the space of a single transformed observation, or None to keep the original space.
        f: a keyword-only alias of `func`.

    The exceptions are the same as for `gymkernel.wrappers.TransformObservation`.

    >>> import gymkernel as gym
    >>> envs = TransformObservation(
    ...     gym.make_vec("CartPole-v1", 2, "sync"), lambda observations: 0 * observations
    ... )  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].any()  # doctest: +SKIP
    np.False_
    """

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        func: Callable[[ObsType], WrapperObsType] | None = None,
        observation_space: Any = None,
        single_observation_space: Any = None,
        *,
        f: Callable[[ObsType], WrapperObsType] | None = None,
    ) -> None:
        func = function(func, f, "a batch of observations")
        spaces = {"observation_space": observation_space, "single_observation_space": single_observation_space}
        RecordConstructorArgs.__init__(self, _disable_deepcopy=True, func=func, **spaces)
        super().__init__(env)
        if single_observation_space is not None:
            self.single_observation_space = single_observation_space
            self.observation_space = ops.batch_space(single_observation_space, env.num_envs)
        if observation_space is not None:
            self.observation_space = observation_space
            expected = ops.batch_space(self.single_observation_space, env.num_envs)
            if observation_space != expected:
                logger.warn(
                    "observation_space %s is not the batched single_observation_space, %s; pass both",
                    observation_space,
                    expected,
                )
        self.func = func

    def observations(self, observations: ObsType) -> WrapperObsType:
        """Apply the function to a batch of observations."""
        func = self.func  # a local variable is faster
        return func(observations)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TransformObservation[Any, Any, Any, Any]]:
        """Yield an instance that `gymkernel check` tests. Its function returns the argument unchanged."""
        yield cls(env, identity)
