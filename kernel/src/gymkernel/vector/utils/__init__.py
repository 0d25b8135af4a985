"""Operations on batches of elements, and helper functions for vector backends."""

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
from gymkernel.vector_env import check_mask, episodes_over, reset_mask, seeds

__getattr__, __dir__ = facade(__name__, "utils", globals())
