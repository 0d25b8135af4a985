"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_atari_preprocessing import *
