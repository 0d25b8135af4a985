"""Shared memory for fragments: a slot is written by a worker, read by the program, and used again when nobody looks."""

from __future__ import annotations

import ctypes
import mmap
import os
import secrets
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAX_SLOTS", "Slot", "SlotPlace", "SlotPool", "SlotWriter"]

MAX_SLOTS: Final = 4
"""Of a shard: one is being written, one or two are waiting or looked at; who keeps more fragments gets copies."""


@dataclass(frozen=True, slots=True)
class SlotPlace:
    """Where a worker finds a slot: memory without a name, through the descriptor of the process that made it."""

    path: str
    name: str
    """Of the memory, by which a worker knows that this path leads to it on its machine, too."""


class Slot:
    """Memory that grows as fragments do."""

    def __init__(self) -> None:
        name = f"gymkernel-{secrets.token_hex(8)}"
        self.fd = os.memfd_create(name)
        self.place = SlotPlace(f"/proc/{os.getpid()}/fd/{self.fd}", name)
        self._map: mmap.mmap | None = None

    def memory(self) -> mmap.mmap:
        """All of it, as large as the worker has made it."""
        size = os.fstat(self.fd).st_size
        if self._map is None or len(self._map) != size:
            self._map = mmap.mmap(self.fd, size)
        return self._map

    def row(self) -> int | None:
        """The time step at which the worker is; None before the first fragment."""
        if not os.fstat(self.fd).st_size:
            return None
        return int(np.frombuffer(self.memory(), np.int64, 1)[0])

    def stop(self) -> None:
        """Have the worker leave the fragment that it is writing."""
        if os.fstat(self.fd).st_size:
            np.frombuffer(self.memory(), np.int64, 2)[1] = 1

    def close(self) -> None:
        """Give the descriptor back; arrays that somebody holds stay valid."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd, self._map = -1, None


class SlotPool:
    """The slots of one shard."""

    def __init__(self) -> None:
        self._slots: list[Slot] = []
        self._free: list[Slot] = []
        self.current: Slot | None = None
        """The one that the worker writes."""

    @staticmethod
    def works() -> bool:
        """Whether this system has memory without a name that other processes find."""
        return hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")  # noqa: PTH112 - one look

    def take(self) -> SlotPlace:
        """A slot for the next fragment."""
        if self._free:
            self.current = self._free.pop()
        else:
            self.current = Slot()
            self._slots.append(self.current)
        return self.current.place

    def hand_out(self) -> tuple[Any, bool]:
        """The memory of the current slot, and whether it is to be copied and given back at once.

        Otherwise it comes back by itself, when the last array that looks at it is gone.
        """
        slot, self.current = self.current, None
        assert slot is not None  # noqa: S101 - for type checkers: a fragment was just written
        memory = slot.memory()
        scarce = len(self._slots) >= MAX_SLOTS and not self._free
        if scarce:
            self._free.append(slot)
            return memory, True
        view = (ctypes.c_char * len(memory)).from_buffer(memory)
        weakref.finalize(view, self._free.append, slot).atexit = False
        return view, False

    def take_back(self) -> None:
        """Have the current slot used again."""
        if self.current is not None:
            self._free.append(self.current)
            self.current = None

    def stop(self) -> None:
        """Have the worker leave the fragment that it is writing."""
        if self.current is not None:
            self.current.stop()

    def close(self) -> None:
        """Give all descriptors back."""
        for slot in self._slots:
            slot.close()


class SlotWriter:
    """The worker's side of a pool: maps slots, and lets them grow."""

    def __init__(self) -> None:
        self._maps: dict[str, mmap.mmap] = {}

    def open(self, place: SlotPlace) -> Callable[[int], mmap.mmap] | None:
        """What gives so many bytes of a slot; None where this process cannot open it."""
        try:
            if place.name not in os.readlink(place.path):  # noqa: PTH115 - what a descriptor leads to is no path
                return None
            fd = os.open(place.path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return None

        def memory(size: int) -> mmap.mmap:
            try:
                return self._memory(fd, place.name, size)
            finally:
                os.close(fd)

        return memory

    def _memory(self, fd: int, name: str, size: int) -> mmap.mmap:
        known = self._maps.get(name)
        held = os.fstat(fd).st_size
        if held < size:
            try:
                os.posix_fallocate(fd, 0, size)
            except OSError as exc:
                message = (
                    f"A fragment needs {size / 1e6:.1f} MB of shared memory: {exc}. Take a shorter fragment_length, "
                    "fewer environments, or smaller observations"
                )
                raise MemoryError(message) from exc
            held = size
        if known is None or len(known) != held:
            known = self._maps[name] = mmap.mmap(fd, held)
        return known
