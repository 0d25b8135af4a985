"""All installed vector backends, and the base classes of vector environments and vector wrappers."""

from gymkernel.plugins import facade
from gymkernel.vector import utils
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorActionWrapper, VectorObservationWrapper, VectorRewardWrapper, VectorWrapper

__getattr__, __dir__ = facade(__name__, "vector", globals())
