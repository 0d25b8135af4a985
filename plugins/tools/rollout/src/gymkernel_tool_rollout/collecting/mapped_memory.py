"""The `MappedMemory` class, which maps a file descriptor's memory, in large pages if the system supports them."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
from typing import Final

__all__ = ["MappedMemory"]

LARGE_PAGE: Final = 1 << 21
"""The size of a large page on most processors, in bytes. On other processors, small pages are used."""
# Linux flags for mmap and madvise that Python's mmap module does not define.
NO_RESERVE: Final = 0x4000
FIXED: Final = 0x10
POPULATE_WRITE: Final = 23
COLLAPSE: Final = 25


class MappedMemory:
    """A file descriptor's memory, which remains mapped in this process while `view` or a slice of it exists.

    The address of a large page must be a multiple of its size, which `mmap.mmap` does not guarantee. Therefore, a
    larger range of addresses is reserved, and the memory is mapped to an aligned address in this range.

    Args:
        fd: the file descriptor of the memory.
        size: the number of bytes to map.

    Attributes:
        view: a memoryview of the mapped bytes.

    Raises:
        OSError: if the memory cannot be mapped.
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
        """Allocate all pages in advance, as large pages if possible.

        Large pages are requested twice. The first request, before the allocation, works only with certain system
        settings for shared memory. The second one works with any settings, but requires Linux 6.1 or later.
        """
        for advice in (getattr(mmap, "MADV_HUGEPAGE", None), POPULATE_WRITE, COLLAPSE):
            if advice is not None:
                with contextlib.suppress(OSError):  # large pages may be unsupported or used up
                    self._map.madvise(advice, self._start, len(self.view))


def _map_at(address: int, fd: int, size: int) -> None:
    """Map a file descriptor's memory to an address, replacing any existing mapping there."""
    function = ctypes.CDLL(None, use_errno=True).mmap
    function.restype = ctypes.c_void_p
    number = ctypes.c_int
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, number, number, number, ctypes.c_long]
    if function(address, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED | FIXED, fd, 0) != address:
        raise OSError(ctypes.get_errno(), f"{size:,} bytes of shared memory cannot be mapped")
