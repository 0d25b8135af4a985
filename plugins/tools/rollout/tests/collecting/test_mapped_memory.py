"""Test that mappings of a file descriptor share their data, and that their addresses are suitable for large pages."""

from __future__ import annotations

import ctypes
import errno
import gc
import mmap
import os
import platform
import secrets
from pathlib import Path

import numpy as np
import pytest

from gymkernel_tool_rollout.collecting.mapped_memory import LARGE_PAGE, MappedMemory
from gymkernel_tool_rollout.collecting.slots import Slot, SlotPool, SlotWriter

if not SlotPool.works():
    pytest.skip("this system has no memory without a name", allow_module_level=True)

SIZES = (1, 100, mmap.PAGESIZE + 1, LARGE_PAGE - 1, LARGE_PAGE, 2 * LARGE_PAGE + 12_345)


@pytest.fixture
def name() -> str:
    return f"gymkernel-test-{secrets.token_hex(8)}"


def made(name: str, size: int) -> int:
    fd = os.memfd_create(name)
    os.ftruncate(fd, size)
    return fd


def mappings(name: str) -> list[str]:
    return [line for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines() if name in line]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("filled", [False, True])
def test_writes_are_visible_through_another_mapping(name: str, size: int, filled: bool) -> None:
    fd = made(name, size)
    try:
        writer, reader = MappedMemory(fd, size), MappedMemory(fd, size)
        if filled:
            writer.fill()
        drawn = np.random.default_rng(0).integers(0, 256, size, np.uint8)
        np.frombuffer(writer.view, np.uint8)[:] = drawn
        assert reader.view.nbytes == size
        assert bytes(reader.view) == drawn.tobytes() == os.pread(fd, size, 0)
    finally:
        os.close(fd)


@pytest.mark.skipif(
    tuple(int(part) for part in platform.release().split(".")[:2]) < (5, 14), reason="Linux fills memory from 5.14 on"
)
def test_prefaulted_memory_exists_before_writing(name: str) -> None:
    size = 3 * LARGE_PAGE
    fd = made(name, size)
    try:
        assert os.fstat(fd).st_blocks == 0
        memory = MappedMemory(fd, size)
        memory.fill()
        assert os.fstat(fd).st_blocks * 512 >= size
        assert not any(memory.view)
    finally:
        os.close(fd)


@pytest.mark.parametrize("size", [LARGE_PAGE, 2 * LARGE_PAGE + 12_345])
def test_address_is_aligned_for_huge_pages(name: str, size: int) -> None:
    fd = made(name, size)
    try:
        memories = [MappedMemory(fd, size) for _ in range(3)]
    finally:
        os.close(fd)
    assert [ctypes.addressof(ctypes.c_char.from_buffer(memory.view)) % LARGE_PAGE for memory in memories] == [0] * 3


@pytest.mark.parametrize("size", SIZES)
def test_mapping_lives_as_long_as_its_views(name: str, size: int) -> None:
    fd = made(name, size)
    memory = MappedMemory(fd, size)
    os.close(fd)
    array = np.frombuffer(memory.view, np.uint8)[-1:]
    del memory
    array[0] = 7
    assert mappings(name)
    assert array[0] == 7
    del array
    gc.collect()
    assert not mappings(name)


@pytest.mark.parametrize("size", [100, LARGE_PAGE])
def test_failed_mapping_leaks_nothing(tmp_path: Path, size: int) -> None:
    path = tmp_path / "memory"
    path.write_bytes(b"0" * size)
    fd = os.open(path, os.O_RDONLY)
    try:
        with pytest.raises(PermissionError):
            MappedMemory(fd, size)
    finally:
        os.close(fd)
    gc.collect()
    assert not mappings(str(path))


def test_failed_allocation_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    slot, writer = Slot(), SlotWriter()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        for _ in range(2):
            memory = writer.open(slot.place)
            assert memory is not None
            with pytest.raises(MemoryError, match=r"0\.1 MB of shared memory: .*No space left on device"):
                memory(100_000)
    memory = writer.open(slot.place)
    assert memory is not None
    assert memory(100_000).nbytes == slot.memory().nbytes == 100_000
    slot.close()
