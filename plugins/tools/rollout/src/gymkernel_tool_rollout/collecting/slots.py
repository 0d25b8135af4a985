"""Slots of memory into which shards write fragments. A slot is reused as soon as no array refers to it."""

from __future__ import annotations

import ctypes
import mmap
import os
import secrets
import weakref
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

import numpy as np

from gymkernel_tool_rollout.collecting.mapped_memory import MappedMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["MAX_SLOTS", "PrivateSlot", "S", "Slot", "SlotPlace", "SlotPool", "SlotWriter"]

MAX_SLOTS: Final = 5
"""The maximum number of slots per shard.

One slot is for the current fragment, another one is reserved for the next fragment, and the others contain fragments
that are waiting or in use. If the program keeps more fragments, it receives copies.
"""
HEADER_SIZE: Final = 64
"""The size of a slot's header in bytes. The header contains the current time step and whether the worker must stop."""
NOT_STARTED: Final = -1


class SlotPlace(NamedTuple):
    """The location of a slot. Other processes use it to open the slot's memory."""

    path: str
    """The path under /proc of the slot's file descriptor in the process that created the slot."""
    name: str
    """The memory's name, which a worker compares to make sure that the path leads to the same memory on its machine."""


class Slot:
    """A block of shared memory that holds one fragment at a time and grows if a fragment needs more space."""

    def __init__(self) -> None:
        name = f"gymkernel-{secrets.token_hex(8)}"
        self.fd = os.memfd_create(name)
        os.ftruncate(self.fd, HEADER_SIZE)
        self.place = SlotPlace(f"/proc/{os.getpid()}/fd/{self.fd}", name)
        self._map: MappedMemory | None = None
        self._header = mmap.mmap(self.fd, HEADER_SIZE)
        self._words = memoryview(self._header).cast("q")
        self.clear()

    def memory(self) -> memoryview:
        """Return the whole memory. The worker has set its size."""
        size = os.fstat(self.fd).st_size
        if self._map is None or len(self._map.view) != size:
            self._map = MappedMemory(self.fd, size)
        return self._map.view

    def clear(self) -> None:
        """Mark the slot as one into which no worker has written yet."""
        self._words[0] = NOT_STARTED

    def row(self) -> int | None:
        """Return the worker's current time step, or None before the first time step."""
        row = self._words[0]
        return None if row == NOT_STARTED else row

    def stop(self) -> None:
        """Ask the worker to abandon the fragment."""
        self._words[1] = 1

    def close(self) -> None:
        """Close the file descriptor. Arrays that are still referenced stay valid."""
        if self.fd >= 0:
            os.close(self.fd)
            self._words.release()
            self._header.close()
        self.fd, self._map = -1, None


class PrivateSlot:
    """A slot in this process's own memory, whose pages stay allocated when the slot is reused."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)

    def memory(self) -> Any:
        """Return the whole memory."""
        return self._memory

    def resize(self, size: int) -> Any:
        """Return the memory, after enlarging it if it is smaller than the given size in bytes."""
        if len(self._memory) < size:
            self._memory = np.empty(size, np.uint8)
            self._memory[:HEADER_SIZE] = 0
        return self._memory

    def clear(self) -> None:
        """Do nothing, because nobody reads the progress of a private slot."""


S = TypeVar("S", "Slot", "PrivateSlot")


class SlotPool(Generic[S]):
    """A pool of slots that belong to one shard.

    Args:
        make: the class that creates a slot, `Slot` or `PrivateSlot`.
    """

    def __init__(self, make: Callable[[], S]) -> None:
        self._make: Callable[[], S] = make
        self._slots: list[S] = []
        self._free: list[S] = []

    @staticmethod
    def works() -> bool:
        """Return whether other processes can open unnamed memory on this system."""
        return hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")  # noqa: PTH112 - faster than pathlib

    def take(self) -> S:
        """Return a free slot for the next fragment."""
        if self._free:
            slot = self._free.pop()
            slot.clear()
        else:
            slot = self._make()
            self._slots.append(slot)
        return slot

    def hand_out(self, slot: S) -> tuple[Any, bool]:
        """Return the memory of a finished slot, and whether the caller must copy it because slots are scarce.

        If slots are scarce, the slot becomes free immediately. Otherwise, it becomes free when the last array that
        refers to it is deleted.

        Args:
            slot: a slot from `take`.
        """
        memory = slot.memory()
        scarce = len(self._slots) >= MAX_SLOTS and not self._free
        if scarce:
            self._free.append(slot)
            return memory, True
        view = (ctypes.c_char * len(memory)).from_buffer(memory)
        weakref.finalize(view, self._free.append, slot).atexit = False
        return view, False

    def take_back(self, slot: S) -> None:
        """Mark a slot as free because its fragment is not needed.

        Args:
            slot: a slot from `take`.
        """
        self._free.append(slot)

    def __iter__(self) -> Iterator[S]:
        """Iterate over all slots, including free ones."""
        return iter(self._slots)


class SlotWriter:
    """The worker's counterpart to `SlotPool`, which opens slots and enlarges them."""

    def __init__(self) -> None:
        self._maps: dict[str, MappedMemory] = {}

    def open(self, place: SlotPlace) -> Callable[[int], memoryview] | None:
        """Open a slot. Return a function that takes a size in bytes and returns memory of that size.

        Args:
            place: the location of the slot.

        Returns:
            The function, or None if this process cannot open the slot.
        """
        try:
            if place.name not in os.readlink(place.path):  # noqa: PTH115 - the link's target is not a path
                return None
            fd = os.open(place.path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return None

        def memory(size: int) -> memoryview:
            try:
                return self._memory(fd, place.name, size)
            finally:
                os.close(fd)

        return memory

    def _memory(self, fd: int, name: str, size: int) -> memoryview:
        mapped, current = self._maps.get(name), os.fstat(fd).st_size
        if mapped is not None and len(mapped.view) == current >= size:
            return mapped.view
        try:
            if current < size:
                current = size
                os.ftruncate(fd, size)
            mapped = MappedMemory(fd, current)
            mapped.fill()
            os.posix_fallocate(fd, 0, current)
        except OSError as exc:
            message = (
                f"A fragment needs {size / 1e6:.1f} MB of shared memory: {exc}. Use a shorter fragment_length, fewer "
                "environments, or smaller observations"
            )
            raise MemoryError(message) from exc
        # The memory is stored last, because writing to unallocated memory would kill the process.
        self._maps[name] = mapped
        return mapped.view
