"""Test that Ctrl-C in the constructor leaves only environments that are closed or can be garbage-collected."""

from __future__ import annotations

import gc
import signal
import sys
import weakref
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.spaces import Box, Discrete
from gymkernel_vector_sync import SyncVectorEnv

SPACES: dict[str, Any] = {"Box": Box(-1, 1, (2,)), "Discrete": Discrete(3)}


class Toy(Env[Any, Any]):
    """An environment that records in `opened` that it was created and in `closed` that it was closed."""

    action_space = Discrete(2)

    def __init__(self, space: Any, opened: list[Any], closed: set[int]) -> None:
        self.observation_space, self.closed, self.number = space, closed, len(opened)
        opened.append(weakref.ref(self))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return np.zeros(2, np.float32), {}

    def close(self) -> None:
        self.closed.add(self.number)


@pytest.fixture(autouse=True)
def _handler() -> Any:
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


def press_ctrl_c(k: int, unit: str, space: Any, opened: list[Any], closed: set[int]) -> bool:
    """Simulate Ctrl-C at the k-th line or instruction of a constructor. Return whether the constructor has that many.

    Lines in the environment's own code are not counted, because a partly constructed environment is not closed.
    """
    passed = count(1)

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename == __file__:
            return None
        frame.f_trace_opcodes = unit == "opcode"
        if event == unit and next(passed) == k:
            signal.raise_signal(signal.SIGINT)
        return trace

    try:
        sys.settrace(trace)
        try:
            SyncVectorEnv([partial(Toy, space, opened, closed)] * 3)
        finally:
            sys.settrace(None)
    except KeyboardInterrupt:
        return True
    return False


def sweep(space: Any, unit: str, first: int, step: int) -> int:
    """Interrupt the constructor at every point, and return how many environments were created in total."""
    count_created = 0
    SyncVectorEnv([partial(Toy, space, [], set())])  # import all modules before Ctrl-C is pressed
    for k in count(first, step):
        opened: list[Any] = []
        closed: set[int] = set()
        if not press_ctrl_c(k, unit, space, opened, closed):
            break
        if unit == "line":
            assert closed == set(range(len(opened))), f"at line {k}"
        gc.collect()
        assert all(i in closed or env() is None for i, env in enumerate(opened)), f"at {unit} {k}"
        count_created += len(opened)
    return count_created


@pytest.mark.parametrize("kind", SPACES)
def test_ctrl_c_in_the_constructor_closes_the_environments(kind: str) -> None:
    assert sweep(SPACES[kind], "line", 1, 7) > 10


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["line", "opcode"])
@pytest.mark.parametrize("kind", SPACES)
def test_ctrl_c_at_any_point_of_the_constructor_closes_the_environments(kind: str, unit: str) -> None:
    assert sweep(SPACES[kind], unit, 1, 1) > 100
