"""`gymkernel.spaces.multi_binary`: what plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_space_multi_binary import *
