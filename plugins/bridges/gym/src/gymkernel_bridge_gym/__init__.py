"""A bridge that lets gymkernel programs use OpenAI Gym environments and other environments with Gym's API.

The bridge supports gym 0.21 to 0.26, and also environments that have gym's API but do not use the package gym. The
package gym is not imported until a program looks up an id in gym's registry.

Each class or function is imported when it is first used, so that loading the plugin's hook does not import the spaces.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymkernel_bridge_gym.environment import GymEnv
    from gymkernel_bridge_gym.making import from_gym, make_gym

__all__ = ["GymEnv", "from_gym", "make_gym"]

_MODULE = {"GymEnv": "environment", "from_gym": "making", "make_gym": "making"}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    return value
