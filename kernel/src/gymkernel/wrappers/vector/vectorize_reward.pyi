# stamped by tools/sync.py

from gymkernel.wrappers.vector._installed import ClipReward as ClipReward
from gymkernel.wrappers.vector._installed import TransformReward as TransformReward
from gymkernel.wrappers.vector._installed import VectorizeTransformReward as VectorizeTransformReward
