"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_record_episode_statistics.vector import *
