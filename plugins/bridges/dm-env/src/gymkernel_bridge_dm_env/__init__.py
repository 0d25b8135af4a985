"""A bridge that converts dm_env environments to gymkernel environments, and vice versa.

Each class or function is imported when it is first used, so that loading the plugin's hook does not import dm_env.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymkernel_bridge_dm_env.inward import DmEnv, from_dm_env
    from gymkernel_bridge_dm_env.outward import KernelEnvironment, to_dm_env
    from gymkernel_bridge_dm_env.suite import DmControlEnv

__all__ = ["DmControlEnv", "DmEnv", "KernelEnvironment", "from_dm_env", "to_dm_env"]

_HOME = {
    "inward": ("DmEnv", "from_dm_env"),
    "outward": ("KernelEnvironment", "to_dm_env"),
    "suite": ("DmControlEnv",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    return value
