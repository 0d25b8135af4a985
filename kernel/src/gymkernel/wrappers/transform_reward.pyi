# stamped by tools/sync.py

from gymkernel.wrappers._installed import ClipReward as ClipReward
from gymkernel.wrappers._installed import TransformReward as TransformReward
