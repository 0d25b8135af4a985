"""Test that Ctrl-C at any line of the constructor or `close` leaves no file descriptor, process or shared memory.

After `close` has been interrupted, `close` is not called again. Instead, the object is deleted or the `with` block
ends.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from gymkernel_vector_async import AsyncVectorEnv, _worker_handle

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")


@pytest.fixture(autouse=True)
def _handler() -> Any:
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


def children() -> set[int]:
    """Return the child processes, including those that have exited but have not been reaped."""
    found = set()
    for process in [path for path in Path("/proc").iterdir() if path.name.isdecimal()]:
        try:
            fields = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(process.name))
    return found


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - only the number of files is needed


def left() -> tuple[int, set[int], int]:
    blocks = Path("/proc/self/maps").read_text(encoding="utf-8").count("memfd:gymkernel")
    return descriptors(), children(), blocks


def pressed_at(k: int, act: Any, unit: str = "line") -> bool:
    """Simulate Ctrl-C at the k-th line or instruction that runs in this process. Return whether it was reached."""
    passed = count(1)
    return pressed_when(lambda _: next(passed) == k, act, unit)


def pressed_when(is_due: Callable[[Any], bool], act: Any, unit: str = "line") -> bool:
    """Simulate Ctrl-C once, at the first line or instruction ("opcode") at which `is_due(frame)` returns True."""
    pressed, pid = False, os.getpid()

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal pressed
        if frame.f_code.co_qualname.startswith(("SpinWait.", "fence")) or os.getpid() != pid:
            return None
        frame.f_trace_opcodes = unit == "opcode"
        if event == unit and not pressed and is_due(frame):
            pressed = True
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
    return pressed  # the signal was raised where it cannot be caught, such as in the callback of a weak reference


def assert_nothing_left(before: Any, k: int) -> None:
    for _ in range(2000):
        gc.collect()
        if left() == before:
            return
        time.sleep(0.01)
    assert left() == before, f"Ctrl-C at line {k} leaves something"


def sweep(toys: Any, points: Any, act: Any, **options: Any) -> None:
    arguments = {"num_workers": 2, **options}
    signal.setitimer(signal.ITIMER_REAL, 900)  # tracing makes the constructor slow

    def make() -> Any:
        return AsyncVectorEnv(toys.makers(2), **arguments)

    make().close()  # starts the fork server and the resource tracker
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


def close_once(make: Any, k: int) -> bool:
    """Interrupt `close`, then delete the object without calling `close` again."""
    envs = make()
    return pressed_at(k, envs.close)


def close_once_by_instruction(make: Any, k: int) -> bool:
    envs = make()
    return pressed_at(7 * k, envs.close, "opcode")  # a line has about seven instructions


def construct_and_close_once(make: Any, k: int) -> bool:
    return pressed_at(k, lambda: make().close())


def end_with_block(make: Any, k: int) -> bool:
    """Interrupt the `close` of a `with` block while `close` checks its arguments, and keep the object."""
    kept[:] = [make()]
    begun, passed = False, count(1)

    def is_due(frame: Any) -> bool:
        nonlocal begun
        begun = begun or frame.f_code.co_name == "check_seconds"
        return begun and next(passed) == k

    def end() -> None:
        with kept[0]:
            pass

    return pressed_when(is_due, end)


kept: list[Any] = []
ACTS = [construct, close, close_once, close_once_by_instruction, construct_and_close_once, end_with_block]
SWEEPS = [
    pytest.param("fork", {}, 40, id="fork"),
    pytest.param("fork", {"parent_steps": True}, 80, id="with a share of the parent"),
    pytest.param("forkserver", {}, 250, id="fork server"),
    pytest.param("spawn", {}, 400, id="spawn"),
]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("act", ACTS)
def test_ctrl_c_leaks_nothing(toys: Any, act: Any) -> None:
    sweep(toys, [1, 60, 200, 350, 420, 600] if act in {construct, close} else [1, 60, 290, 420], act, context="fork")


def test_ctrl_c_while_a_process_exit_is_recorded_leaks_nothing(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_worker_handle, "CLOSE_TIMEOUT", 60.0)  # a busy machine pauses a process for less time

    def is_due(frame: Any) -> bool:
        is_poll = frame.f_code.co_name == "poll" and frame.f_code.co_filename.endswith("popen_fork.py")
        return is_poll and bool(frame.f_locals.get("pid") == frame.f_locals["self"].pid)

    def close_then(make: Any, _: int) -> bool:
        envs, began = make(), time.monotonic()
        assert pressed_when(is_due, envs.close)
        assert time.monotonic() < began + 60, "close waited for an exit code that was lost"
        return True

    sweep(toys, [1], close_then, context="fork")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("context,options,every", SWEEPS)
def test_ctrl_c_at_any_line_leaks_nothing(toys: Any, context: str, options: Any, every: int, act: Any) -> None:
    sweep(toys, range(1, 4000, every), act, context=context, **options)
