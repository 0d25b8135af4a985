"""Test that Ctrl-C can interrupt any line of a call, that later calls work, and that a reset drops pending requests."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.error import NoAsyncCallError
from gymkernel_vector_async import AsyncVectorEnv
from gymkernel_vector_async._channel import Channel

if TYPE_CHECKING:
    from collections.abc import Iterator

ONES = np.ones(4, np.int64)
OURS = "gymkernel_vector_async", "gymkernel_util_vector"


@pytest.fixture(autouse=True)
def _handler() -> Any:
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@contextmanager
def ctrl_c_at(k: int) -> Iterator[list[int]]:
    """Simulate Ctrl-C at the k-th line of this project's code, and append each line that runs to a list.

    Lines of spinning loops are not counted, because their number varies.
    """
    lines = [0]

    def trace(frame: Any, event: str, _: Any) -> Any:
        name = frame.f_code.co_filename
        if frame.f_code.co_qualname.startswith(("SpinWait.", "fence")) or not any(part in name for part in OURS):
            return None
        if event == "line":
            lines[0] += 1
            if lines[0] == k + 1:
                signal.raise_signal(signal.SIGINT)
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        yield lines
    finally:
        sys.settrace(previous)


def recv(envs: Any) -> None:
    envs.recv(2)


def recv_rest(envs: Any) -> None:
    with suppress(NoAsyncCallError):
        while True:
            envs.recv(1)


CALLS: dict[str, Any] = {
    "reset": lambda envs: envs.reset(seed=3),
    "masked reset": lambda envs: envs.reset(options={"reset_mask": ONES > 0}),
    "step": lambda envs: envs.step(ONES),
    "masked step": lambda envs: envs.step_masked(ONES, np.arange(4) < 3),
    "call": lambda envs: envs.call("pid"),
    "masked call": lambda envs: envs.call_masked(np.arange(4) < 3, "pid"),
    "get": lambda envs: envs.get_attr("number"),
    "set": lambda envs: envs.set_attr("other", 3),
    "render": lambda envs: envs.render(),
}
INTERRUPTED: dict[str, Any] = {
    **CALLS,
    "recv": recv,
    "poll": lambda envs: envs.poll(1000),
    "send": lambda envs: envs.send(ONES[:1], [3]),
    "step_async": lambda envs: envs.step_async(ONES),
    "step_wait": lambda envs: envs.step_wait(),
    "reset_wait": lambda envs: envs.reset_wait(),
    "call_wait": lambda envs: envs.call_wait(),
}
ASYNC: dict[str, Any] = {
    "step_wait": lambda envs: envs.step_async(ONES),
    "reset_wait": lambda envs: envs.reset_async(),
    "call_wait": lambda envs: envs.call_async("pid"),
}
AFTER: dict[str, Any] = {**CALLS, "recv of the rest": recv_rest}


def press(toys: Any, name: str, points: Any, **options: Any) -> int:
    """Interrupt a call with Ctrl-C at various lines, make another call each time, and return the number of interrupts.

    Ctrl-C at the first two lines of a `*_wait` method has the same effect as Ctrl-C between two calls.
    """
    came = 0
    with AsyncVectorEnv(toys.makers(4, 10**6), num_workers=2, context="fork", **options) as envs:
        for k in (k + 2 * (name in ASYNC) for k in points):
            after = list(AFTER)[k % len(AFTER)]
            envs.reset(seed=0)
            if name in {"recv", "poll"}:
                envs.send(ONES)
            elif name in ASYNC:
                ASYNC[name](envs)
            elif name == "send":
                envs.send(ONES[:3], [0, 1, 2])
            pressed = False
            try:
                with ctrl_c_at(k) as lines:
                    INTERRUPTED[name](envs)
            except KeyboardInterrupt:
                pressed = True
                came += 1
            if not pressed:
                assert lines[0] <= k
                break
            AFTER[after](envs)
            assert envs.reset(seed=5)[0].tolist() == [[i, 0, 5 + i] for i in range(4)]
            assert envs.step(ONES)[0][:, 1].tolist() == [1] * 4
            assert envs.call("add", 1) == (1, 2, 3, 4)
    return came


@pytest.mark.parametrize("name", INTERRUPTED)
def test_every_call_works_after_ctrl_c(toys: Any, name: str) -> None:
    assert press(toys, name, range(1, 40, 4))


@pytest.mark.parametrize("after", AFTER)
def test_every_call_works_after_an_unsent_request(toys: Any, after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with AsyncVectorEnv(toys.makers(4, 10**6), num_workers=2, context="fork") as envs:
        envs.reset(seed=0)

        def interrupt(*_: Any) -> None:
            time.sleep(0.002)  # now the worker has seen the request's number and waits for its message
            raise KeyboardInterrupt

        for _ in range(5):
            envs.step(ONES)
            monkeypatch.setattr(Channel, "_send", interrupt)
            with pytest.raises(KeyboardInterrupt):
                envs.get_attr("number")
            monkeypatch.undo()
            AFTER[after](envs)
        assert envs.call("add", 1) == (1, 2, 3, 4)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"shared_memory": False}, {"parent_steps": True}], ids=str)
@pytest.mark.parametrize("name", INTERRUPTED)
def test_every_call_works_after_ctrl_c_at_any_line(toys: Any, name: str, options: Any) -> None:
    assert press(toys, name, range(1, 160), **options)
