"""Ctrl-C at any line of the constructor, or of `close`, leaves no descriptor, no process and no shared memory."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gymkernel_vector_async import AsyncVectorEnv

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")


@pytest.fixture(autouse=True)
def _handler() -> Any:
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


def children() -> set[int]:
    """Processes of this one, those that have ended and were not reaped too."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(stat.parent.name))
    return found


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a number is asked for


def left() -> tuple[int, set[int], set[str]]:
    return descriptors(), children(), {path.name for path in Path("/dev/shm").iterdir()}  # noqa: S108


def pressed_at(k: int, act: Any) -> bool:
    """Press Ctrl-C at the k-th line that runs in this process, of any module; whether the lines went so far."""
    lines, pid = 0, os.getpid()

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal lines
        if "_control_block" in frame.f_code.co_filename or os.getpid() != pid:
            return None
        if event == "line":
            lines += 1
            if lines == k:
                signal.raise_signal(signal.SIGINT)
        return trace

    try:
        sys.settrace(trace)
        try:
            act()
        finally:
            sys.settrace(None)
    except KeyboardInterrupt:
        return True
    return lines > k  # it came in a weak reference's callback, say, where nobody can catch it


def assert_nothing_left(before: Any, k: int) -> None:
    for _ in range(2000):
        gc.collect()
        if left() == before:
            return
        time.sleep(0.01)
    assert left() == before, f"Ctrl-C at line {k} leaves something"


def sweep(toys: Any, points: Any, act: Any, **options: Any) -> None:
    arguments = {"num_workers": 2, **options}
    signal.setitimer(signal.ITIMER_REAL, 900)  # tracing a constructor takes a while

    def make() -> Any:
        return AsyncVectorEnv(toys.makers(2), **arguments)

    make().close()  # a fork server and a resource tracker run from now on
    before = left()
    for k in points:
        if not act(make, k):
            break
        assert_nothing_left(before, k)


def construct(make: Any, k: int) -> bool:
    made: list[Any] = []
    came = pressed_at(k, lambda: made.append(make()))
    for envs in made:
        envs.close()
    return came


def close(make: Any, k: int) -> bool:
    envs = make()
    came = pressed_at(k, envs.close)
    envs.close()
    return came


SWEEPS = [
    pytest.param("fork", {}, 40, id="fork"),
    pytest.param("fork", {"parent_steps": True}, 80, id="with a share of the parent"),
    pytest.param("forkserver", {}, 150, id="fork server"),
    pytest.param("spawn", {}, 250, id="spawn"),
]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("act", [construct, close])
def test_ctrl_c_leaves_nothing(toys: Any, act: Any) -> None:
    sweep(toys, [20, 60, 110, 200, 290, 350, 420, 600], act, context="fork")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("act", [construct, close])
@pytest.mark.parametrize("context,options,every", SWEEPS)
@pytest.mark.parametrize("part", range(4))
def test_ctrl_c_at_any_line_leaves_nothing(
    toys: Any, context: str, options: Any, every: int, act: Any, part: int
) -> None:
    sweep(toys, range(1 + part * every, 4000, 4 * every), act, context=context, **options)
