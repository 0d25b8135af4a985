"""Vectorized wrappers: a wrapper that was written for one environment, around a vector environment."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar

import numpy as np

from gymkernel import ops
from gymkernel.infos import final_rows, with_final
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed, WrapperActType, WrapperObsType
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorActionWrapper, VectorObservationWrapper, VectorRewardWrapper, VectorWrapper
from gymkernel.wrapper import Wrapper
from gymkernel_util_wrappers.env_view import EnvView, batch_axes
from gymkernel_util_wrappers.per_env import PerEnv

if TYPE_CHECKING:
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
_BOOL = np.dtype(np.bool_)


class VectorizedWrapper(VectorWrapper[WrapperObsType, WrapperActType, ObsType, ActType, ArrayType]):
    """Base of wrappers around vector environments that do what a wrapper of single environments does.

    There is one for each of the three kinds; a subclass names the wrapper in `single`. One that says `batched` is made
    once and gets batches. Of any other, every environment has one of its own. Their `on_reset` is called where an
    episode begins, in every autoreset mode.

    Args:
        env: the vector environment inside.
        *args: for the single wrapper, whose class is `single`.
        **kwargs: for the single wrapper.
    """

    single: ClassVar[type[Wrapper[Any, Any, Any, Any]]]

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], *args: Any, **kwargs: Any) -> None:
        super().__init__(env)
        make, n, seen = self.single, env.num_envs, EnvView(env)
        each = [make(EnvView(env, i), *args, **kwargs) for i in ([None] if make.batched else range(n))]
        self.wrapper = first = each[0]
        self.batched_wrapper: Any = first if make.batched else PerEnv(env, each)
        if hasattr(first, "_saved_kwargs"):  # its arguments are ours
            self._saved_kwargs = {**getattr(self, "_saved_kwargs", {}), **first._saved_kwargs}  # noqa: SLF001
        if first.observation_space is not seen.observation_space:
            self.single_observation_space = first.observation_space
            self.observation_space = ops.batch_space(first.observation_space, n)
        if first.action_space is not seen.action_space:
            self.single_action_space = first.action_space
            self.action_space = ops.batch_space(first.action_space, n)
        mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self.autoreset_mode = AutoresetMode(getattr(mode, "value", mode))  # of another library, too
        self._next_step = self.autoreset_mode is AutoresetMode.NEXT_STEP
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self._remembers = not make.batched or make.on_reset is not Wrapper.on_reset
        self._ended = self._none = np.zeros(n, np.bool_)
        """Under NEXT_STEP, whose next step begins an episode; never changed in place."""
        self._waiting = 0
        """How many these are."""

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Begin episodes of the environments inside."""
        results: Any = self.env.reset(seed=seed, options=_copied(options))
        self._reset(options)
        return results  # type: ignore[no-any-return]

    def _reset(self, options: Options) -> Where:
        """After a reset: the environments in which an episode began."""
        where: Where = ...
        if options is not None and "reset_mask" in options:
            where = options["reset_mask"]
        if self._waiting:
            self._ended = self._ended.copy()
            self._ended[where] = False
            self._waiting = int(np.count_nonzero(self._ended))
        self.batched_wrapper.on_reset(where)
        return where

    def _starting(self, mask: Mask | None) -> Mask | None:
        """Under NEXT_STEP: the environments for which this step is the beginning of an episode, if any."""
        if not self._waiting:
            return None
        began = self._ended if mask is None else self._ended & mask
        self._ended = self._none if mask is None else self._ended & ~began
        self._waiting = int(np.count_nonzero(self._ended))
        self.batched_wrapper.on_reset(began)
        return began

    def _ending(self, terminations: Any, truncations: Any, mask: Mask | None) -> Mask:
        """After a step: the environments whose episode ended in it."""
        if mask is None and not (_some(terminations) or _some(truncations)):
            return self._none  # as in most steps; and of those before, none waits after a step without a mask
        ended: Mask = terminations | truncations
        if mask is not None:
            ended = ended & mask
        if self._next_step:
            self._ended = ended if mask is None else self._ended | ended
            self._waiting = int(np.count_nonzero(self._ended))
        return ended


def _copied(options: Options) -> dict[str, Any] | None:
    """For a vector environment of another library, which may take the "reset_mask" out."""
    return options if options is None else {**options}


