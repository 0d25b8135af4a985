"""Blocks of unnamed shared memory (`Block`) and the arrangement of the arrays in them (`Layout`)."""

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
"""The size of two cache lines in bytes. Processors fetch them together, so only one process should write to them."""
NUMBERS: Final[dict[str, type[np.generic]]] = {
    **dict.fromkeys(("requested", "completed", "with_message"), np.int64),
    "rewards": np.float64,
    **dict.fromkeys(("terminations", "truncations"), np.bool_),
}
"""The dtypes of the arrays that contain one number per environment, keyed by name."""


class Descriptor:
    """A file descriptor that can be passed to a worker, whatever the start method."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __reduce__(self) -> Any:
        return _receive, (DupFd(self.fd),)


def _receive(duplicate: Any) -> Descriptor:
    return Descriptor(duplicate.detach())


class Block:
    """A block of shared memory that is accessed through a file descriptor. The parent sets the size of the block once.

    Args:
        fd: the file descriptor of an existing block; -1 if `open` will create a new block.
    """

    def __init__(self, fd: int = -1) -> None:
        self.fd = fd
        self._map: Any = None

    def open(self) -> None:
        """Create an empty block."""
        with DeferredSignals():
            self.fd = _create_anonymous_file()

    def allocate(self, size: int) -> None:
        """Set the size, reserve every page, and map the memory.

        Args:
            size: the size in bytes.

        Raises:
            MemoryError: if not enough memory is available.
        """
        free = _available_memory()
        message = (
            f"AsyncVectorEnv needs {_format_size(size)} of shared memory, but only {_format_size(free)} are available; "
            "use fewer environments, a smaller ring, or smaller observations"
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
        """Map the memory. The parent must already have set the size.

        Args:
            size: the size in bytes.
        """
        self._map = mmap.mmap(self.fd, size)

    @property
    def memory(self) -> mmap.mmap:
        """The mapped memory."""
        return self._map  # type: ignore[no-any-return]

    def integers(self, start: int, count: int) -> memoryview:
        """Return a view of 64-bit integers in the block. Reading an item is faster than with a NumPy array.

        Args:
            start: the offset in bytes.
            count: the number of integers.
        """
        return memoryview(self._map)[start : start + 8 * count].cast("q")

    def array(self, start: int, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return a NumPy array that is a view of part of the block.

        Args:
            start: the offset in bytes.
            shape: the shape of the array.
            dtype: the dtype of the array.
        """
        return np.ndarray(shape, dtype, self._map, start)

    def close(self) -> None:
        """Close the file descriptor. Arrays that are still referenced stay valid."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd, self._map = -1, None


@dataclass(frozen=True, slots=True)
class Layout:
    """The arrangement of the arrays in a block. The control blocks of the parent and the workers come first."""

    plan: BatchPlan
    """The array plan for a batch of observations."""
    action_plan: BatchPlan
    """The array plan for a batch of actions. Actions with parts that have no layout are sent as messages instead."""
    envs: int
    """The number of environments."""
    workers: int
    """The number of workers."""
    ring: int
    """The number of observation buffers."""
    shared: bool
    """Whether observations are in the block. If not, they are sent as messages."""

    @property
    def size(self) -> int:
        """The size of the block in bytes."""
        return self._offsets()[-1]

    def _offsets(self) -> tuple[list[int], list[int], list[list[int]], int]:
        """Return the offsets of the arrays in `NUMBERS`, the actions, each buffer's observations, and the end."""
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
        """Return the arrays in a block, keyed by name, and a list of observation arrays for each buffer."""
        n, (numbers, actions, observations, _) = self.envs, self._offsets()
        offsets = zip(NUMBERS.items(), numbers, strict=True)
        named: dict[str, Any] = {name: block.array(start, (n,), dtype) for (name, dtype), start in offsets}
        named["actions"] = self.action_plan.arrays(n, block.memory, actions) if actions else []
        return named, [self.plan.arrays(n, block.memory, starts) for starts in observations]

    def private(self, n: int) -> list[list[Any]]:
        """Allocate arrays outside the block, for observations that are sent as messages.

        Args:
            n: the number of environments.
        """
        return [self.plan.arrays(n) for _ in range(self.ring)]


def _create_anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("gymkernel")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def aligned(size: int) -> int:
    """Round a size up so that the next array starts on its own cache line.

    >>> aligned(1), aligned(128)
    (128, 128)
    """
    return -(-size // CACHE_LINES) * CACHE_LINES


def _available_memory() -> int:
    """Return the available memory in bytes, or a huge number if it cannot be determined.

    The memory is limited by the system's free memory and by the memory limit of the control group.
    """
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


def _format_size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"
