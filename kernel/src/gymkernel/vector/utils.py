"""Operations on batches of elements of spaces, and helpers for vector backends."""

from __future__ import annotations

import contextlib
import os
import pickle
from typing import TYPE_CHECKING, Any

from gymkernel.forms import StandIn, lead
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
    from collections.abc import Callable, Iterator

    # stamped by tools/sync.py
    from gymkernel_util_backend import BatchPlan as BatchPlan
    from gymkernel_util_backend import BatchReader as BatchReader
    from gymkernel_util_backend import BatchWriter as BatchWriter
    from gymkernel_util_backend import Buffer as Buffer
    from gymkernel_util_backend import Misfit as Misfit
    from gymkernel_util_backend import check_observation_mode as check_observation_mode
    from gymkernel_util_backend import common_spaces as common_spaces
    # end of stamp

    __all__ = ["CloudpickleWrapper", "StandIn", "batch_differing_spaces", "batch_infos", "batch_space"]
    __all__ += [
        "clear_mpi_env_vars",
        "concatenate",
        "create_empty_array",
        "create_shared_memory",
        "info_of",
        "iterate",
        "lead",
    ]
    __all__ += ["lead", "read_from_shared_memory", "reset_mask", "seeds", "write_to_shared_memory"]
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())


class CloudpickleWrapper:
    """A function that pickles by cloudpickle (where that is installed), so that lambdas reach a spawned process."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        """`fn`: any callable."""
        self.fn = fn

    def __getstate__(self) -> bytes:
        try:
            import cloudpickle
        except ImportError:
            return pickle.dumps(self.fn)
        return bytes(cloudpickle.dumps(self.fn))

    def __setstate__(self, state: bytes) -> None:
        self.fn = pickle.loads(state)  # noqa: S301 - written by __getstate__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.fn(*args, **kwargs)


@contextlib.contextmanager
def clear_mpi_env_vars() -> Iterator[None]:
    """Hide MPI's environment variables, so that a process started inside does not take itself for a rank."""
    hidden = {key: os.environ.pop(key) for key in list(os.environ) if key.startswith(("OMPI_", "PMI_"))}
    try:
        yield
    finally:
        os.environ.update(hidden)
