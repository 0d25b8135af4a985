# stamped by tools/sync.py

from gymkernel_wrapper_passive_env_checker import *
from gymkernel.wrappers._installed import PassiveEnvChecker as PassiveEnvChecker
