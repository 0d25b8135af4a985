"""The import path of `HumanoidStandupEnv` in Gymnasium. The environment shares its code with Humanoid."""

from __future__ import annotations

from gymkernel_env_mujoco.humanoid_model import LYING
from gymkernel_env_mujoco.humanoid_model import model as humanoid_model
from gymkernel_env_mujoco.humanoid_v5 import HumanoidStandupEnv, HumanoidStandupVectorEnv

__all__ = ["HumanoidStandupEnv", "HumanoidStandupVectorEnv", "model"]


def model() -> str:
    """Return the model in MJCF."""
    return humanoid_model(LYING)
