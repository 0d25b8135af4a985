# stamped by tools/sync.py

from gymkernel_bridge_dm_env import *
