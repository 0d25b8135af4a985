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

from gymkernel_util_vector.columns import RESULTS, column_plan
from gymkernel_util_vector.processes.signals import DeferredSignals
from gymkernel_vector_async._channel import BLOCK_SIZE

if TYPE_CHECKING:
    from gymkernel_util_spaces.batches import BatchPlan

__all__ = ["Block", "Descriptor", "Layout"]

CACHE_LINES: Final = 128
"""The size of two cache lines in bytes. Processors fetch them together, so only one process should write to them."""
NUMBERS: Final = column_plan(requested=np.int64, completed=np.int64, with_message=np.int64, **RESULTS)
"""The plan for the arrays that contain one number per environment."""


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
        self.memory: Any = None
        """The mapped memory."""

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
        self.memory = mmap.mmap(self.fd, size)

    def integers(self, start: int, count: int) -> memoryview:
        """Return a view of 64-bit integers in the block. Reading an item is faster than with a NumPy array.

        Args:
            start: the offset in bytes.
            count: the number of integers.
        """
        return memoryview(self.memory)[start : start + 8 * count].cast("q")

    def close(self) -> None:
        """Close the file descriptor. Arrays that are still referenced stay valid."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd, self.memory = -1, None


@dataclass(frozen=True, slots=True)
class Layout:
    """The arrangement of the arrays in a block. The control blocks of the parent and the workers come first."""

    plan: BatchPlan
    """The array plan for a batch of observations."""
    action_plan: BatchPlan
    """The array plan for a batch of actions."""
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
        return self._offsets()[1]

    def _plans(self) -> list[BatchPlan]:
        """Return the plan of each group of arrays in the block, in order."""
        return [NUMBERS, self.action_plan, *[self.plan] * (self.ring * self.shared)]

    def _offsets(self) -> tuple[list[list[int]], int]:
        """Return the offsets of the arrays of each plan, and the end of the last array."""
        offsets, position = [], 8 * BLOCK_SIZE * (1 + self.workers)
        for plan in self._plans():
            starts, position = plan.place(self.envs, position, CACHE_LINES)
            offsets.append(starts)
        return offsets, position

    def arrays(self, block: Block) -> tuple[dict[str, Any], list[list[Any]]]:
        """Return the arrays in a block, keyed by name, and a list of observation arrays for each buffer."""
        placed = zip(self._plans(), self._offsets()[0], strict=True)
        numbers, actions, *observations = (plan.arrays(self.envs, block.memory, starts) for plan, starts in placed)
        return {**NUMBERS.nested(numbers), "actions": actions}, observations

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
