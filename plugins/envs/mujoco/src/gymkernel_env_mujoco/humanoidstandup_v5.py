"""The HumanoidStandup environment under Gymnasium's import path. The code is in the module `humanoid_v5`."""

from __future__ import annotations

from gymkernel_env_mujoco.humanoid_model import LYING
from gymkernel_env_mujoco.humanoid_model import model as humanoid_model
from gymkernel_env_mujoco.humanoid_v5 import HumanoidStandupEnv, HumanoidStandupVectorEnv

__all__ = ["HumanoidStandupEnv", "HumanoidStandupVectorEnv", "model"]


def model() -> str:
    """Return the HumanoidStandup model in MJCF."""
    return humanoid_model(LYING)
