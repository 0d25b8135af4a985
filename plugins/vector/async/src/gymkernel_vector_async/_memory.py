"""`Block`: memory that processes share; it has no name, so that nothing is left of it, however they end."""

from __future__ import annotations

import mmap
import os
import tempfile
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_util_vector.processes.signals import DeferredSignals

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["Block", "Descriptor", "aligned"]

CACHE_LINES = 128
"""Bytes: two cache lines, which processors fetch together; what two processes write must not share them."""


class Descriptor:
    """A file descriptor that reaches a worker under every start method."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __reduce__(self) -> Any:
        return _received, (DupFd(self.fd),)


def _received(duplicate: Any) -> Descriptor:
    return Descriptor(duplicate.detach())


class Block:
    """Shared memory behind a descriptor; its size is set once, by the parent.

    Args:
        fd: of a block that exists; -1 for a new one, which `open` makes.
    """

    def __init__(self, fd: int = -1) -> None:
        self.fd = fd
        self._map: Any = None

    def open(self) -> None:
        """Make the block, of no size."""
        with DeferredSignals():
            self.fd = _anonymous()

    def allocate(self, size: int) -> None:
        """Set the size, with every page reserved.

        Raises:
            MemoryError: there is not as much memory.
        """
        free = _available()
        message = (
            f"AsyncVectorEnv needs {_amount(size)} of shared memory and {_amount(free)} are available; use fewer "
            "environments, a smaller ring, or smaller observations"
        )
        if size > free:
            raise MemoryError(message)
        try:
            os.ftruncate(self.fd, size)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self.fd, 0, size)
        except OSError as exc:
            raise MemoryError(message) from exc
        self.attach(size)

    def attach(self, size: int) -> None:
        """See the memory, of a size that is set."""
        self._map = mmap.mmap(self.fd, size)

    @property
    def memory(self) -> mmap.mmap:
        """The memory itself."""
        return self._map  # type: ignore[no-any-return]

    def integers(self, start: int, count: int) -> memoryview:
        """Integers of 64 bits in it: an index costs less than a NumPy array's."""
        return memoryview(self._map)[start : start + 8 * count].cast("q")

    def array(self, start: int, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array in it."""
        return np.ndarray(shape, dtype, self._map, start)

    def close(self) -> None:
        """Give the descriptor back; arrays that somebody holds stay valid."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd, self._map = -1, None


def _anonymous() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("gymkernel")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def aligned(size: int) -> int:
    """A size rounded up, so that what follows begins a cache line of its own.

    >>> aligned(1), aligned(128)
    (128, 128)
    """
    return -(-size // CACHE_LINES) * CACHE_LINES


def _available() -> int:
    """Bytes that this process may still use, by the system and its control group; a huge number where unknown."""
    free = 1 << 62
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
        group = Path("/sys/fs/cgroup")
        limit = (group / "memory.max").read_text(encoding="ascii").strip()
        if limit != "max":
            free = min(free, int(limit) - int((group / "memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):
        pass
    return max(free, 0)


def _amount(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"
