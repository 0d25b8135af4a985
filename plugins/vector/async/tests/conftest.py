"""Spaces and environments that need only the kernel, and a fixture that limits each test's time and finds leaks."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import cloudpickle
import numpy as np
import pytest

from gymkernel import Env, Space, ops
from gymkernel.space import Field

LIMIT = 300
"""The time limit for each test, in seconds."""
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Line(Space[Any]):
    """A space of arrays with a fixed shape and dtype."""

    def __init__(self, shape: tuple[int, ...] = (3,), dtype: Any = np.float32, seed: Any = None) -> None:
        super().__init__(shape, dtype, seed)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.integers(0, 5, self.shape).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == self.shape and x.dtype == self.dtype

    def layout(self) -> Any:
        return (Field.of(self.dtype, self.shape or ()),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and (self.shape, self.dtype) == (other.shape, other.dtype)

    __hash__ = None  # type: ignore[assignment]


class Word(Space[str]):
    """A space of strings, which cannot be stored in arrays because they can have any length."""

    def __init__(self, n: int | None = None) -> None:
        super().__init__()
        self.n = n

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "a" * int(self.np_random.integers(5))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word) and self.n == other.n

    __hash__ = None  # type: ignore[assignment]


class Record(Space[dict[str, Any]]):
    """A space of dicts."""

    def __init__(self, spaces: dict[str, Any]) -> None:
        super().__init__()
        self.spaces = spaces

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.spaces == other.spaces

    __hash__ = None  # type: ignore[assignment]


@ops.batch_space.register(Line)
def _(space: Line, n: int = 1) -> Line:
    return Line((n, *(space.shape or ())), space.dtype)


@ops.iterate.register(Line)
def _(space: Line, items: Any) -> Any:
    return iter(items)


@ops.concatenate.register(Line)
def _(space: Line, items: Any, out: Any) -> Any:
    return np.stack(list(items), out=out)


@ops.create_empty_array.register(Line)
def _(space: Line, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn((n, *(space.shape or ())), dtype=space.dtype)


@ops.batch_space.register(Word)
def _(space: Word, n: int = 1) -> Word:
    return Word(n)


@ops.iterate.register(Word)
def _(space: Word, items: Any) -> Any:
    return iter(items)


@ops.create_zero_array.register(Word)
def _(space: Word) -> str:
    return ""


@ops.batch_space.register(Record)
def _(space: Record, n: int = 1) -> Record:
    return Record({key: ops.batch_space(part, n) for key, part in space.spaces.items()})


@ops.iterate.register(Record)
def _(space: Record, items: Any) -> Any:
    columns = [list(ops.iterate(part, items[key])) for key, part in space.spaces.items()]
    return (dict(zip(space.spaces, row, strict=True)) for row in zip(*columns, strict=True))


@ops.concatenate.register(Record)
def _(space: Record, items: Any, out: Any) -> Any:
    return {key: ops.concatenate(part, [item[key] for item in items], out[key]) for key, part in space.spaces.items()}


@ops.create_empty_array.register(Record)
def _(space: Record, n: int = 1, fn: Any = np.zeros) -> Any:
    return {key: ops.create_empty_array(part, n, fn) for key, part in space.spaces.items()}


@ops.create_zero_array.register(Record)
def _(space: Record) -> Any:
    return {key: ops.create_zero_array(part) for key, part in space.spaces.items()}


class Counter(Env[Any, Any]):
    """An environment that counts its steps.

    The observation is [number, steps, seed], the reward is the action, and an episode ends after `length` steps.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012
    render_mode = "ansi"
    closed_in = ""

    def __init__(self, number: int = 0, length: int = 4) -> None:
        self.observation_space, self.action_space = Line((3,), np.int64), Line((), np.int64)
        self.number, self.length, self.steps, self.seed_given = number, length, 0, -1

    def _observe(self) -> Any:
        return np.array([self.number, self.steps, self.seed_given])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.seed_given, self.steps = -1 if seed is None else seed, 0
        return self._observe(), {} if options is None else {"options": options}

    def step(self, action: Any) -> Any:
        self.steps += 1
        return self._observe(), float(action), self.steps >= self.length, False, {"steps": self.steps}

    def render(self) -> str:
        return f"{self.number}:{self.steps}"

    def pid(self) -> int:
        return os.getpid()

    def add(self, x: int, y: int = 0) -> int:
        return self.number + x + y

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        setattr(self, name, value)
        return True


class Troubled(Counter):
    """A `Counter` that calls `trouble` at one step, in a reset or in its constructor."""

    def __init__(self, number: int = 0, length: int = 4, at: Any = None, trouble: Any = None) -> None:
        super().__init__(number, length)
        self.at, self.trouble = at, trouble
        if at == "make":
            trouble(self)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        made = super().reset(seed=seed, options=options)
        if self.at == "reset":
            return self.trouble(self) or made
        return made

    def step(self, action: Any) -> Any:
        made = super().step(action)
        if self.at == self.steps:
            return self.trouble(self) or made
        return made


def makers(n: int, length: int = 4) -> list[Any]:
    return [lambda number=number: Counter(number, length) for number in range(n)]


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.fixture(autouse=True)
def _limit() -> Any:
    """Stop a test at the time limit, and check that the test leaves no processes or file descriptors behind.

    The processes of fixtures that several tests share are older than the test.
    """

    def end(*_: Any) -> None:
        raise TimeoutError(f"the test did not finish within {LIMIT} s")

    previous = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    before, shared = descriptors(), {child.pid for child in multiprocessing.active_children()}

    def own_children() -> list[Any]:
        return [child for child in multiprocessing.active_children() if child.pid not in shared]

    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, previous)
    gc.collect()
    for _ in range(1500):
        if not own_children():
            break
        time.sleep(0.02)
    assert not own_children()
    assert descriptors() <= before + 4, "descriptors are left (a fork server and a resource tracker have some)"


@pytest.fixture(scope="session")
def toys() -> Any:
    """Return the classes and functions of this module, which tests cannot import by name."""
    own = {name: value for name, value in globals().items() if getattr(value, "__module__", None) == __name__}
    return SimpleNamespace(**{name: item for name, item in own.items() if isinstance(item, type | FunctionType)})
