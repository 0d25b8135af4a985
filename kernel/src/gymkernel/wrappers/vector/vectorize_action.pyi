# stamped by tools/sync.py

from gymkernel.wrappers.vector._installed import ClipAction as ClipAction
from gymkernel.wrappers.vector._installed import RescaleAction as RescaleAction
from gymkernel.wrappers.vector._installed import TransformAction as TransformAction
from gymkernel.wrappers.vector._installed import VectorizeTransformAction as VectorizeTransformAction
