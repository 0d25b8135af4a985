"""`gymkernel.utils.ezpickle`: what plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_util_compatibility.ezpickle import *
