"""Convert gymkernel's vector environments to the `VecEnv` class of Stable-Baselines3."""

from __future__ import annotations

from gymkernel_bridge_stable_baselines3.making import make_sb3_vec
from gymkernel_bridge_stable_baselines3.vec_env import SB3VecEnv

__all__ = ["SB3VecEnv", "make_sb3_vec"]
