# stamped by tools/sync.py

from gymkernel_bridge_stable_baselines3 import *
