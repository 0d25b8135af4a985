"""`gymkernel.vector.utils.shared_memory`: what plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel.ops import *
