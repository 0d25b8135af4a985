# stamped by tools/sync.py

from gymkernel.wrappers._installed import ClipAction as ClipAction
from gymkernel.wrappers._installed import DiscretizeAction as DiscretizeAction
from gymkernel.wrappers._installed import RescaleAction as RescaleAction
from gymkernel.wrappers._installed import TransformAction as TransformAction
