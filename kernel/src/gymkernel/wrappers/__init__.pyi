"""Names of this module and names from plugins; stamped by tools/sync.py."""

from typing import TYPE_CHECKING
from gymkernel.wrapper import ActionWrapper as ActionWrapper
from gymkernel.wrapper import ObservationWrapper as ObservationWrapper
from gymkernel.wrapper import RewardWrapper as RewardWrapper
from gymkernel.wrapper import Wrapper as Wrapper
from gymkernel.wrappers import vector as vector

if TYPE_CHECKING:
    from gymkernel.wrappers import array_conversion as array_conversion
    from gymkernel.wrappers import atari_preprocessing as atari_preprocessing
    from gymkernel.wrappers import common as common
    from gymkernel.wrappers import jax_to_numpy as jax_to_numpy
    from gymkernel.wrappers import jax_to_torch as jax_to_torch
    from gymkernel.wrappers import numpy_to_torch as numpy_to_torch
    from gymkernel.wrappers import rendering as rendering
    from gymkernel.wrappers import stateful_action as stateful_action
    from gymkernel.wrappers import stateful_observation as stateful_observation
    from gymkernel.wrappers import stateful_reward as stateful_reward
    from gymkernel.wrappers import transform_action as transform_action
    from gymkernel.wrappers import transform_observation as transform_observation
    from gymkernel.wrappers import transform_reward as transform_reward
    from gymkernel.wrappers import utils as utils
    from gymkernel_util_compatibility.step_api_compatibility import EnvCompatibility as EnvCompatibility
    from gymkernel_util_compatibility.step_api_compatibility import StepAPICompatibility as StepAPICompatibility
    from gymkernel_wrapper_add_render_observation import AddRenderObservation as AddRenderObservation
    from gymkernel_wrapper_add_render_observation import PixelObservationWrapper as PixelObservationWrapper
    from gymkernel_wrapper_add_white_noise import AddWhiteNoise as AddWhiteNoise
    from gymkernel_wrapper_array_conversion import ArrayConversion as ArrayConversion
    from gymkernel_wrapper_atari_preprocessing import AtariPreprocessing as AtariPreprocessing
    from gymkernel_wrapper_autoreset import Autoreset as Autoreset
    from gymkernel_wrapper_autoreset import AutoResetWrapper as AutoResetWrapper
    from gymkernel_wrapper_clip_action import ClipAction as ClipAction
    from gymkernel_wrapper_clip_reward import ClipReward as ClipReward
    from gymkernel_wrapper_delay_observation import DelayObservation as DelayObservation
    from gymkernel_wrapper_dict_info_to_list import VectorListInfo as VectorListInfo
    from gymkernel_wrapper_discretize_action import DiscretizeAction as DiscretizeAction
    from gymkernel_wrapper_discretize_observation import DiscretizeObservation as DiscretizeObservation
    from gymkernel_wrapper_dtype_observation import DtypeObservation as DtypeObservation
    from gymkernel_wrapper_filter_observation import FilterObservation as FilterObservation
    from gymkernel_wrapper_flatten_observation import FlattenObservation as FlattenObservation
    from gymkernel_wrapper_frame_stack_observation import FrameStack as FrameStack
    from gymkernel_wrapper_frame_stack_observation import FrameStackObservation as FrameStackObservation
    from gymkernel_wrapper_frame_stack_observation import LazyFrames as LazyFrames
    from gymkernel_wrapper_grayscale_observation import GrayScaleObservation as GrayScaleObservation
    from gymkernel_wrapper_grayscale_observation import GrayscaleObservation as GrayscaleObservation
    from gymkernel_wrapper_human_rendering import HumanRendering as HumanRendering
    from gymkernel_wrapper_jax_to_numpy import JaxToNumpy as JaxToNumpy
    from gymkernel_wrapper_jax_to_torch import JaxToTorch as JaxToTorch
    from gymkernel_wrapper_max_and_skip_observation import MaxAndSkipObservation as MaxAndSkipObservation
    from gymkernel_wrapper_normalize_observation import NormalizeObservation as NormalizeObservation
    from gymkernel_wrapper_normalize_reward import NormalizeReward as NormalizeReward
    from gymkernel_wrapper_notebook_rendering import NotebookRendering as NotebookRendering
    from gymkernel_wrapper_numpy_to_torch import NumpyToTorch as NumpyToTorch
    from gymkernel_wrapper_obstruct_view import ObstructView as ObstructView
    from gymkernel_wrapper_order_enforcing import OrderEnforcing as OrderEnforcing
    from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker as PassiveEnvChecker
    from gymkernel_wrapper_record_episode_statistics import RecordEpisodeStatistics as RecordEpisodeStatistics
    from gymkernel_wrapper_record_video import RecordVideo as RecordVideo
    from gymkernel_wrapper_render_collection import RenderCollection as RenderCollection
    from gymkernel_wrapper_repeat_action import RepeatAction as RepeatAction
    from gymkernel_wrapper_rescale_action import RescaleAction as RescaleAction
    from gymkernel_wrapper_rescale_observation import RescaleObservation as RescaleObservation
    from gymkernel_wrapper_reshape_observation import ReshapeObservation as ReshapeObservation
    from gymkernel_wrapper_resize_observation import ResizeObservation as ResizeObservation
    from gymkernel_wrapper_sticky_action import StickyAction as StickyAction
    from gymkernel_wrapper_time_aware_observation import TimeAwareObservation as TimeAwareObservation
    from gymkernel_wrapper_time_limit import TimeLimit as TimeLimit
    from gymkernel_wrapper_transform_action import TransformAction as TransformAction
    from gymkernel_wrapper_transform_observation import TransformObservation as TransformObservation
    from gymkernel_wrapper_transform_reward import TransformReward as TransformReward

__all__ = [
    "ActionWrapper",
    "AddRenderObservation",
    "AddWhiteNoise",
    "ArrayConversion",
    "AtariPreprocessing",
    "AutoResetWrapper",
    "Autoreset",
    "ClipAction",
    "ClipReward",
    "DelayObservation",
    "DiscretizeAction",
    "DiscretizeObservation",
    "DtypeObservation",
    "EnvCompatibility",
    "FilterObservation",
    "FlattenObservation",
    "FrameStack",
    "FrameStackObservation",
    "GrayScaleObservation",
    "GrayscaleObservation",
    "HumanRendering",
    "JaxToNumpy",
    "JaxToTorch",
    "LazyFrames",
    "MaxAndSkipObservation",
    "NormalizeObservation",
    "NormalizeReward",
    "NotebookRendering",
    "NumpyToTorch",
    "ObservationWrapper",
    "ObstructView",
    "OrderEnforcing",
    "PassiveEnvChecker",
    "PixelObservationWrapper",
    "RecordEpisodeStatistics",
    "RecordVideo",
    "RenderCollection",
    "RepeatAction",
    "RescaleAction",
    "RescaleObservation",
    "ReshapeObservation",
    "ResizeObservation",
    "RewardWrapper",
    "StepAPICompatibility",
    "StickyAction",
    "TimeAwareObservation",
    "TimeLimit",
    "TransformAction",
    "TransformObservation",
    "TransformReward",
    "VectorListInfo",
    "Wrapper",
    "vector",
]
