"""The function `rollout_in_shards`, which runs the same episodes as `rollout`, but in many environments in parallel."""

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
from gymkernel_tool_rollout.rolling import name_of_policy
from gymkernel_util_tools.episodes import EpisodeError, acting_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel_tool_rollout.collecting.fragment import Fragment
    from gymkernel_util_tools.targets import EnvTarget

__all__ = ["NumberedEpisodes", "PolicyOfEach", "rollout_in_shards"]

SEED, NUMBER = "episode_seed", "episode_number"
"""The names of the extras that contain the seed and the number of each step's episode."""


class NumberedEpisodes:
    """An environment that runs every `stride`-th episode of a rollout, beginning with episode number `first`.

    Args:
        make: a function that creates the environment.
        first: the number of the first episode that this environment runs.
        stride: the number of environments that share the episodes.
        seed: the seed of episode 0.
        max_steps: the maximum number of steps per episode; None for no limit.
    """

    def __init__(self, make: Callable[[], Any], first: int, stride: int, seed: int, max_steps: int | None) -> None:
        self.env = make()
        for name in ("observation_space", "action_space"):
            if not hasattr(self.env, name):
                message = f"Expected an environment with an {name}, which is required with --engine"
                raise TypeError(f"{message}; {type(self.env).__name__} has no {name}")
        self.observation_space, self.action_space = self.env.observation_space, self.env.action_space
        self.metadata = getattr(self.env, "metadata", None) or {}
        self.render_mode = getattr(self.env, "render_mode", None)
        self._next, self._stride, self._first_seed, self._max_steps = first, stride, seed, max_steps
        self._is_started = False
        self.index = first
        """The index of this environment among the environments that share the episodes."""
        self.number = self.step_number = 0
        self.seed = seed
        self.on_reset: Callable[[int], Any] | None = None
        """A function that is called with the seed of each new episode. None if no function is needed."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start the next episode."""
        self.number, self._next = self._next, self._next + self._stride
        if not self._is_started and seed is not None and seed != self._first_seed + self.number:
            self._first_seed = seed - self.number  # the shard was restarted, so it now runs other episodes
        self._is_started = True
        self.seed, self.step_number = self._first_seed + self.number, 0
        try:
            result = self.env.reset(seed=self.seed)
        except Exception as exc:
            raise self.error_of("reset", exc) from exc
        self.reset_policy()
        return result

    def reset_policy(self) -> None:
        """Call `on_reset` with the seed of the current episode."""
        try:
            if self.on_reset is not None:
                self.on_reset(self.seed)
        except Exception as exc:
            raise self.error_of("the policy", exc) from exc

    def step(self, action: Any) -> Any:
        """Step the environment, and truncate the episode after `max_steps` steps."""
        self.step_number += 1
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except Exception as exc:
            raise self.error_of("step", exc, action) from exc
        return observation, reward, terminated, truncated or self.step_number == self._max_steps, info

    def error_of(self, what: str, cause: Exception, action: Any = None) -> EpisodeError:
        """Create the error for a failure in the current episode."""
        return EpisodeError(what, self.number, self.step_number, self.seed, action, cause, self.action_space)

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


class PolicyOfEach:
    """A batch policy that calls a single-observation policy once for each environment in a shard.

    Args:
        policy: any policy that `gymkernel.utils.episodes.Episodes` accepts.
    """

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def start(self, envs: Any, seed: int) -> None:
        """Create one policy object for each environment."""
        self._envs, self._space, self._single = envs.envs, envs.observation_space, envs.single_action_space
        self._plan = plan_of_space(self._single)
        self._policies = []
        for env in self._envs:
            policy = acting_in(self._policy, env.env)
            self._policies.append(policy)
            reset = getattr(policy, "reset", None)
            if reset is not None:
                env.on_reset = reset
                env.reset_policy()

    def __call__(self, observations: Any) -> Any:
        """Choose an action for each environment."""
        actions = []
        items = iterate(self._space, observations)
        for env, policy, observation in zip(self._envs, self._policies, items, strict=True):
            try:
                action = policy(observation)
                fit(self._plan, batch_of_one(self._plan.tree, action), 1, "the policy", env.index)
                actions.append(action)
            except Exception as exc:
                env.step_number += 1
                raise env.error_of("the policy", exc) from exc
        n = len(actions)
        extras = {
            SEED: np.array([env.seed for env in self._envs]),
            NUMBER: np.array([env.number for env in self._envs]),
        }
        return concatenate(self._single, actions, create_empty_array(self._single, n)), extras


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
    """Run a policy for the same episodes as `rollout` does, but in many environments at the same time.

    Args:
        target: the description from which each environment is created.
        policy: any policy that `rollout` accepts. The policy must be picklable if the engine uses other processes.
        episodes: the number of episodes to run.
        engine: "sync", "async" or "ray"; see `gymkernel.rollouts.collect`.
        num_envs: the number of environments. None means 8, or the number of episodes if that is smaller.
        num_shards: the number of shards; None to let the engine choose.
        seed: the seed of the first episode; None for a random seed. Each further episode has a seed that is greater by
            one.
        max_steps: the maximum number of steps per episode, after which the episode is cut; None for no additional
            limit.
        notify: a function that is called with the report so far after every fragment.

    Raises:
        EpisodeError: if the environment or the policy failed. The message names the episode and the step.
    """
    n = min(num_envs or max(8, num_shards or 0), episodes)
    first_seed = secrets.randbelow(2**31) if seed is None else seed
    make = target.make
    functions = [partial(NumberedEpisodes, make, i, n, first_seed, max_steps) for i in range(n)]
    report = Report(target.name, name_of_policy(policy), first_seed, max_steps, episodes)
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
    """Return the episodes that ended within a fragment."""
    rows = zip(fragment["episode_ends"].tolist(), fragment["episode_returns"], fragment["episode_lengths"], strict=True)
    episodes = []
    for (t, env), total, length in rows:
        ended = "terminated" if fragment["terminations"][t, env] else "cut" if length == max_steps else "truncated"
        number, seed = (int(fragment["extras"][name][t, env]) for name in (NUMBER, SEED))
        episodes.append(Episode(number, seed, float(total), int(length), ended))
    return episodes
