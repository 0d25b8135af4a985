"""Tests of GK316 and GK322, the rules about episodes that always terminate after the same number of steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from walks import Interval, Walk, seen

from gymkernel import Space
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.probes.episode_ends import common_length, end_is_foreseeable
from gymkernel_tool_check.probes.trace import Call, Trace

LENGTH = 20
CELLS = np.random.default_rng(3).permutation(500)


class Everything(Space[Any]):
    """A space that contains every value."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.random()

    def contains(self, x: Any) -> bool:
        return True


class Anything(Walk):
    """An environment that returns given observations."""

    length = LENGTH

    def prepare(self) -> None:
        self.observation_space = Everything()

    def observe(self) -> Any:
        return self.see(self.time, self.np_random)

    see: Any = None


def seeing(function: Any, **more: Any) -> type[Any]:
    return type("Seeing", (Anything,), {"see": staticmethod(function), **more})


def picture(row: int) -> Any:
    frame = np.zeros((LENGTH + 1, 6, 3), np.uint8)
    frame[row] = 255
    return frame


VISIBLE: dict[str, Any] = {
    "number": lambda t, g: np.array([g.normal(), t]),
    "scaled": lambda t, g: np.array([g.normal(), np.sin(t / LENGTH)], np.float32),
    "time left": lambda t, g: {"x": g.normal(size=2), "left": LENGTH - t},
    "one of many": lambda t, g: (np.arange(LENGTH + 1) == t).astype(np.int8),
    "picture": lambda t, g: picture(t),
    "count": lambda t, g: g.permutation(np.arange(LENGTH) < t).astype(np.int8),
    "row": lambda t, g: np.roll(picture(t), int(g.integers(6)), axis=1),
    "text": lambda t, g: "".join(g.choice(["a", "b"], t)),
    "list": lambda t, g: tuple(g.integers(3, size=t).tolist()),
    "number of a cell": lambda t, g: int(CELLS[t * 3 + g.integers(3)]),
    "before the end": lambda t, g: 3 if t >= LENGTH - 1 else int(g.integers(2)),
    "flag": lambda t, g: (g.normal(size=3), t == LENGTH),
    "series": lambda t, g: np.append(CELLS[t : t + 3] / 7, g.normal()),
}
HIDDEN: dict[str, Any] = {
    "noise": lambda t, g: g.normal(size=4),
    "constant": lambda t, g: 0,
    "few numbers": lambda t, g: int(g.integers(4)),
    "dictionary": lambda t, g: {"a": g.normal(size=2), "b": {"c": int(g.integers(3))}},
    "tuple": lambda t, g: (int(g.integers(3)), g.normal(size=2)),
    "noisy picture": lambda t, g: g.integers(0, 255, (8, 8, 3)).astype(np.uint8),
    "any text": lambda t, g: "".join(g.choice(["a", "b"], g.integers(1, 6))),
    "any list": lambda t, g: tuple(g.integers(3, size=g.integers(1, 6)).tolist()),
    "drift": lambda t, g: np.array([t / 10 + g.normal(0, 1)]),
    "cycle": lambda t, g: np.array([t % 5, g.normal()]),
    "not a number": lambda t, g: np.array([np.nan, g.normal()]),
    "object": lambda t, g: None,
}


def played(see: Any) -> Trace:
    """Return a made-up recording of several episodes."""
    trace, rng = Trace(None, 0), np.random.default_rng(1)
    for episode in range(1, 7):
        for t in range(LENGTH + 1):
            call = Call("step" if t else "reset", episode, t, well_formed=True, kept=see(t, rng))
            call.terminated = t == LENGTH
            trace.calls.append(call)
    return trace


@pytest.mark.parametrize("what", [*VISIBLE, *HIDDEN])
def test_episode_end_is_predictable_if_an_observation_shows_it(what: str) -> None:
    trace = played(VISIBLE.get(what) or HIDDEN[what])

    assert common_length([trace]) == LENGTH
    assert end_is_foreseeable([trace], LENGTH) == (what in VISIBLE)


def test_episodes_with_different_lengths_have_no_common_length() -> None:
    trace = played(HIDDEN["noise"])
    next(call for call in trace.steps if call.step == 5).terminated = True

    assert common_length([trace]) is None


@pytest.mark.slow
@pytest.mark.parametrize("what", HIDDEN)
def test_unpredictable_equal_lengths_are_a_warning(what: str) -> None:
    report = check(seeing(HIDDEN[what]), select=["GK322", "GK316"], steps=100, measure=False)

    (found,) = report.findings
    assert (found.code, found.severity) == ("GK322", "warning")
    assert f"ended with terminated=True after {LENGTH} steps of random actions" in found.message


@pytest.mark.parametrize("length", [30, 60, 99])
def test_limit_reached_only_in_a_long_run_is_a_warning(length: int) -> None:
    report = check(seeing(HIDDEN["noise"], length=length), select=["GK322"], steps=100, measure=False)

    assert f"terminated=True after {length} steps" in report.findings[0].message


@pytest.mark.slow
@pytest.mark.parametrize("what", VISIBLE)
def test_visible_episode_end_is_part_of_the_task(what: str) -> None:
    assert not check(seeing(VISIBLE[what]), select=["GK322"], steps=100, measure=False).findings
    assert not check(seeing(VISIBLE[what], max_steps=LENGTH), select=["GK316"], steps=100, measure=False).findings


@pytest.mark.slow
@pytest.mark.parametrize("what", HIDDEN)
def test_limit_attribute_is_an_error_without_a_warning(what: str) -> None:
    report = check(seeing(HIDDEN[what], max_steps=LENGTH), select=["GK322", "GK316"], steps=100, measure=False)

    assert [(finding.code, finding.severity) for finding in report.findings] == [("GK316", "error")]


LEGAL: dict[str, dict[str, Any]] = {
    "truncates": {"terminated": lambda self: False, "truncated": lambda self: self.time >= LENGTH},
    "both flags": {"truncated": lambda self: self.time >= LENGTH},
    "one step": {"length": 1},
    "a few guesses": {"length": 6},
    "other lengths": {"terminated": lambda self: self.time >= LENGTH + int(abs(self.place[0]) > 0.5)},
    "now and then": {"terminated": lambda self: bool(self.np_random.random() < 0.1)},
    "no end": {"terminated": lambda self: False},
}


@pytest.mark.parametrize("what", LEGAL)
def test_other_episode_ends_are_accepted(what: str) -> None:
    env = seeing(HIDDEN["noise"], **LEGAL[what])

    assert not seen(check(env, select=["GK322"], steps=100, measure=False), "GK322")


def test_observations_outside_the_space_are_not_compared() -> None:
    env = seeing(HIDDEN["noise"], prepare=lambda self: setattr(self, "observation_space", Interval(0, 1, (3,))))
    report = check(env, select=["GK322"], steps=100, measure=False)

    assert not seen(report, "GK322")
    assert "observations outside their space" in report.skipped["GK322"]
