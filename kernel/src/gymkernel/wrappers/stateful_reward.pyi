"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_normalize_reward import *
