"""Operations on batches of elements of spaces, and helpers for vector backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.infos import batch_infos, info_of
from gymkernel.ops import (
    batch_differing_spaces,
    batch_space,
    concatenate,
    create_empty_array,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)
from gymkernel.plugins import facade
from gymkernel.vector_env import reset_mask, seeds

if TYPE_CHECKING:
    # stamped by tools/sync.py
    from gymkernel.vector.utils import misc as misc
    from gymkernel.vector.utils import shared_memory as shared_memory
    from gymkernel.vector.utils import space_utils as space_utils
    from gymkernel_util_backend import BatchPlan as BatchPlan
    from gymkernel_util_backend import BatchReader as BatchReader
    from gymkernel_util_backend import BatchWriter as BatchWriter
    from gymkernel_util_backend import Buffer as Buffer
    from gymkernel_util_backend import CloudpickleWrapper as CloudpickleWrapper
    from gymkernel_util_backend import Misfit as Misfit
    from gymkernel_util_backend import batch_steps as batch_steps
    from gymkernel_util_backend import check_observation_mode as check_observation_mode
    from gymkernel_util_backend import check_reset as check_reset
    from gymkernel_util_backend import check_step as check_step
    from gymkernel_util_backend import clear_mpi_env_vars as clear_mpi_env_vars
    from gymkernel_util_backend import common_spaces as common_spaces
    from gymkernel_util_wrappers.forms import StandIn as StandIn
    from gymkernel_util_wrappers.forms import lead as lead
    # end of stamp

    __all__ = ["batch_differing_spaces", "batch_infos", "batch_space", "concatenate", "create_empty_array"]
    __all__ += ["create_shared_memory", "info_of", "iterate", "read_from_shared_memory", "reset_mask", "seeds"]
    __all__ += ["write_to_shared_memory"]
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
