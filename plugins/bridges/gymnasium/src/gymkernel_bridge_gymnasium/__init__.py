"""A bridge that lets programs use Gymnasium's environments and spaces in gymkernel, and vice versa.

gymkernel imports the module `companion` as soon as both libraries are imported. `companion` joins the two libraries'
ids, classes and operations. This package imports each of its names when the name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymkernel  # noqa: F401 - importing the module joins the two libraries

if TYPE_CHECKING:
    from gymkernel_bridge_gymnasium.environments import from_gymnasium, to_gymnasium
    from gymkernel_bridge_gymnasium.inward import GymnasiumEnv, GymnasiumVectorEnv, make_gymnasium, make_gymnasium_vec
    from gymkernel_bridge_gymnasium.outward import KernelEnv, KernelVectorEnv
    from gymkernel_bridge_gymnasium.registration import register_ids

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "KernelEnv", "KernelVectorEnv", "from_gymnasium", "make_gymnasium"]
__all__ += ["make_gymnasium_vec", "register_ids", "to_gymnasium"]

_HOME = {
    "environments": ("from_gymnasium", "to_gymnasium"),
    "inward": ("GymnasiumEnv", "GymnasiumVectorEnv", "make_gymnasium", "make_gymnasium_vec"),
    "outward": ("KernelEnv", "KernelVectorEnv"),
    "registration": ("register_ids",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    return value
