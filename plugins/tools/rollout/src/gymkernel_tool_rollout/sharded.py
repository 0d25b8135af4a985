"""`rollout_in_shards`: the same episodes as `rollout`, by many environments at once, wherever an engine runs them."""

from __future__ import annotations

import secrets
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.cli.terminal import plural
from gymkernel.ops import concatenate, create_empty_array, iterate
from gymkernel_tool_rollout.collecting.beginning import collect
from gymkernel_tool_rollout.collecting.fitting import batch_of_one, fit
from gymkernel_tool_rollout.collecting.tables import plan_of_space
from gymkernel_tool_rollout.records import Episode, Report
from gymkernel_util_tools.episodes.errors import EpisodeError
from gymkernel_util_tools.episodes.runner import acting_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel_tool_rollout.collecting.fragment import Fragment
    from gymkernel_util_tools.targets import EnvTarget

__all__ = ["NumberedEpisodes", "PolicyOfEach", "rollout_in_shards"]

SEED, NUMBER = "episode_seed", "episode_number"
"""Extras that say which episode a step belongs to."""


class NumberedEpisodes:
    """An environment whose episodes have the seeds of a rollout: every `stride`-th episode of it, from number `first`.

    Args:
        make: makes the environment.
        first: number of the first episode.
        stride: how many environments share the episodes.
        seed: of episode 0.
        max_steps: cuts longer episodes; None for no limit.
    """

    def __init__(self, make: Callable[[], Any], first: int, stride: int, seed: int, max_steps: int | None) -> None:
        self.env = make()
        for name in ("observation_space", "action_space"):
            if not hasattr(self.env, name):
                message = f"Expected an environment with an {name}, which environments that run together need"
                raise TypeError(f"{message}; {type(self.env).__name__} has none")
        self.observation_space, self.action_space = self.env.observation_space, self.env.action_space
        self.metadata = getattr(self.env, "metadata", None) or {}
        self.render_mode = getattr(self.env, "render_mode", None)
        self._next, self._stride, self._first_seed, self._max_steps = first, stride, seed, max_steps
        self._begun = False
        self.index = first
        """Among the environments that share the episodes."""
        self.number = self.step_number = 0
        self.seed = seed
        self.tell: Callable[[int], Any] | None = None
        """Called with the seed of each episode that begins."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin the next episode."""
        self.number, self._next = self._next, self._next + self._stride
        if not self._begun and seed is not None and seed != self._first_seed + self.number:
            self._first_seed = seed - self.number  # in a shard that was begun anew, with other episodes
        self._begun = True
        self.seed, self.step_number = self._first_seed + self.number, 0
        try:
            result = self.env.reset(seed=self.seed)
        except Exception as exc:
            raise self.failed("reset", exc) from exc
        if self.tell is not None:
            self.tell(self.seed)
        return result

    def step(self, action: Any) -> Any:
        """Act, and end the episode where it is too long."""
        self.step_number += 1
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except Exception as exc:
            raise self.failed("step", exc, action) from exc
        return observation, reward, terminated, truncated or self.step_number == self._max_steps, info

    def failed(self, what: str, cause: Exception, action: Any = None) -> EpisodeError:
        """What to raise for what went wrong."""
        return EpisodeError(what, self.number, self.step_number, self.seed, action, cause, self.action_space)

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


class PolicyOfEach:
    """A policy for single observations, in each environment of a shard.

    Args:
        policy: as of `gymkernel.utils.episodes.Episodes`.
    """

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def start(self, envs: Any, seed: int) -> None:
        """Make what acts in each environment."""
        self._envs, self._space, self._single = envs.envs, envs.observation_space, envs.single_action_space
        self._plan = plan_of_space(self._single)
        self._acting = []
        for env in self._envs:
            acting = acting_in(self._policy, env.env)
            self._acting.append(acting)
            begin = getattr(acting, "reset", None)
            if begin is not None:
                env.tell = partial(_told, env, begin)
                env.tell(env.seed)

    def __call__(self, observations: Any) -> Any:
        """Choose an action for each environment."""
        actions = []
        for env, acting, observation in zip(self._envs, self._acting, iterate(self._space, observations), strict=True):
            try:
                action = acting(observation)
                fit(self._plan, batch_of_one(self._plan.tree, action), 1, "the policy", env.index)
                actions.append(action)
            except Exception as exc:
                env.step_number += 1
                raise env.failed("the policy", exc) from exc
        n = len(actions)
        told = {
            SEED: np.array([env.seed for env in self._envs]),
            NUMBER: np.array([env.number for env in self._envs]),
        }
        return concatenate(self._single, actions, create_empty_array(self._single, n)), told


def _told(env: NumberedEpisodes, begin: Callable[[int], Any], seed: int) -> None:
    try:
        begin(seed)
    except Exception as exc:
        raise env.failed("the policy", exc) from exc


def rollout_in_shards(
    target: EnvTarget,
    policy: Any,
    episodes: int,
    *,
    engine: str,
    num_envs: int | None = None,
    num_shards: int | None = None,
    seed: int | None = None,
    max_steps: int | None = None,
    notify: Callable[[Report], Any] | None = None,
) -> Report:
    """Run a policy for some episodes, the same ones as `rollout` does, in many environments at once.

    Args:
        target: what makes an environment.
        policy: as of `rollout`; where processes of others run it, it must be something that can be pickled.
        episodes: how many.
        engine: see `gymkernel.rollouts.collect`.
        num_envs: how many environments; None for 8, or as many as there are episodes.
        num_shards: how many shards; None for what the engine finds right.
        seed: of the first episode; each further one has the next number. None for one that is drawn.
        max_steps: cuts episodes that are longer.
        notify: called after every fragment.

    Raises:
        EpisodeError: environment or policy failed; it says where.
    """
    n = min(num_envs or max(8, num_shards or 0), episodes)
    first_seed = secrets.randbelow(2**31) if seed is None else seed
    make = target.make
    functions = [partial(NumberedEpisodes, make, i, n, first_seed, max_steps) for i in range(n)]
    name = policy if isinstance(policy, str) else str(getattr(policy, "__qualname__", type(policy).__qualname__))
    report = Report(target.name, name, first_seed, max_steps, episodes)
    collector = collect(
        functions,
        PolicyOfEach(policy),
        num_episodes=episodes,
        num_shards=None if num_shards is None else min(num_shards, n),
        engine=engine,
        seed=first_seed,
        order="ready",
        fragment_length=64,
        on_error="restart_lost",
        max_restarts=10,
        max_staleness=None,
    )
    report.where = f"{plural(n, 'environment')} in {plural(collector.num_shards, 'shard')}, engine {engine}"
    with collector:
        for fragment in collector:
            report.episodes += _episodes_of(fragment, max_steps)
            report.steps, report.seconds = collector.num_steps, collector.seconds
            if notify is not None:
                notify(report)
    report.episodes.sort(key=lambda episode: episode.number)
    return report


def _episodes_of(fragment: Fragment, max_steps: int | None) -> list[Episode]:
    """The episodes that ended in a fragment."""
    ended = zip(
        fragment["episode_ends"].tolist(), fragment["episode_returns"], fragment["episode_lengths"], strict=True
    )
    found = []
    for (t, env), total, length in ended:
        how = "terminated" if fragment["terminations"][t, env] else "cut" if length == max_steps else "truncated"
        number, seed = (int(fragment["extras"][name][t, env]) for name in (NUMBER, SEED))
        found.append(Episode(number, seed, float(total), int(length), how))
    return found
