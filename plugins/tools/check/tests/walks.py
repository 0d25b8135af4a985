"""Helpers for the tests of rules, and a correct environment of which the tests define faulty subclasses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env, Space

if TYPE_CHECKING:
    from gymkernel.checks import Report

__all__ = ["Choice", "Interval", "Walk", "cases", "loud", "run", "seen"]


class Interval(Space[Any]):
    """A space of arrays within bounds."""

    def __init__(self, low: float, high: float, shape: tuple[int, ...] = (2,), dtype: Any = np.float32) -> None:
        super().__init__(shape, dtype)
        self.low, self.high = np.full(shape, low, dtype), np.full(shape, high, dtype)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        low, high = np.maximum(self.low, -9), np.minimum(self.high, 9)
        return np.asarray(self.np_random.uniform(low, high), self.dtype)

    def contains(self, x: Any) -> bool:
        fits = isinstance(x, np.ndarray) and x.shape == self.low.shape and np.can_cast(x.dtype, self.low.dtype)
        return bool(fits) and bool(((x >= self.low) & (x <= self.high)).all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and np.array_equal(self.low, other.low) and self.dtype == other.dtype

    __hash__ = None  # type: ignore[assignment]


class Choice(Space[Any]):
    """A space of the integers below n."""

    def __init__(self, n: int) -> None:
        super().__init__((), np.int64)
        self.n = n

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.choice(np.arange(self.n) if mask is None else np.flatnonzero(mask))

    def contains(self, x: Any) -> bool:
        return isinstance(x, int | np.integer) and 0 <= int(x) < self.n


class Walk(Env[Any, Any]):
    """A correct environment: a random walk. Other environments in these tests differ from it in one respect."""

    length = 9

    def __init__(self) -> None:
        self.observation_space: Any = Interval(-1000, 1000)
        self.action_space: Any = Interval(-1, 1)
        self.place: Any = np.zeros(2)
        self.time = 0
        self.prepare()

    def prepare(self) -> None: ...

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.time = 0
        self.start()
        return self.observe(), self.info()

    def start(self) -> None:
        self.place = self.np_random.uniform(-1, 1, 2)

    def act(self, action: Any) -> None:
        self.place = self.place + action + self.np_random.normal(0, 0.01, 2)

    def observe(self) -> Any:
        return self.place.astype(np.float32)

    def reward(self) -> Any:
        return -float(np.abs(self.place).sum())

    def terminated(self) -> Any:
        return self.time >= self.length

    def truncated(self) -> Any:
        return False

    def info(self) -> Any:
        return {}

    def step(self, action: Any) -> Any:
        self.time += 1
        self.act(action)
        return self.observe(), self.reward(), self.terminated(), self.truncated(), self.info()


def loud(report: Report) -> set[str]:
    return {finding.code for finding in report.findings if finding.severity != "info"}


def seen(report: Report, code: str) -> list[str]:
    return [finding.message for finding in report.findings if finding.code == code]


def cases(table: dict[str, list[Any]]) -> list[Any]:
    return [pytest.param(code, env, id=f"{code}-{env.__name__}") for code, several in table.items() for env in several]


def run(report: Report, code: str, env: Any) -> str | None:
    """Run a finding's example program, and return the name of the exception that it raises."""
    program = next(finding.reproducer for finding in report.findings if finding.code == code)
    try:
        exec(compile(program, "reproducer", "exec"), {env.__name__: env})  # noqa: S102 - users are expected to run this program
    except Exception as exc:  # noqa: BLE001 - the function returns the exception's name
        return type(exc).__name__
    return None
