"""A probe that runs an episode with each action of a small action space, or with each corner of a larger space."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import safely
from gymkernel_tool_check.probes.trace import Call, Recorder, Trace, action_space
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, snapshot

__all__ = ["ActionTrials", "actions", "edges"]

MANY: Final = 64
"""The maximum number of actions to try."""
EACH: Final = 48
"""The maximum size of a discrete space in which every action is tried."""
LONG: Final = 200
"""The number of steps for which an action is repeated."""


@dataclass(slots=True)
class ActionTrials:
    """The episodes in which a single action is repeated. Each action is an element of the action space.

    Attributes:
        attempts: one episode per action. Every episode has at least one step.
        twins: groups of first steps with actions that are equal but have different types, such as 1 and np.int64(1).
    """

    attempts: list[Trace] = field(default_factory=list)
    twins: list[list[Call]] = field(default_factory=list)

    @property
    def failed(self) -> list[Trace]:
        """The episodes in which a step raised an exception."""
        return [attempt for attempt in self.attempts if attempt.failed is not None]


@probe()
def actions(subject: Subject) -> ActionTrials:
    """Run an episode with each action of a small space, or with each action that `edges` yields."""
    env = subject.env()
    seen, space = ActionTrials(), action_space(env)
    recorder = Recorder(subject, env)
    first = recorder.reset(seed=subject.options.seed)
    if first.error is not None:
        raise Skip("reset does not work (GK203)")
    if first.mask is not None:
        raise Skip("the environment masks its actions, so not every action in the space is legal")
    tried = list(itertools.islice(edges(space), MANY))
    deadline = time.perf_counter() + subject.options.run_seconds / 3
    for length in (1, LONG):
        attempts: list[Trace] = []
        for action in tried:
            size = sum(attempt.size for attempt in attempts)
            if time.perf_counter() > deadline or size > subject.options.memory / 4:
                break
            attempts.append(_attempt(subject, env, action, length, deadline))
        if len(attempts) == len(tried) or not seen.attempts:
            seen.attempts = [attempt for attempt in attempts if len(attempt.calls) > 1]
        if seen.failed:
            break
    for twins in _twins(space, tried[:8]):
        attempts = [_attempt(subject, env, action, 1, deadline) for action in twins]
        seen.twins.append([attempt.calls[1] for attempt in attempts if len(attempt.calls) > 1])
    return seen


def _attempt(subject: Subject, env: Any, action: Any, length: int, deadline: float) -> Trace:
    recorder = Recorder(subject, env)
    call = recorder.reset(seed=subject.options.seed)
    for _ in range(length):
        if recorder.trace.stopped or call.ended or (call.step and time.perf_counter() > deadline):
            break
        call = recorder.step(snapshot(action))
    return recorder.trace


def _twins(space: Any, tried: list[Any]) -> Iterator[list[Any]]:
    """Yield lists of equal actions: an integer as a Python int and as each NumPy type that the space accepts."""
    for action in tried:
        if isinstance(action, int | np.integer) and not isinstance(action, bool | np.bool_):
            number = int(action)
            # the result of `safely` is None if the number is too large
            equal = [number, *(safely(kind, number) for kind in (np.int64, np.int32))]
            inside = [candidate for candidate in equal if _contains(space, candidate)]
            if len(inside) > 1:
                yield inside


def _contains(space: Any, x: Any) -> bool:
    return x is not None and safely(lambda: bool(space.contains(x)), default=False)


def edges(space: Any) -> Iterator[Any]:
    """Yield all elements of a small discrete space. For other spaces, yield corners, combinations and samples.

    Spaces from other libraries are recognized by their attributes. Every yielded value is an element of the space.
    """
    known: list[Any] = []
    for x in itertools.chain(_edges(space), _samples(space)):
        if _contains(space, x) and all(difference(x, y) is not None for y in known):
            known.append(x)
            yield x


def _edges(space: Any) -> Iterator[Any]:
    parts, n = getattr(space, "spaces", None), getattr(space, "n", None)
    low, high, nvec = (getattr(space, name, None) for name in ("low", "high", "nvec"))
    if isinstance(low, np.ndarray) and isinstance(high, np.ndarray):
        yield from _corners(low, high)
    elif isinstance(nvec, np.ndarray):
        start = np.asarray(getattr(space, "start", 0))
        yield from _corners(np.zeros_like(nvec) + start, nvec - 1 + start)
    elif isinstance(n, int | np.integer) and getattr(space, "shape", ()) in {(), None}:
        yield from _values(space, int(n))
    elif n is not None:
        yield from _corners(np.zeros(space.shape, space.dtype), np.ones(space.shape, space.dtype))
    elif isinstance(parts, dict | tuple):
        yield from _composites(space, parts)
    if callable(getattr(space, "examples", None)):
        with contextlib.suppress(Exception):
            yield from space.examples()


def _values(space: Any, n: int) -> Iterator[Any]:
    first, dtype = int(getattr(space, "start", 0)), np.dtype(getattr(space, "dtype", None) or np.int64).type
    return map(dtype, range(first, first + n) if n <= EACH else [first, first + 1, first + n - 1])


def _composites(space: Any, parts: Any) -> Iterator[Any]:
    if any(cls.__name__ == "OneOf" for cls in type(space).__mro__):
        for i, part in enumerate(parts):
            yield from ((np.int64(i), value) for value in _firsts(part))
        return
    inner = parts.values() if isinstance(parts, dict) else parts
    for values in _together([list(_firsts(part)) for part in inner]):
        yield dict(zip(parts, values, strict=True)) if isinstance(parts, dict) else tuple(values)


def _firsts(space: Any) -> Iterator[Any]:
    return itertools.islice(itertools.chain(_edges(space), _samples(space)), 12)


def _together(columns: list[list[Any]]) -> Iterator[list[Any]]:
    """Yield combinations of one value per column: the first value of each column, then variations of one column.

    The Cartesian product of all columns would be too large.
    """
    if not columns or not all(columns):
        return
    for i in range(max(map(len, columns))):
        yield [column[min(i, len(column) - 1)] for column in columns]
    for k, column in enumerate(columns):
        for value in column[1:]:
            yield [value if i == k else other[0] for i, other in enumerate(columns)]


def _corners(low: np.ndarray[Any, Any], high: np.ndarray[Any, Any]) -> Iterator[Any]:
    """Yield both bounds, zero, all corners if there are few dimensions, and arrays with one element at a bound."""
    finite = [np.where(np.isfinite(end), end, side) for end, side in ((low, -1), (high, 1))]
    low, high = (np.clip(end, low, high).astype(low.dtype) for end in finite)
    middle = np.clip(np.zeros_like(low), low, high)
    yield from (low.copy(), high.copy(), middle.copy())
    if low.size <= 3:
        for choice in itertools.product((0, 1), repeat=low.size):
            yield np.where(np.reshape(choice, low.shape) == 1, high, low)
    for i in range(min(low.size, 8)):
        for end in (low, high):
            array = middle.copy()
            array.flat[i] = end.flat[i]
            yield array


def _samples(space: Any) -> Iterator[Any]:
    space.seed(0)
    yield from (space.sample() for _ in range(8))
