"""`Env`, its wrappers and type variables under the module name that users of this API expect."""

from gymkernel.env import ActionWrapper, Env, ObservationWrapper, RewardWrapper, Wrapper
from gymkernel.protocols import ActType, ObsType, RenderFrame, WrapperActType, WrapperObsType

__all__ = [
    "ActType",
    "ActionWrapper",
    "Env",
    "ObsType",
    "ObservationWrapper",
    "RenderFrame",
    "RewardWrapper",
    "Wrapper",
]
__all__ += ["WrapperActType", "WrapperObsType"]
