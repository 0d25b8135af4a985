"""The names that `gymkernel.vectorized` had in 0.1.0; they go with the release after the next."""

from __future__ import annotations

from gymkernel_util_wrappers.vectorized import EnvView as StandIn
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper as VectorActionForm
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper as VectorObservationForm
from gymkernel_util_wrappers.vectorized import VectorizedRewardWrapper as VectorRewardForm
from gymkernel_util_wrappers.vectorized import VectorizedWrapper as VectorForm
from gymkernel_util_wrappers.vectorized import batch_axes as lead

__all__ = ["StandIn", "VectorActionForm", "VectorForm", "VectorObservationForm", "VectorRewardForm", "lead"]
