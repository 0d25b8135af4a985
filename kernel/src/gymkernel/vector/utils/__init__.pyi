# stamped by tools/sync.py

from typing import TYPE_CHECKING
from gymkernel.infos import batch_infos as batch_infos
from gymkernel.infos import info_of as info_of
from gymkernel.ops import batch_differing_spaces as batch_differing_spaces
from gymkernel.ops import batch_space as batch_space
from gymkernel.ops import concatenate as concatenate
from gymkernel.ops import create_empty_array as create_empty_array
from gymkernel.ops import create_shared_memory as create_shared_memory
from gymkernel.ops import iterate as iterate
from gymkernel.ops import read_from_shared_memory as read_from_shared_memory
from gymkernel.ops import write_to_shared_memory as write_to_shared_memory
from gymkernel.vector_env import check_mask as check_mask
from gymkernel.vector_env import episodes_over as episodes_over
from gymkernel.vector_env import reset_mask as reset_mask
from gymkernel.vector_env import seeds as seeds

if TYPE_CHECKING:
    from gymkernel.vector.utils import arguments as arguments
    from gymkernel.vector.utils import misc as misc
    from gymkernel.vector.utils import shared_memory as shared_memory
    from gymkernel.vector.utils import space_utils as space_utils
    from gymkernel_util_vector.buffer import Buffer as Buffer
    from gymkernel_util_vector.loop import batch_steps as batch_steps
    from gymkernel_util_vector.misc import CloudpickleWrapper as CloudpickleWrapper
    from gymkernel_util_vector.misc import clear_mpi_env_vars as clear_mpi_env_vars
    from gymkernel_util_vector.spaces import common_spaces as common_spaces
    from gymkernel_util_wrappers.env_view import batch_axes as batch_axes

__all__ = [
    "Buffer",
    "CloudpickleWrapper",
    "batch_axes",
    "batch_differing_spaces",
    "batch_infos",
    "batch_space",
    "batch_steps",
    "check_mask",
    "clear_mpi_env_vars",
    "common_spaces",
    "concatenate",
    "create_empty_array",
    "create_shared_memory",
    "episodes_over",
    "info_of",
    "iterate",
    "read_from_shared_memory",
    "reset_mask",
    "seeds",
    "write_to_shared_memory",
]
