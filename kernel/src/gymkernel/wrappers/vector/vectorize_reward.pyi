"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_clip_reward.vector import ClipReward as ClipReward
from gymkernel_wrapper_transform_reward.vector import TransformReward as TransformReward
from gymkernel_wrapper_vectorize_transform_reward import VectorizeTransformReward as VectorizeTransformReward
