"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_clip_reward import ClipReward as ClipReward
from gymkernel_wrapper_transform_reward import TransformReward as TransformReward
