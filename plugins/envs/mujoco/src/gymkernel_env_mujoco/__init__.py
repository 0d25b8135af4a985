"""Environments that MuJoCo simulates, as single environments and as vector environments that use several threads."""

from __future__ import annotations

from gymkernel.specs import EnvSpec

__all__ = [
    "ANT_V5",
    "HALF_CHEETAH_V5",
    "HOPPER_V5",
    "HUMANOID_STANDUP_V5",
    "HUMANOID_V5",
    "INVERTED_DOUBLE_PENDULUM_V5",
    "INVERTED_PENDULUM_V5",
    "PUSHER_V5",
    "REACHER_V5",
    "SWIMMER_V5",
    "WALKER2D_V5",
]


def _spec(name: str, module: str, steps: int = 1000, threshold: float | None = None) -> EnvSpec:
    return EnvSpec(
        f"{name}-v5",
        entry_point=f"{__name__}.{module}:{name}Env",
        vector_entry_point=f"{__name__}.{module}:{name}VectorEnv",
        max_episode_steps=steps,
        reward_threshold=threshold,
    )


HALF_CHEETAH_V5 = _spec("HalfCheetah", "half_cheetah", threshold=4800.0)
HOPPER_V5 = _spec("Hopper", "hopper", threshold=3800.0)
WALKER2D_V5 = _spec("Walker2d", "walker2d")
INVERTED_PENDULUM_V5 = _spec("InvertedPendulum", "pendulums", threshold=950.0)
INVERTED_DOUBLE_PENDULUM_V5 = _spec("InvertedDoublePendulum", "pendulums", threshold=9100.0)
SWIMMER_V5 = _spec("Swimmer", "swimmer", threshold=360.0)
REACHER_V5 = _spec("Reacher", "reacher", steps=50, threshold=-3.75)
ANT_V5 = _spec("Ant", "ant", threshold=6000.0)
HUMANOID_V5 = _spec("Humanoid", "humanoid")
HUMANOID_STANDUP_V5 = _spec("HumanoidStandup", "humanoid")
PUSHER_V5 = _spec("Pusher", "pusher", steps=100, threshold=0.0)
