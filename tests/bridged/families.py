"""List environments that a bridge creates, with code that runs each environment without gymkernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["FAMILIES", "Bridged"]

Result = tuple[Any, float, bool, bool]


@dataclass(frozen=True)
class Bridged:
    """An environment of another library, which is created by a gymkernel id."""

    env_id: str
    distribution: str
    """The name of the package that contains the environment."""
    feature: str
    options: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments for `gymkernel.make`."""

    @property
    def module(self) -> str:
        """The package's top-level module."""
        return self.distribution.replace("-", "_")

    @property
    def name(self) -> str:
        """The id without the prefix of the family."""
        return self.env_id.partition("/")[2]

    def replay(self, seed: int, actions: list[Any]) -> Iterator[Result]:
        """Run the environment with its own library, and return the result of the first reset and of each step.

        If an episode ends, the environment is reset without a seed. The result of such a reset is not returned.

        Args:
            seed: the seed of the environment.
            actions: the action of each step.
        """
        replays = {"dm-control": _replay_dm_control, "envpool": _replay_envpool}
        return replays[self.distribution](self, seed, actions)

    def __str__(self) -> str:
        return self.env_id


def _replay_envpool(family: Bridged, seed: int, actions: list[Any]) -> Iterator[Result]:
    pool = import_module("envpool").make(family.name, "gymnasium", num_envs=1, seed=seed, **family.options)
    yield _first(pool.reset()[0]), 0.0, False, False
    for action in actions:
        observations, rewards, terminations, truncations, _ = pool.step(np.asarray(action)[None])
        yield _first(observations), float(rewards[0]), bool(terminations[0]), bool(truncations[0])
        if terminations[0] or truncations[0]:
            pool.reset()


def _replay_dm_control(family: Bridged, seed: int, actions: list[Any]) -> Iterator[Result]:
    domain, _, task = family.name.partition("-")
    load = import_module("dm_control.suite").load
    task_kwargs = {**family.options.get("task_kwargs", {}), "random": seed}
    env = load(domain, task, task_kwargs, family.options.get("environment_kwargs"))
    yield env.reset().observation, 0.0, False, False
    for action in actions:
        time_step = env.step(action)
        is_last = bool(time_step.last())
        yield (
            time_step.observation,
            time_step.reward,
            is_last and time_step.discount == 0,
            is_last and time_step.discount > 0,
        )
        if is_last:
            env.reset()


def _first(batch: Any) -> Any:
    return {key: _first(part) for key, part in batch.items()} if isinstance(batch, dict) else batch[0]


FAMILIES = (
    Bridged("dm_control/cartpole-balance", "dm-control", "observations in a Dict"),
    Bridged("dm_control/reacher-easy", "dm-control", "a target that changes from episode to episode"),
    Bridged("dm_control/ball_in_cup-catch", "dm-control", "rewards that are mostly 0"),
    Bridged("dm_control/lqr-lqr_2_1", "dm-control", "episodes that end with discount 0, a random model"),
    Bridged(
        "dm_control/cheetah-run",
        "dm-control",
        "flat observations",
        {"task_kwargs": {"time_limit": 2.0}, "environment_kwargs": {"flat_observation": True}},
    ),
    Bridged("envpool/CartPole-v1", "envpool", "classic control"),
    Bridged("envpool/Pong-v5", "envpool", "stacked images of an Atari game"),
    Bridged("envpool/HalfCheetah-v4", "envpool", "MuJoCo"),
    Bridged("envpool/LunarLander-v3", "envpool", "observations without bounds"),
    Bridged("envpool/CheetahRun-v1", "envpool", "observations in a Dict"),
)
