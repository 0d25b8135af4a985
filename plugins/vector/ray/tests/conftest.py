"""Environments that fail at a given step, and a time limit for each test."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest

from gymkernel import Env, Space, ops
from gymkernel.space import Field

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 600
"""The time limit for each test, in seconds. Actors start slowly on a busy machine."""
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Line(Space[Any]):
    """A space of arrays of three integers."""

    def __init__(self, shape: tuple[int, ...] = (3,)) -> None:
        super().__init__(shape, np.int64)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == self.shape

    def layout(self) -> Any:
        return (Field.of(self.dtype, self.shape or ()),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and self.shape == other.shape

    __hash__ = None  # type: ignore[assignment]


@ops.batch_space.register(Line)
def _(space: Line, n: int = 1) -> Line:
    return Line((n, *(space.shape or ())))


@ops.iterate.register(Line)
def _(space: Line, items: Any) -> Any:
    return iter(items)


@ops.concatenate.register(Line)
def _(space: Line, items: Any, out: Any) -> Any:
    return np.stack(list(items), out=out)


@ops.create_empty_array.register(Line)
def _(space: Line, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn((n, *(space.shape or ())), dtype=space.dtype)


class Counter(Env[Any, Any]):
    """An environment that calls `trouble` at one step, in a reset or in its constructor.

    The observation is [number, steps, seed], and the reward is the action.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012
    render_mode = "ansi"

    def __init__(self, number: int = 0, at: Any = None, trouble: Any = None, length: int = 100) -> None:
        self.observation_space, self.action_space = Line(), Line(())
        self.number, self.at, self.trouble, self.length, self.steps = number, at, trouble, length, 0
        self.seed_given = -1
        self._maybe("make")

    def _maybe(self, now: Any) -> Any:
        return self.trouble(self) if now == self.at else None

    def _observe(self) -> Any:
        return np.array([self.number, self.steps, self.seed_given])

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.seed_given, self.steps = -1 if seed is None else seed, 0
        return self._maybe("reset") or (self._observe(), {})

    def step(self, action: Any) -> Any:
        self.steps += 1
        return self._maybe(self.steps) or (self._observe(), float(action), self.steps >= self.length, False, {})

    def render(self) -> str:
        return f"{self.number}:{self.steps}"

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def wait(self, seconds: float) -> int:
        time.sleep(seconds)
        return self.number

    def wait_for(self, folder: str) -> int:
        """Create a file to signal that waiting has begun, and wait until a file named "open" exists."""
        Path(folder, f"begun {self.number}").touch()
        while not Path(folder, "open").exists():
            time.sleep(0.01)
        return self.number


class Large(Counter):
    """An environment whose observations take up 40 MB."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.observation_space = Line((5_000_000,))

    def _observe(self) -> Any:
        found = np.zeros(5_000_000, np.int64)
        found[0], found[-1] = self.number, self.steps
        return found


def counters(
    n: int, at: Any = None, trouble: Any = None, where: Any = (), length: int = 100
) -> list[Callable[[], Any]]:
    """Return functions that each create a `Counter`. The environments in `where` call `trouble`."""

    def maker(i: int) -> Callable[[], Any]:
        return lambda: Counter(i, at, trouble, length) if i in where else Counter(i, length=length)

    return [maker(i) for i in range(n)]


@pytest.fixture(autouse=True)
def _limit() -> Any:
    def end(*_: Any) -> None:
        raise TimeoutError(f"the test did not finish within {LIMIT} s")

    previous = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, previous)


@pytest.fixture
def toys() -> Any:
    """Return the classes and functions of this module."""
    from types import SimpleNamespace

    return SimpleNamespace(Counter=Counter, counters=counters)


def ended(pids: list[int]) -> bool:
    """Wait up to five minutes for processes to exit, because a busy machine is slow. Return whether all have exited."""
    for _ in range(3000):
        if not any(_runs(pid) for pid in pids):
            return True
        time.sleep(0.1)
    return False


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123 - the file has only one line
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(name="ended")
def _ended() -> Any:
    return ended
