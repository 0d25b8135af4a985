"""A bridge that lets programs use Gymnasium's environments and spaces in gymkernel, and vice versa.

gymkernel imports the module `companion` as soon as both libraries are imported. `companion` joins the two libraries'
ids, classes and operations. This package imports each of its names when the name is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gymkernel  # noqa: F401 - importing the module joins the two libraries
from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_bridge_gymnasium.environments import from_gymnasium, to_gymnasium
    from gymkernel_bridge_gymnasium.inward import GymnasiumEnv, GymnasiumVectorEnv, make_gymnasium, make_gymnasium_vec
    from gymkernel_bridge_gymnasium.outward import KernelEnv, KernelVectorEnv
    from gymkernel_bridge_gymnasium.registration import register_ids

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "KernelEnv", "KernelVectorEnv", "from_gymnasium", "make_gymnasium"]
__all__ += ["make_gymnasium_vec", "register_ids", "to_gymnasium"]

__getattr__ = lazy_names(
    __name__,
    environments=("from_gymnasium", "to_gymnasium"),
    inward=("GymnasiumEnv", "GymnasiumVectorEnv", "make_gymnasium", "make_gymnasium_vec"),
    outward=("KernelEnv", "KernelVectorEnv"),
    registration=("register_ids",),
)
