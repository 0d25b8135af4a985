"""A bridge that lets gymkernel programs use EnvPool environments, as vector environments or as single environments.

Each class is imported when it is first used, so that loading the plugin's hook does not import EnvPool.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymkernel_bridge_envpool.single_env import EnvPoolEnv
    from gymkernel_bridge_envpool.vector_env import EnvPoolVectorEnv

__all__ = ["EnvPoolEnv", "EnvPoolVectorEnv"]

_MODULE = {"EnvPoolEnv": "single_env", "EnvPoolVectorEnv": "vector_env"}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    return value
