"""`MappedMemory`: the memory of a descriptor, in large pages where the system gives them."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
from typing import Final

__all__ = ["MappedMemory"]

LARGE_PAGE: Final = 1 << 21
"""Bytes of a large page, on most processors; where it is another, pages stay small."""
NO_RESERVE: Final = 0x4000
FIXED: Final = 0x10
POPULATE_WRITE: Final = 23
COLLAPSE: Final = 25
"""Flags of `mmap` and `madvise` in Linux, which the module mmap has no names for."""


class MappedMemory:
    """The memory of a descriptor, mapped in this process for as long as its view, or a part of that, lives.

    A page can be large where its address is a multiple of its size, which `mmap.mmap` does not care for: so the memory
    is mapped into addresses taken for more than is needed.

    Args:
        fd: its descriptor.
        size: bytes.

    Attributes:
        view: the bytes.

    Raises:
        OSError: it cannot be mapped.
    """

    def __init__(self, fd: int, size: int) -> None:
        if size < LARGE_PAGE:
            self._map, self._start = mmap.mmap(fd, size), 0
        else:
            self._map = mmap.mmap(-1, size + LARGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
            first = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
            self._start = -first % LARGE_PAGE
            _map_at(first + self._start, fd, size)
        self.view = memoryview(self._map)[self._start : self._start + size]

    def fill(self) -> None:
        """Have all pages there before they are written, large ones where possible.

        They are asked for beforehand, which depends on what the system's settings say of shared memory, and afterwards,
        which Linux allows from 6.1 on whatever these say.
        """
        for advice in (getattr(mmap, "MADV_HUGEPAGE", None), POPULATE_WRITE, COLLAPSE):
            if advice is not None:
                with contextlib.suppress(OSError):  # a system, or a moment, that has none
                    self._map.madvise(advice, self._start, len(self.view))


def _map_at(address: int, fd: int, size: int) -> None:
    """Map memory to an address, in place of what is there."""
    function = ctypes.CDLL(None, use_errno=True).mmap
    function.restype = ctypes.c_void_p
    number = ctypes.c_int
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, number, number, number, ctypes.c_long]
    if function(address, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED | FIXED, fd, 0) != address:
        raise OSError(ctypes.get_errno(), f"{size:,} bytes of shared memory cannot be mapped")
