"""`VectorWrapper`: a vector environment around another, and the kinds of it that change one thing alone."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from gymkernel import ops
from gymkernel.error import UnsupportedMode
from gymkernel.forwarding import forwarded
from gymkernel.infos import final_rows, objects, with_final
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed, WrapperActType, WrapperObsType
from gymkernel.vector_env import VectorEnv
from gymkernel.wrapper import record_given

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VectorActionWrapper", "VectorObservationWrapper", "VectorRewardWrapper", "VectorWrapper"]


def _inside(name: str, doc: str) -> Any:
    """A property that is read from, and written to, the environment inside."""
    return property(attrgetter(f"env.{name}"), lambda self, value: setattr(self.env, name, value), doc=doc)


class VectorWrapper(
    VectorEnv[WrapperObsType, WrapperActType, ArrayType],
    Generic[WrapperObsType, WrapperActType, ObsType, ActType, ArrayType],
):
    """Base of wrappers around a vector environment; it changes nothing until a subclass does.

    Args:
        env: the vector environment inside.
    """

    env: VectorEnv[ObsType, ActType, ArrayType]
    _saved_kwargs: dict[str, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls) and "step_masked" not in vars(cls):
            cls.step_masked = _no_step_masked  # type: ignore[method-assign] # what is inherited knows not of this step

    if not TYPE_CHECKING:

        def __new__(cls, env: Any = None, *args: Any, **kwargs: Any) -> Any:
            """Record the arguments."""
            self = super().__new__(cls)
            if env is not None or kwargs:  # else it is unpickled
                record_given(self, args, kwargs)
            return self

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType]) -> None:
        if isinstance(env, type) or not (hasattr(env, "num_envs") or hasattr(env, "close_extras")):  # set later
            raise TypeError(f"{type(self).__name__} wraps a vector environment (an object with num_envs), got {env!r}")
        self.env = env

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Begin episodes of the environments inside."""
        return self.env.reset(seed=seed, options=options)  # type: ignore[return-value]

    def step(self, actions: WrapperActType) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in every environment inside."""
        return self.env.step(actions)  # type: ignore[arg-type,return-value]

    def step_masked(
        self, actions: WrapperActType, mask: Mask
    ) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in the environments inside that a mask names; a subclass that defines `step` defines this too."""
        return self.env.step_masked(actions, mask)  # type: ignore[arg-type,return-value]

    def render(self) -> tuple[Any, ...] | None:
        """Return a frame of each environment inside."""
        return self.env.render()

    def close(self, **kwargs: Any) -> None:
        """Close the vector environment inside."""
        self.env.close(**kwargs)

    def close_extras(self, **kwargs: Any) -> None:
        """Close what the vector environment inside holds."""
        self.env.close_extras(**kwargs)

    @property
    def unwrapped(self) -> VectorEnv[Any, Any, Any]:
        """The vector environment inside all wrappers."""
        return self.env.unwrapped

    if not TYPE_CHECKING:
        observation_space = forwarded("observation_space")
        action_space = forwarded("action_space")
        single_observation_space = forwarded("single_observation_space")
        single_action_space = forwarded("single_action_space")
        metadata = forwarded("metadata")

        num_envs = property(attrgetter("env.num_envs"), doc="Number of environments.")
        spec = property(attrgetter("env.spec"), doc="The spec of the vector environment inside.")
        render_mode = property(attrgetter("env.render_mode"), doc="The render mode of the vector environment inside.")
        np_random_seed = property(attrgetter("env.np_random_seed"), doc="The seed inside, or the tuple of them.")

        closed = _inside("closed", "Whether the vector environment inside is closed.")
        np_random = _inside("np_random", "The generator, or the tuple of them, of the vector environment inside.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {self.env}>"


def _no_step_masked(self: Any, actions: Any, mask: Any) -> Any:
    """Refuse: what `step` of a wrapper does would be left out."""
    message = f"{self} cannot step a part of its environments: {type(self).__name__} defines step and no step_masked"
    raise UnsupportedMode(message)


class VectorObservationWrapper(VectorWrapper[WrapperObsType, ActType, ObsType, ActType, ArrayType]):
    """Base of wrappers that change observations alone: define `observations`, over a batch, and set both spaces.

    Args:
        env: the vector environment inside.
    """

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Begin episodes; the observations go through `observations`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self.observations(observations), infos

    def step(self, actions: ActType) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; the observations, and under SAME_STEP the final ones, go through `observations`."""
        return self._seen(self.env.step(actions))

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says."""
        return self._seen(self.env.step_masked(actions, mask))

    def _seen(self, results: Any) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        observations, rewards, terminations, truncations, infos = results
        if "final_obs" in infos and (rows := final_rows(self.env, infos, terminations, truncations)) is not None:
            infos = with_final(infos, rows, self.final_observations(observations, infos["final_obs"], rows))
        return self.observations(observations), rewards, terminations, truncations, infos

    def observations(self, observations: ObsType) -> WrapperObsType:
        """Return the observations that the agent sees.

        Args:
            observations: a batch as the environments inside returned it, which must not be changed.
        """
        raise NotImplementedError

    def final_observations(self, observations: ObsType, final: Any, mask: Mask) -> Any:
        """Transform the last observations of episodes: `observations` over a batch in which they have their places.

        A wrapper whose `observations` keeps statistics overrides this.

        Args:
            observations: the batch of observations of the same step.
            final: `infos["final_obs"]`, an array of objects of shape (num_envs,).
            mask: whose episodes ended in this step, bool of (num_envs,).

        Returns:
            An array of objects of shape (num_envs,), with None where the mask is False.
        """
        return self._rows(self.observations(self._put(observations, final, mask)), mask)

    def _put(self, observations: Any, rows: Any, mask: Mask) -> Any:
        """A batch as `env` returns it, with other observations in the rows of a mask."""
        where = np.flatnonzero(mask).tolist()
        if isinstance(observations, np.ndarray):
            batch = observations.copy()
            for i in where:
                batch[i] = rows[i]
            return batch
        items = list(ops.iterate(self.env.observation_space, observations))
        for i in where:
            items[i] = rows[i]
        single = self.env.single_observation_space
        return ops.concatenate(single, items, ops.create_empty_array(single, self.num_envs))

    def _rows(self, observations: Any, mask: Mask) -> NDArray[Any]:
        """The rows of a mask out of a transformed batch, as an array of objects."""
        items = list(ops.iterate(self.observation_space, observations))
        return objects(self.num_envs, {int(i): items[i] for i in np.flatnonzero(mask)})


class VectorActionWrapper(VectorWrapper[ObsType, WrapperActType, ObsType, ActType, ArrayType]):
    """Base of wrappers that change actions alone: define `actions`, over a batch, and set both spaces.

    Args:
        env: the vector environment inside.
    """

    def step(self, actions: WrapperActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once, with what `actions` makes of the actions."""
        return self.env.step(self.actions(actions))

    def step_masked(self, actions: WrapperActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says."""
        return self.env.step_masked(self.actions(actions), mask)

    def actions(self, actions: WrapperActType) -> ActType:
        """Return the actions for the environments inside.

        Args:
            actions: a batch of the actions that the agent chose, an element of `action_space`.
        """
        raise NotImplementedError


class VectorRewardWrapper(VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType]):
    """Base of wrappers that change rewards alone: define `rewards`, over a batch.

    Args:
        env: the vector environment inside.
    """

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; the rewards go through `rewards`."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        return observations, self.rewards(rewards), terminations, truncations, infos

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says."""
        observations, rewards, terminations, truncations, infos = self.env.step_masked(actions, mask)
        return observations, self.rewards(rewards), terminations, truncations, infos

    def rewards(self, rewards: ArrayType) -> ArrayType:
        """Return the rewards that the agent sees.

        Args:
            rewards: as the environments inside returned them, of shape (num_envs,), which must not be changed.
        """
        raise NotImplementedError
