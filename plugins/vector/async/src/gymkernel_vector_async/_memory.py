"""`Block`: memory that processes share, without a name, so that it ends with them; and `Layout`: the arrays in it."""

from __future__ import annotations

import mmap
import os
import tempfile
from dataclasses import dataclass
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel_util_vector.processes.signals import DeferredSignals
from gymkernel_vector_async._channel import BLOCK_SIZE

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from gymkernel_util_spaces.batches import BatchPlan

__all__ = ["Block", "Descriptor", "Layout", "aligned"]

CACHE_LINES: Final = 128
"""Bytes: two cache lines, which processors fetch together; two processes must not write into the same ones."""
NUMBERS: Final[dict[str, type[np.generic]]] = {
    **dict.fromkeys(("requested", "completed", "with_message"), np.int64),
    "rewards": np.float64,
    **dict.fromkeys(("terminations", "truncations"), np.bool_),
}
"""The arrays with one number for each environment."""


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


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of all arrays in a block, behind the words of the parent and of each worker."""

    plan: BatchPlan
    """Of observations."""
    action_plan: BatchPlan
    """Of actions; if they have parts without a layout, actions travel by message, and have no place."""
    envs: int
    workers: int
    ring: int
    """Number of buffers for observations."""
    shared: bool
    """Whether observations go through the block; otherwise they travel by message."""

    @property
    def size(self) -> int:
        """Bytes of the block."""
        return self._places()[-1]

    def _places(self) -> tuple[list[int], list[int], list[list[int]], int]:
        """Return where the arrays begin: `NUMBERS`, actions, and observations by buffer and leaf; and the end."""
        position, numbers, observations = aligned(8 * BLOCK_SIZE * (1 + self.workers)), [], []
        for dtype in NUMBERS.values():
            numbers.append(position)
            position = aligned(position + self.envs * np.dtype(dtype).itemsize)
        actions: list[int] = []
        if not self.action_plan.object_parts:
            actions, position = self.action_plan.place(self.envs, position, CACHE_LINES)
        for _ in range(self.ring * self.shared):
            starts, position = self.plan.place(self.envs, position, CACHE_LINES)
            observations.append(starts)
        return numbers, actions, observations, aligned(position)

    def arrays(self, block: Block) -> tuple[dict[str, Any], list[list[Any]]]:
        """Return the arrays in a block: by name, and those of observations by buffer and leaf."""
        n, (numbers, actions, observations, _) = self.envs, self._places()
        places = zip(NUMBERS.items(), numbers, strict=True)
        named: dict[str, Any] = {name: block.array(start, (n,), dtype) for (name, dtype), start in places}
        named["actions"] = self.action_plan.arrays(n, block.memory, actions) if actions else []
        return named, [self.plan.arrays(n, block.memory, starts) for starts in observations]

    def private(self, n: int) -> list[list[Any]]:
        """Return arrays of this process alone, for observations that travel by message."""
        return [self.plan.arrays(n) for _ in range(self.ring)]


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
