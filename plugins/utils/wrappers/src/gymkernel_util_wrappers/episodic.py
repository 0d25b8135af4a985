"""`EpisodicWrapper` and `EpisodicObservationWrapper`: bases of vector wrappers that keep something of each episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.infos import final_rows, with_final
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed, WrapperActType, WrapperObsType
from gymkernel.vector_wrapper import VectorObservationWrapper, VectorWrapper
from gymkernel_util_vector.episodes import EpisodeBoundaries

if TYPE_CHECKING:
    from gymkernel.vector_env import AutoresetMode, VectorEnv
    from gymkernel.wrapper import Where

    Results = tuple[Any, Any, Any, Any, Info]

__all__ = ["EpisodicObservationWrapper", "EpisodicWrapper"]


class EpisodicWrapper(VectorWrapper[WrapperObsType, WrapperActType, ObsType, ActType, ArrayType]):
    """Base of vector wrappers that keep something of each episode, in every autoreset mode.

    A subclass defines `on_reset`, which `reset` calls, and `finish_step`, which `step` and `step_masked` call.
    `finish_step` asks `boundaries` which environments began an episode and which ended one.

    Args:
        env: the vector environment inside.

    Attributes:
        boundaries: the boundaries between the episodes of the environments inside.
    """

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType]) -> None:
        super().__init__(env)
        self.boundaries = EpisodeBoundaries.around(env)

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """The autoreset mode of the environments inside."""
        return self.boundaries.mode

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Begin episodes of the environments inside."""
        return self.reset_inside(seed, options)[0]  # type: ignore[no-any-return]

    def reset_inside(self, seed: Seed, options: Options) -> tuple[Any, Where]:
        """Reset the environments inside, call `on_reset`, and return the results and the rows that it was called with.

        Args:
            seed: of the reset.
            options: of the reset; a copy is handed on, because another library takes the "reset_mask" out.
        """
        given = {**options} if isinstance(options, dict) else options
        results = self.env.reset(seed=seed, options=given)
        where = self.boundaries.finish_reset(options)
        self.on_reset(where)
        return results, where

    def step(self, actions: WrapperActType) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in every environment inside."""
        return self.finish_step(self.env.step(actions), None)  # type: ignore[arg-type]

    def step_masked(
        self, actions: WrapperActType, mask: Mask
    ) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in the environments inside that a mask names."""
        return self.finish_step(self.env.step_masked(actions, mask), mask)  # type: ignore[arg-type]

    def on_reset(self, where: Where) -> None:
        """Forget the last episodes of some environments.

        Args:
            where: the environments in which an episode begins: a mask, or `...` for all.
        """

    def finish_step(self, results: Results, mask: Mask | None) -> Results:
        """Return what this wrapper makes of the results of a step.

        Args:
            results: of the environments inside.
            mask: the environments that stepped; None for all.
        """
        raise NotImplementedError


class EpisodicObservationWrapper(
    EpisodicWrapper[WrapperObsType, ActType, ObsType, ActType, ArrayType],
    VectorObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType],
):
    """Base of episodic wrappers that change observations alone: define `observations`, and set both spaces.

    Under SAME_STEP, `observations` is called twice in a step that ends episodes: with the last observations of these
    episodes in their places, and then with the first observations of the next ones, for these environments alone.
    A subclass that keeps something of the episode asks `boundaries` before each call of `finish_step`.

    Args:
        env: the vector environment inside.
    """

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Begin episodes; the observations go through `observations`."""
        (observations, infos), where = self.reset_inside(seed, options)
        return self.observations(observations, where), infos

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the results of a step with observations that went through `observations`."""
        observations, rewards, terminations, truncations, infos = results
        where: Where = ... if mask is None else mask
        ended = final_rows(self.env, infos, terminations, truncations)
        if ended is not None:
            last = self.observations(self._put(observations, infos["final_obs"], ended), where)
            infos = with_final(infos, ended, self._rows(last, ended))
            self.on_reset(ended)
            where = ended
        return self.observations(observations, where), rewards, terminations, truncations, infos

    def observations(self, observations: ObsType, where: Where = ...) -> WrapperObsType:
        """Return the observations that the agent sees.

        Args:
            observations: a batch as the environments inside returned it, which must not be changed.
            where: the environments whose observations are new: a mask, or `...` for all.
        """
        raise NotImplementedError
