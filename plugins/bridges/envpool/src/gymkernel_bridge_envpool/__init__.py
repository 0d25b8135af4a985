"""A bridge that lets gymkernel programs use EnvPool environments, as vector environments or as single environments.

Each class is imported when it is first used, so that loading the plugin's hook does not import EnvPool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_bridge_envpool.single_env import EnvPoolEnv
    from gymkernel_bridge_envpool.vector_env import EnvPoolVectorEnv

__all__ = ["EnvPoolEnv", "EnvPoolVectorEnv"]

__getattr__ = lazy_names(__name__, single_env=("EnvPoolEnv",), vector_env=("EnvPoolVectorEnv",))
