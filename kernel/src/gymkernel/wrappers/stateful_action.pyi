"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_repeat_action import RepeatAction as RepeatAction
from gymkernel_wrapper_sticky_action import StickyAction as StickyAction
