"""The base classes of vector wrappers, including those that change observations, actions or rewards."""

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
from gymkernel.wrapper import admit, record_arguments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.protocols import VectorEnvLike

__all__ = ["VectorActionWrapper", "VectorObservationWrapper", "VectorRewardWrapper", "VectorWrapper"]


def _inner_property(name: str, doc: str) -> Any:
    """Create a property that reads and writes an attribute of the wrapped environment."""
    return property(attrgetter(f"env.{name}"), lambda self, value: setattr(self.env, name, value), doc=doc)


class VectorWrapper(
    VectorEnv[WrapperObsType, WrapperActType, ArrayType],
    Generic[WrapperObsType, WrapperActType, ObsType, ActType, ArrayType],
):
    """The base class of vector wrappers. By default, it passes every call on to the wrapped vector environment.

    Args:
        env: the vector environment to wrap.
    """

    env: VectorEnv[ObsType, ActType, ArrayType]
    _saved_kwargs: dict[str, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls) and "step_masked" not in vars(cls):
            cls.step_masked = _no_step_masked  # type: ignore[method-assign] # the inherited method ignores the new step

    if not TYPE_CHECKING:

        def __new__(cls, env: Any = None, *args: Any, **kwargs: Any) -> Any:
            """Record the constructor arguments for the spec."""
            self = super().__new__(cls)
            if env is not None or kwargs:  # unpickling passes no arguments
                record_arguments(self, args, kwargs)
            return self

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType]) -> None:
        if not isinstance(env, VectorEnv):
            is_env = hasattr(env, "num_envs") or hasattr(env, "close_extras")  # num_envs may not exist yet
            admit(env, f"{type(self).__name__} expects a vector environment", " with num_envs", is_env)
        self.env = env  # type: ignore[assignment] # a missing attribute raises an error when it is used

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Start new episodes in the wrapped vector environment."""
        return self.env.reset(seed=seed, options=options)  # type: ignore[return-value]

    def step(self, actions: WrapperActType) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Perform one action in every environment."""
        return self.env.step(actions)  # type: ignore[arg-type,return-value]

    def step_masked(
        self, actions: WrapperActType, mask: Mask
    ) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments that the mask selects. A subclass with its own `step` must override this method."""
        return self.env.step_masked(actions, mask)  # type: ignore[arg-type,return-value]

    def render(self) -> tuple[Any, ...] | None:
        """Render every environment, and return a frame of each."""
        return self.env.render()

    def close(self, **kwargs: Any) -> None:
        """Close the wrapped vector environment."""
        self.env.close(**kwargs)

    def close_extras(self, **kwargs: Any) -> None:
        """Release the resources of the wrapped vector environment."""
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

        num_envs = property(attrgetter("env.num_envs"), doc="The number of environments.")
        spec = property(attrgetter("env.spec"), doc="The spec of the wrapped vector environment.")
        render_mode = property(attrgetter("env.render_mode"), doc="The render mode of the wrapped vector environment.")
        np_random_seed = property(attrgetter("env.np_random_seed"), doc="The seed or seeds of the environments.")

        closed = _inner_property("closed", "Whether the wrapped vector environment is closed.")
        np_random = _inner_property("np_random", "The random number generator or generators of the environments.")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {self.env}>"


def _no_step_masked(self: Any, actions: Any, mask: Any) -> Any:
    """Raise an error, because the inherited `step_masked` would bypass the wrapper's own `step`."""
    name = type(self).__name__
    raise UnsupportedMode(f"{self} cannot step only some of its environments: {name} defines step but not step_masked")


