"""A bridge that converts dm_env environments to gymkernel environments, and vice versa.

Each class or function is imported when it is first used, so that loading the plugin's hook does not import dm_env.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_bridge_dm_env.inward import DmControlEnv, DmEnv, from_dm_env
    from gymkernel_bridge_dm_env.outward import KernelEnvironment, to_dm_env

__all__ = ["DmControlEnv", "DmEnv", "KernelEnvironment", "from_dm_env", "to_dm_env"]

__getattr__ = lazy_names(
    __name__, inward=("DmControlEnv", "DmEnv", "from_dm_env"), outward=("KernelEnvironment", "to_dm_env")
)
