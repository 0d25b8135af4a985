"""The MuJoCo environments, as single environments and as vector environments that simulate on several threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.specs import EnvSpec
from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_env_mujoco.mujoco_env import MujocoEnv
    from gymkernel_env_mujoco.mujoco_rendering import MujocoRenderer

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
    "MujocoEnv",
    "MujocoRenderer",
]

__getattr__ = lazy_names(__name__, mujoco_env=("MujocoEnv",), mujoco_rendering=("MujocoRenderer",))


def _spec(name: str, module: str, steps: int = 1000, threshold: float | None = None) -> EnvSpec:
    return EnvSpec(
        f"{name}-v5",
        entry_point=f"{__name__}.{module}:{name}Env",
        vector_entry_point=f"{__name__}.{module}:{name}VectorEnv",
        max_episode_steps=steps,
        reward_threshold=threshold,
    )


HALF_CHEETAH_V5 = _spec("HalfCheetah", "half_cheetah_v5", threshold=4800.0)
HOPPER_V5 = _spec("Hopper", "hopper_v5", threshold=3800.0)
WALKER2D_V5 = _spec("Walker2d", "walker2d_v5")
INVERTED_PENDULUM_V5 = _spec("InvertedPendulum", "inverted_pendulum_v5", threshold=950.0)
INVERTED_DOUBLE_PENDULUM_V5 = _spec("InvertedDoublePendulum", "inverted_double_pendulum_v5", threshold=9100.0)
SWIMMER_V5 = _spec("Swimmer", "swimmer_v5", threshold=360.0)
REACHER_V5 = _spec("Reacher", "reacher_v5", steps=50, threshold=-3.75)
ANT_V5 = _spec("Ant", "ant_v5", threshold=6000.0)
HUMANOID_V5 = _spec("Humanoid", "humanoid_v5")
HUMANOID_STANDUP_V5 = _spec("HumanoidStandup", "humanoid_v5")
PUSHER_V5 = _spec("Pusher", "pusher_v5", steps=100, threshold=0.0)
