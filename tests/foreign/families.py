"""List third-party environments, with the code that creates each of them and the reason why it was chosen."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import gymnasium

__all__ = ["FAMILIES", "Family"]

os.environ.setdefault("MUJOCO_GL", "disabled")  # no test looks at the images that a simulator renders
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")


@dataclass(frozen=True)
class Family:
    """A third-party environment that represents a family of similar environments."""

    name: str
    env_id: str
    distribution: str
    example_of: str
    options: dict[str, Any] = field(default_factory=dict)
    single: bool = False
    """Whether a process can have only one environment."""
    vector_rewards: bool = False

    def make(self) -> Any:
        """Return the environment as Gymnasium creates it, without gymkernel."""
        if self.distribution == "stable-retro":
            import stable_retro

            return gymnasium.wrappers.TimeLimit(stable_retro.make(self.env_id, render_mode="rgb_array"), 400)
        if self.vector_rewards:
            import mo_gymnasium

            return mo_gymnasium.wrappers.LinearReward(mo_gymnasium.make(self.env_id, **self.options))
        gymnasium.register_envs(__import__(self.distribution.replace("-", "_")))
        return gymnasium.make(self.env_id, **self.options)

    def __str__(self) -> str:
        return self.name


FAMILIES = (
    Family("atari", "ALE/Pong-v5", "ale-py", "images", {"frameskip": 4}),
    Family("minigrid", "MiniGrid-DoorKey-5x5-v0", "minigrid", "a third-party space (the mission) in a Dict"),
    Family("babyai", "BabyAI-GoToRedBall-v0", "minigrid", "missions that change from episode to episode"),
    Family(
        "highway",
        "highway-fast-v0",
        "highway-env",
        "a table of vehicles",
        {"config": {"duration": 4, "vehicles_count": 6, "lanes_count": 2}},
    ),
    Family("parking", "parking-v0", "highway-env", "goals in a Dict"),
    Family(
        "multi-agent-highway",
        "intersection-multi-agent-v0",
        "highway-env",
        "observations and actions in a Tuple",
    ),
    Family("fetch", "FetchReach-v4", "gymnasium-robotics", "MuJoCo, goals in a Dict", {"max_episode_steps": 12}),
    Family("maze", "PointMaze_UMaze-v3", "gymnasium-robotics", "MuJoCo", {"max_episode_steps": 12}),
    Family("adroit", "AdroitHandDoor-v1", "gymnasium-robotics", "an arm with 28 joints", {"max_episode_steps": 12}),
    Family("mo-treasure", "deep-sea-treasure-v0", "mo-gymnasium", "rewards that are vectors", vector_rewards=True),
    Family(
        "mo-bottles",
        "breakable-bottles-v0",
        "mo-gymnasium",
        "rewards that are vectors, observations in a Dict",
        vector_rewards=True,
    ),
    Family(
        "meta-world",
        "Meta-World/MT1",
        "metaworld",
        "observations outside their space",
        {"env_name": "reach-v3", "seed": 1},
    ),
    Family("retro", "Airstriker-Genesis-v0", "stable-retro", "MultiBinary actions", single=True),
    Family("blackjack", "Blackjack-v1", "gymnasium", "observations in a Tuple"),
    Family("mujoco", "HalfCheetah-v5", "gymnasium", "MuJoCo", {"max_episode_steps": 12}),
)
