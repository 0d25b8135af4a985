# stamped by tools/sync.py

from gymkernel_wrapper_normalize_reward.vector import *
from gymkernel.wrappers.vector._installed import NormalizeReward as NormalizeReward
