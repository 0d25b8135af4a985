"""Registration of environments."""

from gymkernel.envs import registration
from gymkernel.making import make, make_vec
from gymkernel.registration import pprint_registry, register, register_envs, registry, spec

__all__ = ["make", "make_vec", "pprint_registry", "register", "register_envs", "registration", "registry", "spec"]
