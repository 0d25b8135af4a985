# stamped by tools/sync.py

from gymkernel_wrapper_normalize_reward import *
from gymkernel.wrappers._installed import NormalizeReward as NormalizeReward
