"""Names of this module and names from plugins; stamped by tools/sync.py."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gymkernel.wrappers._installed import VectorListInfo as VectorListInfo
    from gymkernel.wrappers.vector import array_conversion as array_conversion
    from gymkernel.wrappers.vector import common as common
    from gymkernel.wrappers.vector import dict_info_to_list as dict_info_to_list
    from gymkernel.wrappers.vector import jax_to_numpy as jax_to_numpy
    from gymkernel.wrappers.vector import jax_to_torch as jax_to_torch
    from gymkernel.wrappers.vector import numpy_to_torch as numpy_to_torch
    from gymkernel.wrappers.vector import rendering as rendering
    from gymkernel.wrappers.vector import stateful_observation as stateful_observation
    from gymkernel.wrappers.vector import stateful_reward as stateful_reward
    from gymkernel.wrappers.vector import vectorize_action as vectorize_action
    from gymkernel.wrappers.vector import vectorize_observation as vectorize_observation
    from gymkernel.wrappers.vector import vectorize_reward as vectorize_reward
    from gymkernel_util_compatibility.vector import StepAPICompatibility as StepAPICompatibility
    from gymkernel_wrapper_add_render_observation.vector import AddRenderObservation as AddRenderObservation
    from gymkernel_wrapper_add_render_observation.vector import PixelObservationWrapper as PixelObservationWrapper
    from gymkernel_wrapper_array_conversion.vector import ArrayConversion as ArrayConversion
    from gymkernel_wrapper_clip_action.vector import ClipAction as ClipAction
    from gymkernel_wrapper_clip_reward.vector import ClipReward as ClipReward
    from gymkernel_wrapper_delay_observation.vector import DelayObservation as DelayObservation
    from gymkernel_wrapper_dict_info_to_list import DictInfoToList as DictInfoToList
    from gymkernel_wrapper_discretize_action.vector import DiscretizeAction as DiscretizeAction
    from gymkernel_wrapper_discretize_observation.vector import DiscretizeObservation as DiscretizeObservation
    from gymkernel_wrapper_dtype_observation.vector import DtypeObservation as DtypeObservation
    from gymkernel_wrapper_filter_observation.vector import FilterObservation as FilterObservation
    from gymkernel_wrapper_flatten_observation.vector import FlattenObservation as FlattenObservation
    from gymkernel_wrapper_frame_stack_observation.vector import FrameStack as FrameStack
    from gymkernel_wrapper_frame_stack_observation.vector import FrameStackObservation as FrameStackObservation
    from gymkernel_wrapper_grayscale_observation.vector import GrayScaleObservation as GrayScaleObservation
    from gymkernel_wrapper_grayscale_observation.vector import GrayscaleObservation as GrayscaleObservation
    from gymkernel_wrapper_human_rendering.vector import HumanRendering as HumanRendering
    from gymkernel_wrapper_jax_to_numpy.vector import JaxToNumpy as JaxToNumpy
    from gymkernel_wrapper_jax_to_torch.vector import JaxToTorch as JaxToTorch
    from gymkernel_wrapper_max_and_skip_observation.vector import MaxAndSkipObservation as MaxAndSkipObservation
    from gymkernel_wrapper_normalize_observation.vector import NormalizeObservation as NormalizeObservation
    from gymkernel_wrapper_normalize_reward.vector import NormalizeReward as NormalizeReward
    from gymkernel_wrapper_numpy_to_torch.vector import NumpyToTorch as NumpyToTorch
    from gymkernel_wrapper_record_episode_statistics.vector import RecordEpisodeStatistics as RecordEpisodeStatistics
    from gymkernel_wrapper_record_video.vector import RecordVideo as RecordVideo
    from gymkernel_wrapper_repeat_action.vector import RepeatAction as RepeatAction
    from gymkernel_wrapper_rescale_action.vector import RescaleAction as RescaleAction
    from gymkernel_wrapper_rescale_observation.vector import RescaleObservation as RescaleObservation
    from gymkernel_wrapper_reshape_observation.vector import ReshapeObservation as ReshapeObservation
    from gymkernel_wrapper_resize_observation.vector import ResizeObservation as ResizeObservation
    from gymkernel_wrapper_sticky_action.vector import StickyAction as StickyAction
    from gymkernel_wrapper_time_aware_observation.vector import TimeAwareObservation as TimeAwareObservation
    from gymkernel_wrapper_time_limit.vector import TimeLimit as TimeLimit
    from gymkernel_wrapper_transform_action.vector import TransformAction as TransformAction
    from gymkernel_wrapper_transform_observation.vector import TransformObservation as TransformObservation
    from gymkernel_wrapper_transform_reward.vector import TransformReward as TransformReward
    from gymkernel_wrapper_vectorize_transform_action import VectorizeTransformAction as VectorizeTransformAction
    from gymkernel_wrapper_vectorize_transform_observation import (
        VectorizeTransformObservation as VectorizeTransformObservation,
    )
    from gymkernel_wrapper_vectorize_transform_reward import VectorizeTransformReward as VectorizeTransformReward

__all__ = [
    "AddRenderObservation",
    "ArrayConversion",
    "ClipAction",
    "ClipReward",
    "DelayObservation",
    "DictInfoToList",
    "DiscretizeAction",
    "DiscretizeObservation",
    "DtypeObservation",
    "FilterObservation",
    "FlattenObservation",
    "FrameStack",
    "FrameStackObservation",
    "GrayScaleObservation",
    "GrayscaleObservation",
    "HumanRendering",
    "JaxToNumpy",
    "JaxToTorch",
    "MaxAndSkipObservation",
    "NormalizeObservation",
    "NormalizeReward",
    "NumpyToTorch",
    "PixelObservationWrapper",
    "RecordEpisodeStatistics",
    "RecordVideo",
    "RepeatAction",
    "RescaleAction",
    "RescaleObservation",
    "ReshapeObservation",
    "ResizeObservation",
    "StepAPICompatibility",
    "StickyAction",
    "TimeAwareObservation",
    "TimeLimit",
    "TransformAction",
    "TransformObservation",
    "TransformReward",
    "VectorListInfo",
    "VectorizeTransformAction",
    "VectorizeTransformObservation",
    "VectorizeTransformReward",
]
