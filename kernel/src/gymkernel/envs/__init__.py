"""The module for registering environments, and modules that plugins provide."""

from gymkernel.envs import registration
from gymkernel.making import make, make_vec
from gymkernel.plugins import facade
from gymkernel.registration import pprint_registry, register, register_envs, registry, spec

__getattr__, __dir__ = facade(__name__, "utils", globals())
