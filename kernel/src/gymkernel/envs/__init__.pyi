# stamped by tools/sync.py

from typing import TYPE_CHECKING
from gymkernel.envs import registration as registration
from gymkernel.making import make as make
from gymkernel.making import make_vec as make_vec
from gymkernel.registration import pprint_registry as pprint_registry
from gymkernel.registration import register as register
from gymkernel.registration import register_envs as register_envs
from gymkernel.registration import registry as registry
from gymkernel.registration import spec as spec

if TYPE_CHECKING:
    from gymkernel.envs import box2d as box2d
    from gymkernel.envs import classic_control as classic_control
    from gymkernel.envs import mujoco as mujoco
    from gymkernel.envs import phys2d as phys2d
    from gymkernel.envs import tabular as tabular
    from gymkernel.envs import toy_text as toy_text

__all__ = [
    "make",
    "make_vec",
    "pprint_registry",
    "register",
    "register_envs",
    "registration",
    "registry",
    "spec",
]
