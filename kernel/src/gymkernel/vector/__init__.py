"""The installed vector backends, by name, and the bases of vector environments and of wrappers around them."""

from gymkernel.plugins import facade
from gymkernel.vector import utils
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorActionWrapper, VectorObservationWrapper, VectorRewardWrapper, VectorWrapper

__getattr__, __dir__ = facade(__name__, "vector", globals())
