# stamped by tools/sync.py

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
    from gymkernel.wrappers._installed import AddRenderObservation as AddRenderObservation
    from gymkernel.wrappers._installed import AddWhiteNoise as AddWhiteNoise
    from gymkernel.wrappers._installed import ArrayConversion as ArrayConversion
    from gymkernel.wrappers._installed import AtariPreprocessing as AtariPreprocessing
    from gymkernel.wrappers._installed import Autoreset as Autoreset
    from gymkernel.wrappers._installed import AutoResetWrapper as AutoResetWrapper
    from gymkernel.wrappers._installed import ClipAction as ClipAction
    from gymkernel.wrappers._installed import ClipReward as ClipReward
    from gymkernel.wrappers._installed import DelayObservation as DelayObservation
    from gymkernel.wrappers._installed import DiscretizeAction as DiscretizeAction
    from gymkernel.wrappers._installed import DiscretizeObservation as DiscretizeObservation
    from gymkernel.wrappers._installed import DtypeObservation as DtypeObservation
    from gymkernel.wrappers._installed import EnvCompatibility as EnvCompatibility
    from gymkernel.wrappers._installed import FilterObservation as FilterObservation
    from gymkernel.wrappers._installed import FlattenObservation as FlattenObservation
    from gymkernel.wrappers._installed import FrameStack as FrameStack
    from gymkernel.wrappers._installed import FrameStackObservation as FrameStackObservation
    from gymkernel.wrappers._installed import GrayScaleObservation as GrayScaleObservation
    from gymkernel.wrappers._installed import GrayscaleObservation as GrayscaleObservation
    from gymkernel.wrappers._installed import HumanRendering as HumanRendering
    from gymkernel.wrappers._installed import JaxToNumpy as JaxToNumpy
    from gymkernel.wrappers._installed import JaxToTorch as JaxToTorch
    from gymkernel.wrappers._installed import LazyFrames as LazyFrames
    from gymkernel.wrappers._installed import MaxAndSkipObservation as MaxAndSkipObservation
    from gymkernel.wrappers._installed import NormalizeObservation as NormalizeObservation
    from gymkernel.wrappers._installed import NormalizeReward as NormalizeReward
    from gymkernel.wrappers._installed import NotebookRendering as NotebookRendering
    from gymkernel.wrappers._installed import NumpyToTorch as NumpyToTorch
    from gymkernel.wrappers._installed import ObstructView as ObstructView
    from gymkernel.wrappers._installed import OrderEnforcing as OrderEnforcing
    from gymkernel.wrappers._installed import PassiveEnvChecker as PassiveEnvChecker
    from gymkernel.wrappers._installed import PixelObservationWrapper as PixelObservationWrapper
    from gymkernel.wrappers._installed import RecordEpisodeStatistics as RecordEpisodeStatistics
    from gymkernel.wrappers._installed import RecordVideo as RecordVideo
    from gymkernel.wrappers._installed import RenderCollection as RenderCollection
    from gymkernel.wrappers._installed import RepeatAction as RepeatAction
    from gymkernel.wrappers._installed import RescaleAction as RescaleAction
    from gymkernel.wrappers._installed import RescaleObservation as RescaleObservation
    from gymkernel.wrappers._installed import ReshapeObservation as ReshapeObservation
    from gymkernel.wrappers._installed import ResizeObservation as ResizeObservation
    from gymkernel.wrappers._installed import StepAPICompatibility as StepAPICompatibility
    from gymkernel.wrappers._installed import StickyAction as StickyAction
    from gymkernel.wrappers._installed import TimeAwareObservation as TimeAwareObservation
    from gymkernel.wrappers._installed import TimeLimit as TimeLimit
    from gymkernel.wrappers._installed import TransformAction as TransformAction
    from gymkernel.wrappers._installed import TransformObservation as TransformObservation
    from gymkernel.wrappers._installed import TransformReward as TransformReward
    from gymkernel.wrappers.vector._installed import VectorListInfo as VectorListInfo

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
