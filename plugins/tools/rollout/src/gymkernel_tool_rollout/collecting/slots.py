"""Memory for fragments: a slot is written by a shard, read by the program, and used again when nobody looks."""

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
"""Of a shard: one is being written, one is for the next fragment, others are waiting or looked at; who keeps more
fragments gets copies."""
HEADER_SIZE: Final = 64
"""Bytes that a slot has from the start: where the worker is, and whether it is to stop."""
NOT_BEGUN: Final = -1


class SlotPlace(NamedTuple):
    """Where a worker finds a slot: memory without a name, through the descriptor of the process that made it."""

    path: str
    name: str
    """Of the memory, by which a worker knows that this path leads to it on its machine, too."""


class Slot:
    """Memory that grows as fragments do."""

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
        """All of it, as large as the worker has made it."""
        size = os.fstat(self.fd).st_size
        if self._map is None or len(self._map.view) != size:
            self._map = MappedMemory(self.fd, size)
        return self._map.view

    def clear(self) -> None:
        """Note that no worker has begun to write it."""
        self._words[0] = NOT_BEGUN

    def row(self) -> int | None:
        """The time step at which the worker is; None before the first."""
        row = self._words[0]
        return None if row == NOT_BEGUN else row

    def stop(self) -> None:
        """Have the worker leave the fragment that it is writing, or is to write."""
        self._words[1] = 1

    def close(self) -> None:
        """Give the descriptor back; arrays that somebody holds stay valid."""
        if self.fd >= 0:
            os.close(self.fd)
            self._words.release()
            self._header.close()
        self.fd, self._map = -1, None


class PrivateSlot:
    """A slot in the memory of this process, whose pages are there when it is used again."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)

    def memory(self) -> Any:
        """All of it."""
        return self._memory

    def grown(self, size: int) -> Any:
        """At least so many bytes."""
        if len(self._memory) < size:
            self._memory = np.empty(size, np.uint8)
            self._memory[:HEADER_SIZE] = 0
        return self._memory

    def clear(self) -> None:
        """Nothing: nobody looks at how far it is written."""


S = TypeVar("S", "Slot", "PrivateSlot")


class SlotPool(Generic[S]):
    """The slots of one shard.

    Args:
        make: makes one: a `Slot`, or a `PrivateSlot`.
    """

    def __init__(self, make: Callable[[], S]) -> None:
        self._make: Callable[[], S] = make
        self._slots: list[S] = []
        self._free: list[S] = []

    @staticmethod
    def works() -> bool:
        """Whether this system has memory without a name that other processes find."""
        return hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")  # noqa: PTH112 - one look

    def take(self) -> S:
        """A slot for a fragment that is asked for."""
        if self._free:
            slot = self._free.pop()
            slot.clear()
        else:
            slot = self._make()
            self._slots.append(slot)
        return slot

    def hand_out(self, slot: S) -> tuple[Any, bool]:
        """The memory of a slot that was written, and whether it is to be copied and given back at once.

        Otherwise it comes back by itself, when the last array that looks at it is gone.

        Args:
            slot: that was taken.
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
        """Have a slot used again whose fragment nobody wants.

        Args:
            slot: that was taken.
        """
        self._free.append(slot)

    def __iter__(self) -> Iterator[S]:
        """All that were made."""
        return iter(self._slots)


class SlotWriter:
    """The worker's side of a pool: maps slots, and lets them grow."""

    def __init__(self) -> None:
        self._maps: dict[str, MappedMemory] = {}

    def open(self, place: SlotPlace) -> Callable[[int], memoryview] | None:
        """What gives so many bytes of a slot; None where this process cannot open it."""
        try:
            if place.name not in os.readlink(place.path):  # noqa: PTH115 - what a descriptor leads to is no path
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
        known, held = self._maps.get(name), os.fstat(fd).st_size
        if known is not None and len(known.view) == held >= size:
            return known.view
        try:
            if held < size:
                held = size
                os.ftruncate(fd, size)
            known = MappedMemory(fd, held)
            known.fill()
            os.posix_fallocate(fd, 0, held)
        except OSError as exc:
            message = (
                f"A fragment needs {size / 1e6:.1f} MB of shared memory: {exc}. Take a shorter fragment_length, "
                "fewer environments, or smaller observations"
            )
            raise MemoryError(message) from exc
        self._maps[name] = known  # not before: what has no memory ends the process that writes it
        return known.view
