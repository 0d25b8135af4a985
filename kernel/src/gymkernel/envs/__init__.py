"""Registration of environments, and the modules of installed packs of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.envs import registration
from gymkernel.making import make, make_vec
from gymkernel.plugins import facade
from gymkernel.registration import pprint_registry, register, register_envs, registry, spec

if TYPE_CHECKING:
    # stamped by tools/sync.py
    from gymkernel.envs import box2d as box2d
    from gymkernel.envs import classic_control as classic_control
    from gymkernel.envs import mujoco as mujoco
    from gymkernel.envs import phys2d as phys2d
    from gymkernel.envs import tabular as tabular
    from gymkernel.envs import toy_text as toy_text
    # end of stamp

    __all__ = ["make", "make_vec", "pprint_registry", "register", "register_envs", "registration", "registry", "spec"]
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
