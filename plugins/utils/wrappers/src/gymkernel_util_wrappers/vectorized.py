"""Vectorized wrappers: apply a wrapper of single environments to a vector environment."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar

import numpy as np

from gymkernel import ops
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, WrapperActType, WrapperObsType
from gymkernel.vector_wrapper import VectorActionWrapper, VectorRewardWrapper
from gymkernel.wrapper import Wrapper
from gymkernel_util_wrappers.env_view import EnvView, batch_axes
from gymkernel_util_wrappers.episodic import EpisodicObservationWrapper, EpisodicWrapper
from gymkernel_util_wrappers.per_env import PerEnv

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv
    from gymkernel.wrapper import Where

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
    """Base class of wrappers that apply a wrapper of single environments to a vector environment.

    There is one subclass for each of the three kinds of wrappers. A class derived from such a subclass sets the
    attribute `single` to the single wrapper. A single wrapper that is `batched` is created once and gets batches; any
    other single wrapper is created once for each environment. The wrapper's `on_reset` is called when an episode
    begins, in every autoreset mode.

    Args:
        env: the wrapped vector environment.
        *args: positional arguments of the single wrapper, whose class is `single`.
        **kwargs: keyword arguments of the single wrapper.
    """

    single: ClassVar[type[Wrapper[Any, Any, Any, Any]]]

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], *args: Any, **kwargs: Any) -> None:
        super().__init__(env)
        create, n, view = self.single, env.num_envs, EnvView(env)
        each = [create(EnvView(env, i), *args, **kwargs) for i in ([None] if create.batched else range(n))]
        self.wrapper = first = each[0]
        self.batched_wrapper: Any = first if create.batched else PerEnv(env, each)
        if hasattr(first, "_saved_kwargs"):  # this wrapper has the same arguments as the single wrapper
            self._saved_kwargs = {**getattr(self, "_saved_kwargs", {}), **first._saved_kwargs}  # noqa: SLF001
        if first.observation_space is not view.observation_space:
            self.single_observation_space = first.observation_space
            self.observation_space = ops.batch_space(first.observation_space, n)
        if first.action_space is not view.action_space:
            self.single_action_space = first.action_space
            self.action_space = ops.batch_space(first.action_space, n)
        self._remembers = not create.batched or create.on_reset is not Wrapper.on_reset

    def on_reset(self, where: Where) -> None:
        """Call `on_reset` of the single wrapper for some environments."""
        self.batched_wrapper.on_reset(where)


def parameters_of(
    single: Callable[Concatenate[Any, P], Any],
) -> Callable[[Callable[[VectorType, VectorEnvType], None]], Callable[Concatenate[VectorType, VectorEnvType, P], None]]:
    """Add the parameters of a single wrapper to a constructor that takes only the vector environment.

    The constructor passes these parameters, with their defaults, to the single wrapper. Type checkers and
    `inspect.signature` see the parameters.

    Args:
        single: the single wrapper.
    """

    def with_parameters(init: Callable[[VectorType, VectorEnvType], None]) -> Any:
        @functools.wraps(init)
        def constructor(self: Any, env: Any, *args: Any, **kwargs: Any) -> None:
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
    """Base class of the vector versions of an `ObservationWrapper`.

    The arguments are those of `VectorizedWrapper`.

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
        """Act once, and pass the observations (in SAME_STEP mode also the final ones) through the single wrapper."""
        results = self.env.step(actions)
        if self._remembers or "final_obs" in results[4]:
            return self.finish_step(results, None)  # type: ignore[no-any-return]
        observations, rewards, terminations, truncations, infos = results
        return self.observations(observations), rewards, terminations, truncations, infos

    step_masked = EpisodicWrapper.step_masked

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the results of a step, with observations that went through the single wrapper."""
        if not self._remembers:
            return self._transform(results)
        began, _ = self.boundaries.plan_step(mask)
        if began is not None:
            self.on_reset(began)
        self.boundaries.finish_step(results[2], results[3], mask)
        return super().finish_step(results, mask)

    def observations(self, observations: ObsType, where: Where = ...) -> WrapperObsType:
        """Pass a batch through the single wrapper; only the environments in `where` have new observations."""
        if self._remembers:
            return self.batched_wrapper.observation(observations, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.observation(observations)  # type: ignore[no-any-return]


class VectorizedActionWrapper(
    VectorizedWrapper[ObsType, WrapperActType, ObsType, ActType, ArrayType],
    VectorActionWrapper[ObsType, WrapperActType, ActType, ArrayType],
):
    """Base class of the vector versions of an `ActionWrapper`.

    The arguments are those of `VectorizedWrapper`.
    """

    def step(self, actions: WrapperActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Pass the actions through the single wrapper, except where a reset takes their place, and act once."""
        if not self._remembers:
            return self.env.step(self.actions(actions))
        changed = self.actions(actions, self._start_step(None))
        return self.finish_step(self.env.step(changed), None)  # type: ignore[no-any-return]

    def step_masked(self, actions: WrapperActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in the wrapped environments that a mask selects."""
        changed = self.actions(actions, self._start_step(mask))
        return self.finish_step(self.env.step_masked(changed, mask), mask)  # type: ignore[no-any-return]

    def _start_step(self, mask: Mask | None) -> Where:
        """Begin the episodes that begin with a step, and return the environments that act in the step."""
        began, acting = self.boundaries.plan_step(mask)
        if began is not None:
            self.on_reset(began)
        return acting

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the results of a step unchanged."""
        _, began = self.boundaries.finish_step(results[2], results[3], mask)
        if began is not None:
            self.on_reset(began)
        return results

    def actions(self, actions: WrapperActType, where: Where = ...) -> ActType:
        """Pass a batch through the single wrapper; only the environments in `where` act."""
        if self._remembers:
            return self.batched_wrapper.action(actions, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.action(actions)  # type: ignore[no-any-return]


class VectorizedRewardWrapper(
    VectorizedWrapper[ObsType, ActType, ObsType, ActType, ArrayType],
    VectorRewardWrapper[ObsType, ActType, ArrayType],
):
    """Base class of the vector versions of a `RewardWrapper`; a step that begins an episode keeps its reward of 0.

    The arguments are those of `VectorizedWrapper`.
    """

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the results of a step, with rewards that went through the single wrapper."""
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
        """Pass a batch through the single wrapper; only the environments in `where` have new rewards."""
        if self._remembers:
            return self.batched_wrapper.reward(rewards, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.reward(rewards)  # type: ignore[no-any-return]
