"""Base classes for vector wrappers that keep track of episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.infos import final_rows, with_final
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed, WrapperActType, WrapperObsType
from gymkernel.vector_env import AutoresetMode
from gymkernel.vector_wrapper import VectorObservationWrapper, VectorWrapper
from gymkernel_util_vector.episodes import EpisodeBoundaries

if TYPE_CHECKING:
    from gymkernel.protocols import Results, VectorEnvLike, Where

__all__ = ["EpisodicObservationWrapper", "EpisodicWrapper"]


class EpisodicWrapper(VectorWrapper[WrapperObsType, WrapperActType, ObsType, ActType, ArrayType]):
    """A base class for vector wrappers that store data about each episode. All autoreset modes are supported.

    A subclass defines `on_reset`, which `reset` calls, and `finish_step`, which `step` and `step_masked` call. In
    `finish_step`, use `boundaries` to determine which environments have begun or ended an episode.

    Args:
        env: the wrapped vector environment.

    Attributes:
        boundaries: an object that determines when the episodes of the wrapped environments begin and end.
    """

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType]) -> None:
        super().__init__(env)
        self.boundaries = EpisodeBoundaries.around(env)

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """Return the autoreset mode of the wrapped vector environment."""
        return self.boundaries.mode

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Reset the wrapped environments."""
        return self.reset_inside(seed, options)[0]  # type: ignore[no-any-return]

    def reset_inside(self, seed: Seed, options: Options) -> tuple[Any, Where]:
        """Reset the wrapped environments, and call `on_reset`.

        Args:
            seed: the seed for the reset.
            options: the options for the reset. The environments receive a copy, because other libraries may remove
                "reset_mask" from the options.

        Returns:
            The results of the reset, and the argument `where` that was passed to `on_reset`.
        """
        copied = {**options} if isinstance(options, dict) else options
        results = self.env.reset(seed=seed, options=copied)
        where = self.boundaries.finish_reset(options)
        self.on_reset(where)
        return results, where

    def step(self, actions: WrapperActType) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step every wrapped environment."""
        return self.finish_step(self.env.step(actions), None)  # type: ignore[arg-type]

    def step_masked(
        self, actions: WrapperActType, mask: Mask
    ) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the wrapped environments that the mask selects."""
        return self.finish_step(self.env.step_masked(actions, mask), mask)  # type: ignore[arg-type]

    def on_reset(self, where: Where) -> None:
        """Discard the data about the previous episodes of the environments that start a new episode.

        Args:
            where: a mask of the environments in which a new episode begins, or `...` for all environments.
        """

    def finish_step(self, results: Results, mask: Mask | None) -> Results:
        """Convert the results of the wrapped environments to the results of the wrapper.

        Args:
            results: the observations, rewards, terminations, truncations and infos of the wrapped environments.
            mask: a mask of the environments that were stepped, or None for all environments.
        """
        raise NotImplementedError


class EpisodicObservationWrapper(
    EpisodicWrapper[WrapperObsType, ActType, ObsType, ActType, ArrayType],
    VectorObservationWrapper[WrapperObsType, ActType, ObsType, ArrayType],
):
    """A base class for episodic wrappers that change only the observations.

    A subclass defines the method `observations` and sets `observation_space` and `single_observation_space`.

    In SAME_STEP mode, a step that ends episodes calls `observations` twice: first with the final observations of these
    episodes, and then, only for the same environments, with the first observations of the next episodes. A subclass
    that stores data about episodes must update `boundaries` before each call to `finish_step`.

    Args:
        env: the wrapped vector environment.
    """

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Reset the environments, and transform the observations."""
        (observations, infos), where = self.reset_inside(seed, options)
        return self.observations(observations, where), infos

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the step's results with transformed observations."""
        observations, rewards, terminations, truncations, infos = results
        where: Where = ... if mask is None else mask
        ended = final_rows(self.env, infos, terminations, truncations) if "final_obs" in infos else None
        if ended is not None:
            last = self.observations(self._put(observations, infos["final_obs"], ended), where)
            infos = with_final(infos, ended, self._rows(last, ended))
            self.on_reset(ended)
            where = ended
        return self.observations(observations, where), rewards, terminations, truncations, infos

    def observations(self, observations: ObsType, where: Where = ...) -> WrapperObsType:
        """Convert the observations of the wrapped environments to the observations of the wrapper.

        Args:
            observations: a batch of observations from the wrapped environments, which must not be modified.
            where: a mask of the environments whose observations are new, or `...` for all environments.
        """
        raise NotImplementedError
