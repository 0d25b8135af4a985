"""Policies, environments and spaces for the tests, and a fixture that limits each test's time and finds leaks."""

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
from gymkernel_tool_rollout.collecting import collect

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


@ops.create_empty_array.register(Record)
def _(space: Record, n: int = 1, fn: Any = np.zeros) -> Any:
    return {key: ops.create_empty_array(part, n, fn) for key, part in space.spaces.items()}


class Walk(Env[Any, Any]):
    """An environment whose episodes have 2 to 7 steps, depending on the seed.

    The reward is the action, and the observation is [number, step, noise].

    Args:
        number: the first number in every observation.
        trouble: a function that is called with the environment before every step.
    """

    metadata: dict[str, Any] = {}  # noqa: RUF012
    render_mode = None

    def __init__(self, number: int = 0, trouble: Any = None) -> None:
        self.observation_space, self.action_space = Line((3,), np.float64), Line((), np.int64)
        self.number, self.trouble, self.steps, self.length = number, trouble, 0, 0

    def _observe(self) -> Any:
        return np.array([self.number, self.steps, self.np_random.random()])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.steps, self.length = 0, int(self.np_random.integers(2, 8))
        return self._observe(), {}

    def step(self, action: Any) -> Any:
        if self.trouble is not None:
            self.trouble(self)
        self.steps += 1
        over = self.steps >= self.length
        return self._observe(), float(action), over and self.length % 2 == 0, over and self.length % 2 == 1, {}


class Nested(Walk):
    """A `Walk` whose observations are dicts with a part that cannot be stored in arrays."""

    def __init__(self, number: int = 0) -> None:
        super().__init__(number)
        self.observation_space: Any = Record({"at": Line((3,), np.float64), "said": Word()})

    def _observe(self) -> Any:
        return {"at": super()._observe(), "said": "a" * self.steps}


def walks(n: int, trouble: Any = None) -> list[Any]:
    return [lambda number=number: Walk(number, trouble) for number in range(n)]


def odd(observations: Any) -> Any:
    """Choose action 1 after odd steps, and return the observations as extras."""
    return observations[:, 1].astype(np.int64) % 2, {"values": observations[:, 2] * 2.0}


class Always:
    """A policy that always chooses the same action."""

    def __init__(self, action: int) -> None:
        self.action = action

    def __call__(self, observations: Any) -> Any:
        return np.full(len(observations), self.action)


def same(one: Any, other: Any) -> bool:
    """Return whether two fragments, or parts of them, are bit-identical, including dtypes and shapes."""
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "keys"):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return bool(one.dtype == other.dtype and one.shape == other.shape and (one == other).all())


def assert_closing_is_told(engine: str, folder: Path, seconds: float, **options: Any) -> None:
    """Check that an error in an environment's `close` is reported, and that all other environments are closed."""

    class Closing(Walk):
        def close(self) -> None:
            if self.number == 2:
                raise LookupError("no door")
            time.sleep(seconds if self.number == 3 else 0)
            (folder / f"closed {self.number}").touch()

    makers: list[Any] = [lambda number=number: Closing(number) for number in range(4)]
    fragments = collect(makers, odd, engine=engine, num_shards=2, num_steps=8, seed=1, **options)
    assert len({next(fragments).shard for _ in range(2)}) == 2
    with pytest.raises(LookupError, match="no door") as caught:
        fragments.close()
    assert "It comes from environment 2, number 0 of shard 1 (environments 2 to 3)." in caught.value.__notes__
    assert sorted(path.name for path in folder.iterdir()) == ["closed 0", "closed 1", "closed 3"]
    fragments.close()


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def kill(_: Any = None) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(autouse=True)
def _limit() -> Any:
    """Stop a test at the time limit, and check that the test leaves no processes or file descriptors behind."""

    def end(*_: Any) -> None:
        raise AssertionError(f"the test did not finish within {LIMIT} s")

    previous = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    gc.collect()
    before = descriptors()
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, previous)
    gc.collect()
    for _ in range(1500):
        if not multiprocessing.active_children():
            break
        time.sleep(0.02)
    assert not multiprocessing.active_children()
    assert descriptors() <= before + 4, "descriptors are left (a fork server and a resource tracker have some)"


@pytest.fixture
def toys() -> Any:
    """Return the classes and functions of this module."""
    own = {name: value for name, value in globals().items() if getattr(value, "__module__", None) == __name__}
    return SimpleNamespace(**{name: item for name, item in own.items() if isinstance(item, type | FunctionType)})
