"""The two spaces, what is observed, and the limits of libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.checks import check

if TYPE_CHECKING:
    from gymkernel.checks import Report

pytestmark = pytest.mark.slow  # each makes many environments, or processes


class Interval(Space[Any]):
    """Arrays between two bounds."""

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
    """The numbers below n."""

    def __init__(self, n: int) -> None:
        super().__init__((), np.int64)
        self.n = n

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.choice(np.arange(self.n) if mask is None else np.flatnonzero(mask))

    def contains(self, x: Any) -> bool:
        return isinstance(x, int | np.integer) and 0 <= int(x) < self.n


class Walk(Env[Any, Any]):
    """A drunkard's walk; every other environment here is this one but for one thing."""

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
    return {one.code for one in report.findings if one.severity != "info"}


def seen(report: Report, code: str) -> list[str]:
    return [one.message for one in report.findings if one.code == code]


def cases(table: dict[str, list[Any]]) -> list[Any]:
    return [pytest.param(code, env, id=f"{code}-{env.__name__}") for code, several in table.items() for env in several]


def run(report: Report, code: str, env: Any) -> str | None:
    """Run the program of a finding; the name of what it raises."""
    program = next(one.reproducer for one in report.findings if one.code == code)
    try:
        exec(compile(program, "reproducer", "exec"), {env.__name__: env})  # noqa: S102 - it is what users paste
    except Exception as exc:  # noqa: BLE001 - which one is looked at
        return type(exc).__name__
    return None


class Record(Space[Any]):
    """A dictionary of spaces."""

    def __init__(self, **spaces: Any) -> None:
        super().__init__()
        self.spaces = spaces

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return {key: space.sample() for key, space in self.spaces.items()}

    def contains(self, x: Any) -> bool:
        return (
            isinstance(x, dict) and set(x) == set(self.spaces) and all(s.contains(x[k]) for k, s in self.spaces.items())
        )


def observing(name: str, space: Any, observe: Any, **members: Any) -> type[Walk]:
    """A walk with another observation."""

    def prepare(self: Any) -> None:
        self.observation_space = space

    return type(name, (Walk,), {"prepare": prepare, "observe": observe, **members})


def acting(name: str, space: Any) -> type[Walk]:
    def prepare(self: Any) -> None:
        self.action_space = space

    return type(name, (Walk,), {"prepare": prepare, "act": lambda self, action: Walk.act(self, np.zeros(2))})


def wide(self: Any) -> Any:
    return self.place.astype(np.float64)


def twice(self: Any) -> Any:
    place = self.place.astype(np.float32)
    return {"a": place, "b": {"c": place}}


def turned(self: Any) -> Any:
    return self.place.astype(np.float64 if self.time else np.float32)


class Swapping(Walk):
    """Two buffers in turn: only the observation before the last one changes."""

    def prepare(self) -> None:
        self.buffers = [np.zeros(2, np.float32), np.zeros(2, np.float32)]

    def observe(self) -> Any:
        buffer = self.buffers[self.time % 2]
        buffer[:] = self.place
        return buffer


class Inside(Walk):
    def prepare(self) -> None:
        self.observation_space = Record(a=Interval(-1000, 1000), b=Record(c=Interval(-1000, 1000)))
        self.kept = {"c": np.zeros(2, np.float32)}

    def observe(self) -> Any:
        self.kept["c"][:] = self.place
        return {"a": self.place.astype(np.float32), "b": self.kept}


class LateLeaver(Walk):
    """Leaves the space only with some seeds, and only where one goes far."""

    length = 150

    def prepare(self) -> None:
        self.observation_space = Interval(-100, 100)


class RareStart(Walk):
    """Begins outside of the space, with one seed of a hundred."""

    def prepare(self) -> None:
        self.observation_space = Interval(-20, 20)

    def start(self) -> None:
        super().start()
        if self.np_random.random() < 0.01:
            self.place = self.place + 40


