"""A bridge that lets gymkernel programs use OpenAI Gym environments and other environments with Gym's API.

The bridge supports gym 0.21 to 0.26, and also environments that have gym's API but do not use the package gym. The
package gym is not imported until a program looks up an id in gym's registry.
"""

from __future__ import annotations

from gymkernel_bridge_gym.conversion import from_gym
from gymkernel_bridge_gym.environment import GymEnv
from gymkernel_bridge_gym.making import make_gym

__all__ = ["GymEnv", "from_gym", "make_gym"]