class VectorObservationWrapper(VectorWrapper[WrapperObsType, ActType, ObsType, ActType, ArrayType]):
    """The base class of vector wrappers that change only observations.

    A subclass defines `observations`, which transforms a batch, and sets `observation_space` and
    `single_observation_space`.

    Args:
        env: the vector environment to wrap.
    """

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[WrapperObsType, Info]:
        """Start new episodes, and transform the first observations."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return self.observations(observations), infos

    def step(self, actions: ActType) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Perform one action in every environment, and transform the observations, including final observations."""
        return self._transform(self.env.step(actions))

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step only the environments that the mask selects, and transform the observations."""
        return self._transform(self.env.step_masked(actions, mask))

    def _transform(self, results: Any) -> tuple[WrapperObsType, ArrayType, ArrayType, ArrayType, Info]:
        observations, rewards, terminations, truncations, infos = results
        if "final_obs" in infos and (rows := final_rows(self.env, infos, terminations, truncations)) is not None:
            infos = with_final(infos, rows, self.final_observations(observations, infos["final_obs"], rows))
        return self.observations(observations), rewards, terminations, truncations, infos

    def observations(self, observations: ObsType) -> WrapperObsType:
        """Transform a batch of observations for the agent.

        Args:
            observations: the observations of the wrapped environments. They must not be modified.
        """
        raise NotImplementedError

    def final_observations(self, observations: ObsType, final: Any, mask: Mask) -> Any:
        """Transform the final observations of the episodes that have ended.

        The final observations are inserted into a batch, which is passed to `observations`. A wrapper whose method
        `observations` updates statistics must override this method.

        Args:
            observations: the observations that the same step returned.
            final: `infos["final_obs"]`, an object array of shape (num_envs,).
            mask: the environments whose episodes ended in this step, a bool array of shape (num_envs,).

        Returns:
            An object array of shape (num_envs,), which contains None where the mask is False.
        """
        return self._rows(self.observations(self._put(observations, final, mask)), mask)

    def _put(self, observations: Any, rows: Any, mask: Mask) -> Any:
        """Return a copy of a batch of observations in which the rows that the mask selects are replaced."""
        indices = np.flatnonzero(mask).tolist()
        if isinstance(observations, np.ndarray):
            batch = observations.copy()
            for i in indices:
                batch[i] = rows[i]
            return batch
        items = list(ops.iterate(self.env.observation_space, observations))
        for i in indices:
            items[i] = rows[i]
        return ops.batch(self.env.single_observation_space, items)

    def _rows(self, observations: Any, mask: Mask) -> NDArray[Any]:
        """Return an object array of the rows of a batch that the mask selects, and None at all other indices."""
        items = list(ops.iterate(self.observation_space, observations))
        return objects(self.num_envs, {int(i): items[i] for i in np.flatnonzero(mask)})


class VectorActionWrapper(VectorWrapper[ObsType, WrapperActType, ObsType, ActType, ArrayType]):
    """The base class of vector wrappers that change only actions.

    A subclass defines `actions`, which transforms a batch, and sets `action_space` and `single_action_space`.

    Args:
        env: the vector environment to wrap.
    """

    def step(self, actions: WrapperActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Transform the actions, and perform them in the wrapped environments."""
        return self.env.step(self.actions(actions))

    def step_masked(self, actions: WrapperActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Transform the actions, and perform them in the environments that the mask selects."""
        return self.env.step_masked(self.actions(actions), mask)

    def actions(self, actions: WrapperActType) -> ActType:
        """Transform a batch of actions for the wrapped environments.

        Args:
            actions: the agent's actions, an element of `action_space`.
        """
        raise NotImplementedError


class VectorRewardWrapper(VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType]):
    """The base class of vector wrappers that change only rewards. A subclass defines `rewards`.

    Args:
        env: the vector environment to wrap.
    """

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Perform one action in every environment, and transform the rewards."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        return observations, self.rewards(rewards), terminations, truncations, infos

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step only the environments that the mask selects, and transform the rewards."""
        observations, rewards, terminations, truncations, infos = self.env.step_masked(actions, mask)
        return observations, self.rewards(rewards), terminations, truncations, infos

    def rewards(self, rewards: ArrayType) -> ArrayType:
        """Transform the rewards for the agent.

        Args:
            rewards: the rewards of the wrapped environments, of shape (num_envs,). They must not be modified.
        """
        raise NotImplementedError
