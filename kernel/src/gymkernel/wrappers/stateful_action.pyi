# stamped by tools/sync.py

from gymkernel.wrappers._installed import RepeatAction as RepeatAction
from gymkernel.wrappers._installed import StickyAction as StickyAction
