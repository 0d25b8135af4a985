"""Helpers for starting processes. They pickle functions by value and hide MPI's environment variables."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["CloudpickleWrapper", "clear_mpi_env_vars"]


class CloudpickleWrapper:
    """A wrapper that pickles a function with cloudpickle if it is installed, so that processes can receive lambdas.

    Args:
        fn: any callable, such as a lambda that creates an environment.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn

    def __getstate__(self) -> bytes:
        try:
            import cloudpickle
        except ImportError:
            return pickle.dumps(self.fn)
        return bytes(cloudpickle.dumps(self.fn))

    def __setstate__(self, state: bytes) -> None:
        self.fn = pickle.loads(state)  # noqa: S301 - `__getstate__` created the data

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the wrapped function."""
        return self.fn(*args, **kwargs)


@contextlib.contextmanager
def clear_mpi_env_vars() -> Iterator[None]:
    """Remove MPI's environment variables in a `with` block, so that new processes do not act as MPI ranks."""
    hidden = {key: os.environ.pop(key) for key in list(os.environ) if key.startswith(("OMPI_", "PMI_"))}
    try:
        yield
    finally:
        os.environ.update(hidden)