Doubles = Interval(-1000, 1000, dtype=np.float64)
Nothing = observing("Nothing", Interval(-1, 1), lambda self: np.zeros(2, np.float32))
Still = observing("Still", Record(a=Interval(-1, 1)), lambda self: {"a": np.ones(2, np.float32)})
BROKEN: dict[str, list[Any]] = {
    "GK106": [
        acting("Fixed", Interval(0.5, 0.5)),
        observing("Empty", Record(), lambda self: {}),
    ],
    "GK110": [
        observing("Narrow", Doubles, Walk.observe),
        observing("NarrowPart", Record(a=Doubles), lambda self: {"a": Walk.observe(self)}),
    ],
    "GK401": [LateLeaver, RareStart],
    "GK404": [Swapping, Inside],
    "GK406": [
        observing("Turned", Doubles, turned),
        observing("TurnedPart", Record(a=Doubles), lambda self: {"a": turned(self)}),
    ],
    "GK407": [Nothing, Still],
}


@pytest.mark.parametrize("code, env", cases(BROKEN))
def test_what_is_broken_has_its_name(code: str, env: Any) -> None:
    report = check(env, measure=False, ignore=["GK6", "GK8", "GK9"])

    assert loud(report) == {code}, [str(one) for one in report.findings]


@pytest.mark.parametrize("code, env", cases(BROKEN))
def test_the_program_of_a_finding_shows_it(code: str, env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    report = check(env, measure=False, select=[code])

    assert run(report, code, env) is None
    assert capsys.readouterr().out


ADVICE: dict[str, list[Any]] = {
    "GK107": [acting("Unbounded", Interval(-np.inf, np.inf)), acting("HalfBounded", Interval(0, np.inf))],
    "GK108": [acting("Thousands", Interval(-1000, 1000)), acting("Shifted", Interval(0, 1))],
    "GK408": [
        Nothing,
        observing("OneStill", Interval(-1000, 1000), lambda self: np.array([self.place[0], 1], np.float32)),
    ],
}


@pytest.mark.parametrize("code, env", cases(ADVICE))
def test_advice_is_for_who_asks_for_it(code: str, env: Any) -> None:
    report = check(env, steps=60, measure=False, select=[code])

    assert {(one.code, one.severity) for one in report.findings} == {(code, "info")}


LEGAL = [
    Walk,
    observing("Wide", Doubles, wide),
    observing("Twice", Record(a=Interval(-1000, 1000), b=Record(c=Interval(-1000, 1000))), twice),
    observing("Scalar", Interval(0, 1000, ()), lambda self: np.asarray(self.time, np.float32)),
    observing("Number", Choice(100), lambda self: self.time if self.time % 2 else np.int64(self.time)),
    observing("One", Choice(1), lambda self: 0),
    acting("Bounds", Interval(-1, 1)),
    acting("OneAction", Choice(1)),
]


@pytest.mark.parametrize("env", LEGAL)
def test_what_is_near_to_it_is_left_alone(env: Any) -> None:
    report = check(env, steps=60, measure=False, ignore=["GK6", "GK8", "GK9"])

    assert not loud(report), [str(one) for one in report.findings]


class Tuple(Space[Any]):
    """Called as the space of other libraries is."""

    spaces = (Choice(2), Choice(3))

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return tuple(space.sample() for space in self.spaces)

    def contains(self, x: Any) -> bool:
        return isinstance(x, tuple) and len(x) == 2


class Box(Interval):
    """Called as the space of other libraries is."""


class Lambdas(Walk):
    def info(self) -> Any:
        return {"undo": lambda: None}


Picture = observing("Picture", Box(0, 1, (48, 48, 3)), lambda self: np.full((48, 48, 3), self.time % 2, np.float32))
LIMITS = [
    ("sb3", "GK109", Picture),
    ("sb3", "GK131", observing("Pairs", Tuple(), lambda self: (self.time % 2, self.time % 3))),
    ("sb3", "GK132", acting("Strong", Box(-2, 2))),
    ("async", "GK141", Lambdas),
    ("async", "GK142", observing("Anything", Tuple(), lambda self: (self.time % 2, self.time % 3))),
]


@pytest.mark.parametrize("library, code, env", LIMITS)
def test_the_limits_of_a_library_are_told_where_it_is_named(library: str, code: str, env: Any) -> None:
    asked = check(env, steps=60, measure=False, compat=[library])
    plain = check(env, steps=60, measure=False)

    assert code in loud(asked)
    assert code not in {*plain.passed, *loud(plain)}


def test_where_there_can_be_but_one_instance_that_is_told() -> None:
    report = check(Walk(), steps=60, select=["GK004"])

    assert [(one.code, one.severity) for one in report.findings] == [("GK004", "info")]
    assert not check(Walk, steps=60, select=["GK004"]).findings
