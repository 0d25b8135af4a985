"""Gymnasium's environments and spaces in gymkernel, and gymkernel's environments in Gymnasium.

The names load where they are first used: what registers the operations on Gymnasium's spaces needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymkernel_bridge_gymnasium.conversion import from_gymnasium, to_gymnasium
    from gymkernel_bridge_gymnasium.inward import GymnasiumEnv, GymnasiumVectorEnv, make_gymnasium, make_gymnasium_vec
    from gymkernel_bridge_gymnasium.outward import KernelEnv, KernelVectorEnv

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "KernelEnv", "KernelVectorEnv", "from_gymnasium", "make_gymnasium"]
__all__ += ["make_gymnasium_vec", "to_gymnasium"]

_HOME = {
    "conversion": ("from_gymnasium", "to_gymnasium"),
    "inward": ("GymnasiumEnv", "GymnasiumVectorEnv", "make_gymnasium", "make_gymnasium_vec"),
    "outward": ("KernelEnv", "KernelVectorEnv"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    globals()[name] = found = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    return found
