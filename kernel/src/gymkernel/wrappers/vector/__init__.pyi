# stamped by tools/sync.py

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from gymkernel.wrappers.vector._installed import AddRenderObservation as AddRenderObservation
    from gymkernel.wrappers.vector._installed import ArrayConversion as ArrayConversion
    from gymkernel.wrappers.vector._installed import ClipAction as ClipAction
    from gymkernel.wrappers.vector._installed import ClipReward as ClipReward
    from gymkernel.wrappers.vector._installed import DelayObservation as DelayObservation
    from gymkernel.wrappers.vector._installed import DictInfoToList as DictInfoToList
    from gymkernel.wrappers.vector._installed import DiscretizeAction as DiscretizeAction
    from gymkernel.wrappers.vector._installed import DiscretizeObservation as DiscretizeObservation
    from gymkernel.wrappers.vector._installed import DtypeObservation as DtypeObservation
    from gymkernel.wrappers.vector._installed import FilterObservation as FilterObservation
    from gymkernel.wrappers.vector._installed import FlattenObservation as FlattenObservation
    from gymkernel.wrappers.vector._installed import FrameStack as FrameStack
    from gymkernel.wrappers.vector._installed import FrameStackObservation as FrameStackObservation
    from gymkernel.wrappers.vector._installed import GrayScaleObservation as GrayScaleObservation
    from gymkernel.wrappers.vector._installed import GrayscaleObservation as GrayscaleObservation
    from gymkernel.wrappers.vector._installed import HumanRendering as HumanRendering
    from gymkernel.wrappers.vector._installed import JaxToNumpy as JaxToNumpy
    from gymkernel.wrappers.vector._installed import JaxToTorch as JaxToTorch
    from gymkernel.wrappers.vector._installed import MaxAndSkipObservation as MaxAndSkipObservation
    from gymkernel.wrappers.vector._installed import NormalizeObservation as NormalizeObservation
    from gymkernel.wrappers.vector._installed import NormalizeReward as NormalizeReward
    from gymkernel.wrappers.vector._installed import NumpyToTorch as NumpyToTorch
    from gymkernel.wrappers.vector._installed import PixelObservationWrapper as PixelObservationWrapper
    from gymkernel.wrappers.vector._installed import RecordEpisodeStatistics as RecordEpisodeStatistics
    from gymkernel.wrappers.vector._installed import RecordVideo as RecordVideo
    from gymkernel.wrappers.vector._installed import RepeatAction as RepeatAction
    from gymkernel.wrappers.vector._installed import RescaleAction as RescaleAction
    from gymkernel.wrappers.vector._installed import RescaleObservation as RescaleObservation
    from gymkernel.wrappers.vector._installed import ReshapeObservation as ReshapeObservation
    from gymkernel.wrappers.vector._installed import ResizeObservation as ResizeObservation
    from gymkernel.wrappers.vector._installed import StepAPICompatibility as StepAPICompatibility
    from gymkernel.wrappers.vector._installed import StickyAction as StickyAction
    from gymkernel.wrappers.vector._installed import TimeAwareObservation as TimeAwareObservation
    from gymkernel.wrappers.vector._installed import TimeLimit as TimeLimit
    from gymkernel.wrappers.vector._installed import TransformAction as TransformAction
    from gymkernel.wrappers.vector._installed import TransformObservation as TransformObservation
    from gymkernel.wrappers.vector._installed import TransformReward as TransformReward
    from gymkernel.wrappers.vector._installed import VectorizeTransformAction as VectorizeTransformAction
    from gymkernel.wrappers.vector._installed import VectorizeTransformObservation as VectorizeTransformObservation
    from gymkernel.wrappers.vector._installed import VectorizeTransformReward as VectorizeTransformReward
    from gymkernel.wrappers.vector._installed import VectorListInfo as VectorListInfo

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
