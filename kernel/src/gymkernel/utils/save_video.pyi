"""`gymkernel.utils.save_video`: what plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_util_video import *
