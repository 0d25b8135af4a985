"""Helpers for starting processes: pickle functions by value, and hide MPI's environment variables."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["CloudpickleWrapper", "clear_mpi_env_vars"]


class CloudpickleWrapper:
    """A wrapper that pickles a function with cloudpickle, if installed, so that lambdas can be sent to new processes.

    Args:
        fn: any callable, such as a lambda that creates an environment.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        """Store the callable `fn`."""
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
    """Hide MPI's environment variables, so that a process started within this context does not act as an MPI rank."""
    hidden = {key: os.environ.pop(key) for key in list(os.environ) if key.startswith(("OMPI_", "PMI_"))}
    try:
        yield
    finally:
        os.environ.update(hidden)
