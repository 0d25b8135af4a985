"""A bridge that lets gymkernel programs use OpenAI Gym environments and other environments with Gym's API.

The bridge supports gym 0.21 to 0.26, and also environments that have gym's API but do not use the package gym. The
package gym is not imported until a program looks up an id in gym's registry.

Each class or function is imported when it is first used, so that loading the plugin's hook does not import the spaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_bridge_gym.environment import GymEnv
    from gymkernel_bridge_gym.making import from_gym, make_gym

__all__ = ["GymEnv", "from_gym", "make_gym"]

__getattr__ = lazy_names(__name__, environment=("GymEnv",), making=("from_gym", "make_gym"))
