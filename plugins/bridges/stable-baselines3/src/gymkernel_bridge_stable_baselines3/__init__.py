"""A bridge that converts gymkernel's vector environments to Stable-Baselines3's `VecEnv`."""

from __future__ import annotations

from gymkernel_bridge_stable_baselines3.making import make_sb3_vec
from gymkernel_bridge_stable_baselines3.vec_env import SB3VecEnv

__all__ = ["SB3VecEnv", "make_sb3_vec"]
