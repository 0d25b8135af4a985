"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_clip_action.vector import ClipAction as ClipAction
from gymkernel_wrapper_rescale_action.vector import RescaleAction as RescaleAction
from gymkernel_wrapper_transform_action.vector import TransformAction as TransformAction
from gymkernel_wrapper_vectorize_transform_action import VectorizeTransformAction as VectorizeTransformAction
