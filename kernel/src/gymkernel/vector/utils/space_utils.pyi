"""`gymkernel.vector.utils.space_utils`: what plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel.ops import *
