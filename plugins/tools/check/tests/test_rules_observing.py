"""Tests of the rules about spaces, about observations, and about what other libraries do not support."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from walks import Choice, Interval, Walk, cases, loud, run

from gymkernel import Space
from gymkernel_tool_check.checks import check

pytestmark = pytest.mark.slow  # each test creates many environments or processes


class Record(Space[Any]):
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
    """Create a random-walk environment class with the given observations."""

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
    """An environment that writes its observations into two arrays alternately."""

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


class Table(Walk):
    """An environment whose observations are slices of a constant table."""

    def prepare(self) -> None:
        self.table = np.arange(2000, dtype=np.float32)

    def observe(self) -> Any:
        return self.table[self.time : self.time + 2]


class OneGoal(Walk):
    """An environment whose observations contain the same goal array throughout an episode."""

    def prepare(self) -> None:
        self.observation_space = Record(goal=Interval(-1000, 1000), place=Interval(-1000, 1000))

    def start(self) -> None:
        super().start()
        self.goal = self.np_random.uniform(-1, 1, 2).astype(np.float32)

    def observe(self) -> Any:
        return {"goal": self.goal, "place": super().observe()}


class TwoRows(OneGoal):
    """An environment whose goals are slices of an array."""

    def start(self) -> None:
        super().start()
        self.goals = np.arange(40, dtype=np.float32)

    def observe(self) -> Any:
        return {**super().observe(), "goal": self.goals[self.time : self.time + 2]}


class ReadOnlyGoal(OneGoal):
    """An environment whose goal array is read-only."""

    def start(self) -> None:
        super().start()
        self.goal.flags.writeable = False


class LateLeaver(Walk):
    """An environment whose observations leave the space only late in an episode, and only for some seeds."""

    length = 150

    def prepare(self) -> None:
        self.observation_space = Interval(-100, 100)

    def terminated(self) -> Any:
        return False

    def truncated(self) -> Any:
        return self.time >= self.length


class RareStart(Walk):
    """An environment whose first observation is outside the space for about one seed in a hundred."""

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
    "GK409": [Table, TwoRows],
}


def test_read_only_observations_can_be_shared() -> None:
    assert not check(ReadOnlyGoal, select=["GK409"], measure=False).findings
    assert [finding.severity for finding in check(OneGoal, select=["GK409"], measure=False).findings] == ["info"]


HOLLOW: dict[str, Any] = {
    "no parts": Record(a=Interval(-1, 1), none=Record()),
    "no elements": Record(a=Interval(-1, 1), none=Interval(0, 1, (0,))),
    "deep inside": Record(a=Interval(-1, 1), none=Record(deep=Record(), b=Interval(0, 1, (2, 0)))),
}


@pytest.mark.parametrize("what", HOLLOW)
def test_empty_part_beside_others_is_legal(what: str) -> None:
    env = observing("Hollow", HOLLOW[what], lambda self: self.observation_space.sample())
    assert not check(env, select=["GK106"], measure=False).findings

    alone = observing("Alone", Record(none=HOLLOW[what].spaces["none"]), lambda self: self.observation_space.sample())
    assert [finding.code for finding in check(alone, select=["GK106"], measure=False).findings] == ["GK106"]


@pytest.mark.parametrize("code, env", cases(BROKEN))
def test_defect_is_reported_with_its_rule(code: str, env: Any) -> None:
    report = check(env, measure=False, ignore=["GK6", "GK8", "GK9"])

    assert loud(report) == {code}, [str(finding) for finding in report.findings]


@pytest.mark.parametrize("code, env", cases(BROKEN))
def test_program_of_a_finding_shows_the_defect(code: str, env: Any, capsys: pytest.CaptureFixture[str]) -> None:
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
def test_advice_is_given_on_request(code: str, env: Any) -> None:
    report = check(env, steps=60, measure=False, select=[code])

    assert {(finding.code, finding.severity) for finding in report.findings} == {(code, "info")}


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
def test_similar_legal_targets_have_no_findings(env: Any) -> None:
    report = check(env, steps=60, measure=False, ignore=["GK6", "GK8", "GK9"])

    assert not loud(report), [str(finding) for finding in report.findings]


class Tuple(Space[Any]):
    """A space with the same class name as a well-known space class."""

    spaces = (Choice(2), Choice(3))

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return tuple(space.sample() for space in self.spaces)

    def contains(self, x: Any) -> bool:
        return isinstance(x, tuple) and len(x) == 2


class Box(Interval):
    """A space with the same class name as a well-known space class."""


class Lambdas(Walk):
    def info(self) -> Any:
        return {"undo": lambda: None}


class Open(Walk):
    """An environment whose infos contain a generator object."""

    def info(self) -> Any:
        return {"plans": (k for k in range(3))}


Picture = observing("Picture", Box(0, 1, (48, 48, 3)), lambda self: np.full((48, 48, 3), self.time % 2, np.float32))
Gray = observing("Gray", Box(-1, 1, (40, 60, 1)), lambda self: np.full((40, 60, 1), self.time % 2, np.float32))
Pairs = observing("Pairs", Tuple(), lambda self: (self.time % 2, self.time % 3))
LIMITS: dict[str, list[Any]] = {
    "GK109": [Picture, Gray],
    "GK131": [Pairs, acting("ActsInPairs", Tuple())],
    "GK132": [acting("Strong", Box(-2, 2)), acting("Doubled", Box(-1, 1, dtype=np.float64))],
    "GK141": [Lambdas, Open],
    "GK142": [Pairs, observing("Deep", Record(a=Tuple()), lambda self: {"a": (self.time % 2, self.time % 3)})],
}


class Usual(Walk):
    def prepare(self) -> None:
        self.observation_space, self.action_space = Box(-1000, 1000), Box(-1, 1)


class Board(Usual):
    """An environment whose observations have the shape of an image but contain the six planes of a game board."""

    def prepare(self) -> None:
        self.observation_space, self.action_space = Box(-1000, 1000, (5, 5, 6)), Box(-1, 1)

    def observe(self) -> Any:
        return np.full((5, 5, 6), self.place[0], np.float32)


@pytest.mark.parametrize("code, env", cases(LIMITS))
def test_limits_of_a_library_are_reported_on_request(code: str, env: Any) -> None:
    asked = check(env, steps=60, measure=False, compat=["sb3" if code < "GK14" else "async"])
    plain = check(env, steps=60, measure=False)

    assert code in loud(asked)
    assert code not in {*plain.passed, *loud(plain)}


@pytest.mark.parametrize("env", [Usual, Board])
def test_target_within_the_limits_has_no_findings(env: Any) -> None:
    assert not loud(check(env, steps=60, measure=False, compat=["sb3"], select=["GK1"]))


class OneRobot(Walk):
    """An environment that can have only one instance, because there is only one robot."""

    taken = False

    def prepare(self) -> None:
        if OneRobot.taken:
            raise ConnectionError("the robot is in use")
        OneRobot.taken = True

    def close(self) -> None:
        OneRobot.taken = False


ALONE: dict[str, list[Any]] = {"GK004": [Walk(), OneRobot]}


@pytest.mark.parametrize("one", ALONE["GK004"])
def test_single_instance_limit_is_reported(one: Any) -> None:
    report = check(one, steps=60, select=["GK004"])

    assert [(finding.code, finding.severity) for finding in report.findings] == [("GK004", "info")]
    assert not check(Walk, steps=60, select=["GK004"]).findings
