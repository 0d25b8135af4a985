"""What vector backends share: batches in arrays, and the spaces of several environments."""

from gymkernel_util_backend.buffer import Buffer
from gymkernel_util_backend.plan import BatchPlan
from gymkernel_util_backend.reading import BatchReader
from gymkernel_util_backend.spaces import check_observation_mode, common_spaces
from gymkernel_util_backend.writing import BatchWriter, Misfit

__all__ = ["BatchPlan", "BatchReader", "BatchWriter", "Buffer", "Misfit", "check_observation_mode", "common_spaces"]
