"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_clip_action import ClipAction as ClipAction
from gymkernel_wrapper_discretize_action import DiscretizeAction as DiscretizeAction
from gymkernel_wrapper_rescale_action import RescaleAction as RescaleAction
from gymkernel_wrapper_transform_action import TransformAction as TransformAction
