"""`TransformObservation` for vector environments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gymkernel import logger, ops
from gymkernel.protocols import ActType, ArrayType, ObsType, WrapperObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_wrapper import VectorObservationWrapper
from gymkernel_wrapper_transform_observation import function, unchanged

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["TransformObservation"]


class TransformObservation(
    VectorObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType], RecordConstructorArgs
):
    """Put every batch of observations through a function.

    `VectorizeTransformObservation` puts the observation of each environment through one.

    Under SAME_STEP the last observations of episodes are put through it, too, in their places of a batch.

    Args:
        func: what makes of a batch of observations the one that the agent sees. It is to treat the environments
            alike, and to remember nothing.
        observation_space: the space of those batches; None where it is the batch of `single_observation_space`, or,
            without one, that of the environment inside.
        single_observation_space: the space of one environment's observations; None where it is that of the
            environment inside.

    `f` is that of `gymkernel.wrappers.TransformObservation`, and errors are as there.
    """

    def __init__(
        self,
        env: VectorEnv[ObsType, ActType, ArrayType],
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
            wanted = ops.batch_space(self.single_observation_space, env.num_envs)
            if observation_space != wanted:
                logger.warn(
                    "the batched observation space %s does not go with the single one, whose batch is %s; pass both",
                    observation_space,
                    wanted,
                )
        self.func = func

    def observations(self, observations: ObsType) -> WrapperObsType:
        """What the function makes of the batch."""
        func = self.func  # faster by a name of its own
        return func(observations)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TransformObservation[Any, Any, Any, Any]]:
        """For `gymkernel check`: with a function that changes nothing."""
        yield cls(env, unchanged)
