"""The class `ParallelVectorEnv`, a vector environment with one row per agent of PettingZoo parallel environments."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.infos import batch_infos
from gymkernel.ops import batch_space, concatenate, create_empty_array, iterate
from gymkernel.vector_env import AutoresetMode, VectorEnv, episodes_over, reset_mask, seeds
from gymkernel_bridge_pettingzoo.spaces import agents_of, is_aec, is_parallel, space_of
from gymkernel_bridge_pettingzoo.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel.protocols import Info, Options, Seed

__all__ = ["ParallelVectorEnv"]


class ParallelVectorEnv(VectorEnv[Any, Any, Any]):
    """A vector environment in which each row is an agent of a PettingZoo parallel environment.

    All agents must have equal spaces. If there are several copies of the environment, the rows of each copy are
    contiguous. The agents of a copy share an episode, which ends when all of them are done. Until then, the row of an
    agent that is already done contains the following values in every autoreset mode:

    * `infos["active"]`, which marks the agents that act in the next step, is False.
    * The observation is the last one that the agent received, and the reward is 0. Actions are ignored.
    * `terminations` and `truncations` are False. In the last step of the episode, they are set in all rows, as each
      agent itself was terminated or truncated.

    Therefore, each row contains exactly one end per episode, and the steps after an agent is done look like an
    absorbing state without rewards. To exclude these steps from training, use only the steps before which
    `infos["active"]` was True in the row.

    Args:
        envs: a parallel environment, or a list or tuple of copies of the same environment.
        autoreset_mode: when to reset a copy after its episode has ended.

    Raises:
        TypeError: if an object is not a parallel environment.
        ValueError: if there is no environment, or if the agents have different spaces.

    >>> from pettingzoo.classic.rps import rps
    >>> envs = ParallelVectorEnv(rps.parallel_env())
    >>> observations, infos = envs.reset(seed=1)
    >>> envs.num_envs, observations.tolist(), infos["active"].tolist()
    (2, [3, 3], [True, True])
    >>> envs.step(np.array([0, 1]))[1].tolist()
    [-1.0, 1.0]
    """

    def __init__(
        self, envs: Any | Sequence[Any], *, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP
    ) -> None:
        copies: list[Any] = list(envs) if isinstance(envs, list | tuple) else [envs]
        for env in copies:
            _require_parallel(env)
        if not copies:
            raise ValueError("ParallelVectorEnv expects at least one parallel environment, got none")
        self.single_observation_space, self.single_action_space = (
            _common_space(copies, kind) for kind in ("observation", "action")
        )
        self._worlds = [World(env, self.single_observation_space) for env in copies]
        self.num_envs = sum(len(world.agents) for world in self._worlds)
        self.agents = [agent for world in self._worlds for agent in world.agents]
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**copies[0].metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = getattr(copies[0], "render_mode", None) or getattr(copies[0].unwrapped, "render_mode", None)
        self._starts = np.cumsum([0, *(len(world.agents) for world in self._worlds)]).tolist()

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[Any, Info]:
        """Start an episode in every copy of the environment, or only in those that `options["reset_mask"]` selects.

        Args:
            seed: the seeds of the rows, as for any vector environment. A copy uses the seed of its first row.
            options: the options for each copy. A reset mask must select either all rows of a copy or none of them.

        Raises:
            ValueError: if the reset mask selects only some of the agents of a copy.
        """
        mask, options = reset_mask(options, self.num_envs)
        row_seeds = seeds(seed, self.num_envs)
        selected = [world for world in self._worlds if mask is None or self._is_selected(world, mask)]
        super().reset(seed=row_seeds[0])
        for world in selected:
            world.reset(row_seeds[self._start_of(world)], options)
        return self._observations(), self._infos([])

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        """Perform the action of each active agent.

        Args:
            actions: one action per row. The actions of agents that are not active are ignored.

        Raises:
            ResetNeeded: in DISABLED mode, if an episode has ended.
        """
        if self.autoreset_mode is AutoresetMode.DISABLED and (over := [w for w in self._worlds if w.is_over]):
            raise episodes_over(f"The agents in the rows from {self._start_of(over[0])}")
        each = list(iterate(self.action_space, actions))
        if len(each) != self.num_envs:
            raise ValueError(f"Expected {self.num_envs} actions, one for each agent, got {len(each)}")
        rewards = np.zeros(self.num_envs)
        terminations, truncations = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        final: list[tuple[int, Info]] = []
        for world, start, stop in zip(self._worlds, self._starts, self._starts[1:], strict=False):
            if world.is_over:  # only possible in NEXT_STEP mode, because SAME_STEP mode has already reset the copy
                world.reset()
                continue
            world.step(each[start:stop])
            rewards[start:stop] = world.rewards
            terminations[start:stop], truncations[start:stop] = world.ends()
            if world.is_over and self.autoreset_mode is AutoresetMode.SAME_STEP:
                results = zip(world.observations, world.infos, strict=True)
                final += [
                    (start + i, {"final_obs": copy.deepcopy(observation), "final_info": info})
                    for i, (observation, info) in enumerate(results)
                ]
                world.reset()
        return self._observations(), rewards, terminations, truncations, self._infos(final)

    def render(self) -> tuple[Any, ...]:
        """Render each copy of the environment once, and return the copy's frame once for each of its agents."""
        return tuple(frame for world in self._worlds for frame in [world.env.render()] * len(world.agents))

    def close_extras(self, **kwargs: Any) -> None:
        """Close each copy of the environment."""
        for world in self._worlds:
            world.env.close()

    def _start_of(self, world: World) -> int:
        return int(self._starts[self._worlds.index(world)])

    def _is_selected(self, world: World, mask: Any) -> bool:
        start = self._start_of(world)
        rows = mask[start : start + len(world.agents)]
        if rows.any() and not rows.all():
            raise ValueError(
                f'Expected options["reset_mask"] to select all of the rows {start} to {start + len(rows) - 1} or none, '
                f"because their agents share an episode, got {rows}"
            )
        return bool(rows.any())

    def _observations(self) -> Any:
        rows = [observation for world in self._worlds for observation in world.observations]
        return concatenate(
            self.single_observation_space, rows, create_empty_array(self.single_observation_space, self.num_envs)
        )

    def _infos(self, final: list[tuple[int, Info]]) -> Info:
        """Combine the infos of all agents, and add the final observations and infos of episodes that just ended."""
        active = np.concatenate([world.active for world in self._worlds])
        infos = [info for world in self._worlds for info in world.infos]
        rows = [{**info, "active": bool(is_active)} for info, is_active in zip(infos, active, strict=True)]
        for row, info in final:
            rows[row].update(info)
        return batch_infos(list(enumerate(rows)), self.num_envs)


def _require_parallel(env: Any) -> None:
    if is_aec(env):
        raise TypeError(
            f"Expected a parallel environment, got the AEC environment {env}, whose agents act in turn; to train one "
            "of them, use from_pettingzoo(env, agent, policies)"
        )
    if not is_parallel(env):
        raise TypeError(f"Expected a PettingZoo parallel environment, got {env!r}")


def _common_space(envs: list[Any], kind: str) -> Any:
    """Return the space that all agents have in common. If their spaces differ, raise an error."""
    spaces = [(agent, space_of(env, kind, agent)) for env in envs for agent in agents_of(env)]
    first_agent, first = spaces[0]
    for agent, space in spaces[1:]:
        if space != first:
            raise ValueError(
                f"Expected all agents to have equal {kind} spaces, got {first} for {first_agent!r} and {space} for "
                f"{agent!r}; to train one of them, use from_pettingzoo(env, agent, policies)"
            )
    return first
