"""A bridge that lets programs use environments of OpenAI Gym, and of Gym's old API, in gymkernel.

The bridge supports gym 0.21 to 0.26, and also environments that have gym's API but do not use the package gym. Neither
this package nor its names import gym before gym is needed.
"""

from __future__ import annotations

from gymkernel_bridge_gym.conversion import from_gym
from gymkernel_bridge_gym.environment import GymEnv
from gymkernel_bridge_gym.making import make_gym

__all__ = ["GymEnv", "from_gym", "make_gym"]
