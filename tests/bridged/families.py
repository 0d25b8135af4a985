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
        replays = {"envpool": _replay_envpool}
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


def _first(batch: Any) -> Any:
    return {key: _first(part) for key, part in batch.items()} if isinstance(batch, dict) else batch[0]


FAMILIES = (
    Bridged("envpool/CartPole-v1", "envpool", "classic control"),
    Bridged("envpool/Pong-v5", "envpool", "stacked images of an Atari game"),
    Bridged("envpool/HalfCheetah-v4", "envpool", "MuJoCo"),
    Bridged("envpool/LunarLander-v3", "envpool", "observations without bounds"),
    Bridged("envpool/CheetahRun-v1", "envpool", "observations in a Dict"),
)
