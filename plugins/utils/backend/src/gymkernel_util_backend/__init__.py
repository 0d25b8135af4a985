"""What vector backends share: batches in arrays, and the spaces of several environments."""

from gymkernel.arrays import BatchPlan
from gymkernel_util_backend.buffer import Buffer
from gymkernel_util_backend.memory import SharedPlaces
from gymkernel_util_backend.misc import CloudpickleWrapper, clear_mpi_env_vars
from gymkernel_util_backend.outcomes import batch_steps, check_reset, check_step
from gymkernel_util_backend.reading import BatchReader
from gymkernel_util_backend.spaces import check_observation_mode, common_spaces
from gymkernel_util_backend.writing import BatchWriter, ObservationMismatch

__all__ = ["BatchPlan", "BatchReader", "BatchWriter", "Buffer", "CloudpickleWrapper", "ObservationMismatch"]
__all__ += ["SharedPlaces"]
__all__ += ["batch_steps", "check_observation_mode", "check_reset", "check_step", "clear_mpi_env_vars", "common_spaces"]
