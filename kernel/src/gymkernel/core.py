"""The class `Env`, the base classes of wrappers, and type variables, under the module path that Gymnasium uses."""

from typing import SupportsFloat

from gymkernel.env import Env
from gymkernel.protocols import ActType, ObsType, RenderFrame, WrapperActType, WrapperObsType
from gymkernel.wrapper import ActionWrapper, ObservationWrapper, RewardWrapper, Wrapper

__all__ = ["ActType", "ActionWrapper", "Env", "ObsType", "ObservationWrapper", "RenderFrame", "RewardWrapper"]
__all__ += ["SupportsFloat", "Wrapper", "WrapperActType", "WrapperObsType"]
