# stamped by tools/sync.py

from gymkernel.protocols import ArrayType as ArrayType
from gymkernel.vector_env import AutoresetMode as AutoresetMode
from gymkernel.vector_env import VectorEnv as VectorEnv
from gymkernel.vector_wrapper import VectorActionWrapper as VectorActionWrapper
from gymkernel.vector_wrapper import VectorObservationWrapper as VectorObservationWrapper
from gymkernel.vector_wrapper import VectorRewardWrapper as VectorRewardWrapper
from gymkernel.vector_wrapper import VectorWrapper as VectorWrapper
