"""Memory for fragments: a shard writes into a slot, and the slot is reused when no array refers to it any more."""

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

__all__ = ["MAX_SLOTS", "PrivateSlot", "Slot", "SlotPlace", "SlotPool", "SlotWriter"]

MAX_SLOTS: Final = 5
"""The largest number of slots of a shard.

One slot is being written, another slot is for the next fragment, and the others contain fragments that wait or are in
use. A program that keeps more fragments receives copies."""
HEADER_SIZE: Final = 64
"""The size of a slot's header in bytes, which contains the current time step and whether the worker must stop."""
NOT_STARTED: Final = -1


class SlotPlace(NamedTuple):
    """The location of a slot for other processes: the path of a file descriptor of the process that created it."""

    path: str
    """The path of the file descriptor under /proc."""
    name: str
    """The name of the memory, with which a worker checks that the path refers to this memory on its machine, too."""


class Slot:
    """Shared memory for a fragment, whose size grows with the fragments."""

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
        """Return the whole memory, with the size that the worker has set."""
        size = os.fstat(self.fd).st_size
        if self._map is None or len(self._map.view) != size:
            self._map = MappedMemory(self.fd, size)
        return self._map.view

    def clear(self) -> None:
        """Record that no worker has started to write into the slot."""
        self._words[0] = NOT_STARTED

    def row(self) -> int | None:
        """Return the current time step of the worker; None before the first time step."""
        row = self._words[0]
        return None if row == NOT_STARTED else row

    def stop(self) -> None:
        """Ask the worker to abandon the fragment."""
        self._words[1] = 1

    def close(self) -> None:
        """Close the descriptor. Arrays that are still referenced stay valid."""
        if self.fd >= 0:
            os.close(self.fd)
            self._words.release()
            self._header.close()
        self.fd, self._map = -1, None


class PrivateSlot:
    """A slot in the memory of this process, whose pages stay allocated when the slot is reused."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)

    def memory(self) -> Any:
        """Return the whole memory."""
        return self._memory

    def resize(self, size: int) -> Any:
        """Return the memory, with at least the given number of bytes."""
        if len(self._memory) < size:
            self._memory = np.empty(size, np.uint8)
            self._memory[:HEADER_SIZE] = 0
        return self._memory

    def clear(self) -> None:
        """Do nothing, because the progress of a private slot is not read."""


S = TypeVar("S", "Slot", "PrivateSlot")


class SlotPool(Generic[S]):
    """The slots of one shard.

    Args:
        make: the class of the slots, `Slot` or `PrivateSlot`.
    """

    def __init__(self, make: Callable[[], S]) -> None:
        self._make: Callable[[], S] = make
        self._slots: list[S] = []
        self._free: list[S] = []

    @staticmethod
    def works() -> bool:
        """Return whether this system has unnamed memory that other processes can open."""
        return hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")  # noqa: PTH112 - faster than pathlib

    def take(self) -> S:
        """Return a free slot for a fragment that is requested."""
        if self._free:
            slot = self._free.pop()
            slot.clear()
        else:
            slot = self._make()
            self._slots.append(slot)
        return slot

    def hand_out(self, slot: S) -> tuple[Any, bool]:
        """Return the memory of a written slot, and whether slots are scarce, so that the caller must copy the memory.

        If slots are scarce, the slot is free at once. Otherwise, the slot becomes free when the last array that refers
        to it is deleted.

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
        """Mark a slot as free whose fragment is not used.

        Args:
            slot: a slot from `take`.
        """
        self._free.append(slot)

    def __iter__(self) -> Iterator[S]:
        """Return an iterator over all slots, free or not."""
        return iter(self._slots)


class SlotWriter:
    """The worker's side of a pool, which maps slots and makes them larger."""

    def __init__(self) -> None:
        self._maps: dict[str, MappedMemory] = {}

    def open(self, place: SlotPlace) -> Callable[[int], memoryview] | None:
        """Open a slot, and return a function that returns its memory with a given size in bytes.

        Args:
            place: the location of the slot.

        Returns:
            The function, or None if this process cannot open the slot.
        """
        try:
            if place.name not in os.readlink(place.path):  # noqa: PTH115 - the target of the link is not a path
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
        self._maps[name] = mapped  # last, because writing into memory that is not allocated would kill the process
        return mapped.view
