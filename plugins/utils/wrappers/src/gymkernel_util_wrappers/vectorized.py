"""Base classes for vector wrappers that apply a single-environment wrapper to a vector environment."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar

import numpy as np

from gymkernel import ops
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Where, WrapperActType, WrapperObsType
from gymkernel.vector_wrapper import VectorActionWrapper, VectorRewardWrapper
from gymkernel.wrapper import Wrapper
from gymkernel_util_wrappers.env_view import EnvView, PerEnv, batch_axes
from gymkernel_util_wrappers.episodic import EpisodicObservationWrapper, EpisodicWrapper

if TYPE_CHECKING:
    from gymkernel.protocols import VectorEnvLike

__all__ = [
    "EnvView",
    "VectorizedActionWrapper",
    "VectorizedObservationWrapper",
    "VectorizedRewardWrapper",
    "VectorizedWrapper",
    "batch_axes",
    "parameters_of",
]


P = ParamSpec("P")
VectorType = TypeVar("VectorType")
VectorEnvType = TypeVar("VectorEnvType")


class VectorizedWrapper(EpisodicWrapper[WrapperObsType, WrapperActType, ObsType, ActType, ArrayType]):
    """A base class for vector wrappers that apply a single-environment wrapper to every environment.

    Derive from one of the three subclasses in this module, which are for observation, action and reward wrappers, and
    set the attribute `single` to the class of the single-environment wrapper. If `single.batched` is True, the class is
    instantiated once, and the instance receives batches. Otherwise, the class is instantiated once for each
    environment. The method `on_reset` is called whenever an episode begins, in any autoreset mode.

    Args:
        env: the wrapped vector environment.
        *args: positional arguments for the constructor of `single`.
        **kwargs: keyword arguments for the constructor of `single`.
    """

    single: ClassVar[type[Wrapper[Any, Any, Any, Any]]]

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType], *args: Any, **kwargs: Any) -> None:
        super().__init__(env)
        create, n, view = self.single, env.num_envs, EnvView(self.env)
        each = [create(EnvView(self.env, i), *args, **kwargs) for i in ([None] if create.batched else range(n))]
        self.wrapper = first = each[0]
        self.batched_wrapper: Any = first if create.batched else PerEnv(self.env, each)
        # The arguments are saved so that the spec contains them.
        if hasattr(first, "_saved_kwargs"):
            self._saved_kwargs = {**getattr(self, "_saved_kwargs", {}), **first._saved_kwargs}  # noqa: SLF001
        if first.observation_space is not view.observation_space:
            self.single_observation_space = first.observation_space
            self.observation_space = ops.batch_space(first.observation_space, n)
        if first.action_space is not view.action_space:
            self.single_action_space = first.action_space
            self.action_space = ops.batch_space(first.action_space, n)
        self._remembers = not create.batched or create.on_reset is not Wrapper.on_reset

    def on_reset(self, where: Where) -> None:
        """Call `on_reset` on the single-environment wrapper for the environments that `where` selects."""
        self.batched_wrapper.on_reset(where)


def parameters_of(
    single: Callable[Concatenate[Any, P], Any],
) -> Callable[[Callable[[VectorType, VectorEnvType], None]], Callable[Concatenate[VectorType, VectorEnvType, P], None]]:
    """Return a decorator that adds the parameters of a single-environment wrapper to a constructor.

    The constructor to decorate takes only the vector environment. The new constructor calls this constructor first, and
    then passes all other arguments to the single-environment wrapper. Type checkers and `inspect.signature` see all
    parameters.

    Args:
        single: the class of the single-environment wrapper.
    """

    def with_parameters(init: Callable[[VectorType, VectorEnvType], None]) -> Any:
        @functools.wraps(init)
        def constructor(self: Any, env: Any, *args: Any, **kwargs: Any) -> None:
            init(self, env)
            VectorizedWrapper.__init__(self, env, *args, **kwargs)

        own = inspect.signature(init)
        _, *others = inspect.signature(single).parameters.values()
        signature = own.replace(parameters=[*own.parameters.values(), *others])
        constructor.__signature__ = signature  # type: ignore[attr-defined] # read by `inspect`
        return constructor

    return with_parameters


class VectorizedObservationWrapper(
    VectorizedWrapper[WrapperObsType, ActType, ObsType, ActType, ArrayType],
    EpisodicObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType],
):
    """A base class for the vector version of an `ObservationWrapper`.

    The arguments are the same as for `VectorizedWrapper`.

    >>> from gymkernel import ObservationWrapper
    >>> class Halved(ObservationWrapper):
    ...     batched = True
    ...
    ...     def observation(self, observation):
    ...         return observation / 2
    >>> class VectorHalved(VectorizedObservationWrapper):
    ...     single = Halved
    """

    def step(self, actions: ActType) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments, and transform the observations, including final observations in SAME_STEP mode."""
        results = self.env.step(actions)
        if self._remembers or "final_obs" in results[4]:
            return self.finish_step(results, None)  # type: ignore[no-any-return]
        observations, rewards, terminations, truncations, infos = results
        return self.observations(observations), rewards, terminations, truncations, infos

    step_masked = EpisodicWrapper.step_masked

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the step's results with transformed observations."""
        if not self._remembers:
            return self._transform(results)
        began = self.boundaries.find_starting(mask)
        if began is not None:
            self.on_reset(began)
        self.boundaries.finish_step(results[2], results[3], mask)
        return super().finish_step(results, mask)

    def observations(self, observations: ObsType, where: Where = ...) -> WrapperObsType:
        """Transform a batch of observations, in which only the observations that `where` selects are new."""
        if self._remembers:
            return self.batched_wrapper.observation(observations, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.observation(observations)  # type: ignore[no-any-return]


class VectorizedActionWrapper(
    VectorizedWrapper[ObsType, WrapperActType, ObsType, ActType, ArrayType],
    VectorActionWrapper[ObsType, WrapperActType, ActType, ArrayType],
):
    """A base class for the vector version of an `ActionWrapper`.

    The arguments are the same as for `VectorizedWrapper`.
    """

    def step(self, actions: WrapperActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments with transformed actions. Environments that start a new episode need no action."""
        if not self._remembers:
            return self.env.step(self.actions(actions))
        changed = self.actions(actions, self._start_step(None))
        return self.finish_step(self.env.step(changed), None)  # type: ignore[no-any-return]

    def step_masked(self, actions: WrapperActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step only the masked environments, with transformed actions."""
        changed = self.actions(actions, self._start_step(mask))
        return self.finish_step(self.env.step_masked(changed, mask), mask)  # type: ignore[no-any-return]

    def _start_step(self, mask: Mask | None) -> Where:
        """Call `on_reset` for the episodes that begin in this step, and return which environments perform an action."""
        began, acting = self.boundaries.plan_step(mask)
        if began is not None:
            self.on_reset(began)
        return acting

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the step's results unchanged, after calling `on_reset` for the episodes that have begun."""
        _, began = self.boundaries.finish_step(results[2], results[3], mask)
        if began is not None:
            self.on_reset(began)
        return results

    def actions(self, actions: WrapperActType, where: Where = ...) -> ActType:
        """Transform a batch of actions, from which only the actions that `where` selects will be performed."""
        if self._remembers:
            return self.batched_wrapper.action(actions, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.action(actions)  # type: ignore[no-any-return]


class VectorizedRewardWrapper(
    VectorizedWrapper[ObsType, ActType, ObsType, ActType, ArrayType],
    VectorRewardWrapper[ObsType, ActType, ArrayType],
):
    """A base class for the vector version of a `RewardWrapper`.

    If a step only begins an episode, its reward of 0 is not transformed.

    The arguments are the same as for `VectorizedWrapper`.
    """

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the step's results with transformed rewards."""
        observations, rewards, terminations, truncations, infos = results
        began, acting = self.boundaries.plan_step(mask)
        if began is None:
            changed: Any = self.rewards(rewards, acting)
        else:
            self.on_reset(began)
            changed = np.array(self.rewards(rewards, acting))
            changed[began] = rewards[began]
        _, restarted = self.boundaries.finish_step(terminations, truncations, mask)
        if restarted is not None:
            self.on_reset(restarted)
        return observations, changed, terminations, truncations, infos

    def rewards(self, rewards: ArrayType, where: Where = ...) -> ArrayType:
        """Transform a batch of rewards, in which only the rewards that `where` selects are new."""
        if self._remembers:
            return self.batched_wrapper.reward(rewards, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.reward(rewards)  # type: ignore[no-any-return]