def parameters_of(
    single: Callable[Concatenate[Any, P], Any],
) -> Callable[[Callable[[VectorType, VectorEnvType], None]], Callable[Concatenate[VectorType, VectorEnvType, P], None]]:
    """Make a constructor that takes the vector environment alone that of a vectorized wrapper.

    It takes the other parameters of the single wrapper as well, with their defaults, and hands them on to it; so do
    type checkers and `inspect.signature` see it.

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
        constructor.__signature__ = signature  # type: ignore[attr-defined] # which `inspect` looks for
        return constructor

    return with_parameters


class VectorizedObservationWrapper(
    VectorizedWrapper[WrapperObsType, ActType, ObsType, ActType, ArrayType],
    VectorObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType],
):
    """Base of those of an `ObservationWrapper`.

    Arguments are those of `VectorizedWrapper`.

    >>> from gymkernel import ObservationWrapper
    >>> class Halved(ObservationWrapper):
    ...     batched = True
    ...
    ...     def observation(self, observation):
    ...         return observation / 2
    >>> class VectorHalved(VectorizedObservationWrapper):
    ...     single = Halved
    """

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Begin episodes; the observations go through `observation` of the single wrapper."""
        observations, infos = self.env.reset(seed=seed, options=_copied(options))
        return self.observations(observations, self._reset(options)), infos

    def step(self, actions: ActType) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; the observations, and under SAME_STEP the final ones, go through the single wrapper."""
        results = self.env.step(actions)
        if self._remembers or "final_obs" in results[4]:
            return self._seen(results)
        observations, rewards, terminations, truncations, infos = results
        return self.observations(observations), rewards, terminations, truncations, infos

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says."""
        return self._seen(self.env.step_masked(actions, mask), mask)

    def _seen(
        self, results: Any, mask: Mask | None = None
    ) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        if not self._remembers:
            return super()._seen(results)
        observations, rewards, terminations, truncations, infos = results
        where: Where = ... if mask is None else mask
        self._starting(mask)
        ended = final_rows(self.env, infos, terminations, truncations)
        if ended is not None:
            last = self.observations(self._put(observations, infos["final_obs"], ended), where)
            infos = with_final(infos, ended, self._rows(last, ended))
            self.batched_wrapper.on_reset(ended)
            where = ended
        self._ending(terminations, truncations, mask)
        return self.observations(observations, where), rewards, terminations, truncations, infos

    def observations(self, observations: ObsType, where: Where = ...) -> WrapperObsType:
        """What the single wrapper makes of a batch; it goes on where `where` says, and only there."""
        if self._remembers:
            return self.batched_wrapper.observation(observations, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.observation(observations)  # type: ignore[no-any-return]


class VectorizedActionWrapper(
    VectorizedWrapper[ObsType, WrapperActType, ObsType, ActType, ArrayType],
    VectorActionWrapper[ObsType, WrapperActType, ActType, ArrayType],
):
    """Base of those of an `ActionWrapper`.

    Arguments are those of `VectorizedWrapper`.
    """

    def step(self, actions: WrapperActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; the actions go through `action` of the single wrapper, but of those that reset instead."""
        if not self._remembers:
            return self.env.step(self.actions(actions))
        return self._acted(self.env.step(self.actions(actions, self._acting(None))), None)

    def step_masked(self, actions: WrapperActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says."""
        return self._acted(self.env.step_masked(self.actions(actions, self._acting(mask)), mask), mask)

    def _acting(self, mask: Mask | None) -> Where:
        began = self._starting(mask)
        if began is None:
            return ... if mask is None else mask
        return ~began if mask is None else mask & ~began

    def _acted(self, results: Any, mask: Mask | None) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        ended = self._ending(results[2], results[3], mask)
        if self._same_step and ended is not self._none:
            self.batched_wrapper.on_reset(ended)
        return results  # type: ignore[no-any-return]

    def actions(self, actions: WrapperActType, where: Where = ...) -> ActType:
        """What the single wrapper makes of a batch; it goes on where `where` says, and only there."""
        if self._remembers:
            return self.batched_wrapper.action(actions, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.action(actions)  # type: ignore[no-any-return]


class VectorizedRewardWrapper(
    VectorizedWrapper[ObsType, ActType, ObsType, ActType, ArrayType],
    VectorRewardWrapper[ObsType, ActType, ArrayType],
):
    """Base of those of a `RewardWrapper`; under NEXT_STEP, a step that begins an episode keeps its reward.

    Arguments are those of `VectorizedWrapper`.
    """

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; the rewards go through `reward` of the single wrapper."""
        return self._rewarded(self.env.step(actions), None)

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says."""
        return self._rewarded(self.env.step_masked(actions, mask), mask)

    def _rewarded(self, results: Any, mask: Mask | None) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        observations, rewards, terminations, truncations, infos = results
        began = self._starting(mask) if self._waiting else None
        where: Where = ... if mask is None else mask
        if began is None:
            changed: Any = self.rewards(rewards, where)
        else:
            where = ~began if mask is None else mask & ~began
            changed = np.array(self.rewards(rewards, where))
            changed[began] = rewards[began]
        if self._remembers or self._next_step:
            ended = self._ending(terminations, truncations, mask)
            if self._same_step and ended is not self._none:
                self.batched_wrapper.on_reset(ended)
        return observations, changed, terminations, truncations, infos

    def rewards(self, rewards: ArrayType, where: Where = ...) -> ArrayType:
        """What the single wrapper makes of a batch; it goes on where `where` says, and only there."""
        if self._remembers:
            return self.batched_wrapper.reward(rewards, where)  # type: ignore[no-any-return]
        return self.batched_wrapper.reward(rewards)  # type: ignore[no-any-return]


def _some(flags: Any) -> bool:
    """Whether one is set; `any` takes several times as long, which counts with few environments."""
    plain = type(flags) is np.ndarray and flags.dtype is _BOOL
    return 1 in flags.tobytes() if plain else bool(np.count_nonzero(flags))
