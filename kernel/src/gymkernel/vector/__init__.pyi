# stamped by tools/sync.py

from typing import TYPE_CHECKING
from gymkernel.vector import utils as utils
from gymkernel.vector_env import AutoresetMode as AutoresetMode
from gymkernel.vector_env import VectorEnv as VectorEnv
from gymkernel.vector_wrapper import VectorActionWrapper as VectorActionWrapper
from gymkernel.vector_wrapper import VectorObservationWrapper as VectorObservationWrapper
from gymkernel.vector_wrapper import VectorRewardWrapper as VectorRewardWrapper
from gymkernel.vector_wrapper import VectorWrapper as VectorWrapper

if TYPE_CHECKING:
    from gymkernel.vector import async_vector_env as async_vector_env
    from gymkernel.vector import sync_vector_env as sync_vector_env
    from gymkernel.vector import vector_env as vector_env
    from gymkernel_util_compatibility.vector_make import make as make
    from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper as VectorizedActionWrapper
    from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper as VectorizedObservationWrapper
    from gymkernel_util_wrappers.vectorized import VectorizedRewardWrapper as VectorizedRewardWrapper
    from gymkernel_util_wrappers.vectorized import VectorizedWrapper as VectorizedWrapper
    from gymkernel_vector_async import AsyncVectorEnv as AsyncVectorEnv
    from gymkernel_vector_ray import RayVectorEnv as RayVectorEnv
    from gymkernel_vector_sync import SyncVectorEnv as SyncVectorEnv

__all__ = [
    "AsyncVectorEnv",
    "AutoresetMode",
    "RayVectorEnv",
    "SyncVectorEnv",
    "VectorActionWrapper",
    "VectorEnv",
    "VectorObservationWrapper",
    "VectorRewardWrapper",
    "VectorWrapper",
    "VectorizedActionWrapper",
    "VectorizedObservationWrapper",
    "VectorizedRewardWrapper",
    "VectorizedWrapper",
    "make",
    "utils",
]
