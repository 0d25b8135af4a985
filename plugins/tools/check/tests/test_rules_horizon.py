"""GK316 and GK322: episodes that all terminate after one number of steps, and whether an agent can see that coming."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from walks import Walk, seen

from gymkernel_tool_check import check

LENGTH = 20
CELLS = np.random.default_rng(3).permutation(500)


class Anything(Walk):
    """Observes what it is told to; its space takes anything."""

    length = LENGTH

    def prepare(self) -> None:
        self.observation_space.contains = lambda x: True

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
    "picture": lambda t, g: g.integers(0, 255, (8, 8, 3)).astype(np.uint8),
    "text": lambda t, g: "".join(g.choice(["a", "b"], g.integers(1, 6))),
    "list": lambda t, g: tuple(g.integers(3, size=g.integers(1, 6)).tolist()),
    "drift": lambda t, g: np.array([t / 10 + g.normal(0, 1)]),
    "cycle": lambda t, g: np.array([t % 5, g.normal()]),
    "not a number": lambda t, g: np.array([np.nan, g.normal()]),
    "object": lambda t, g: None,
}


@pytest.mark.parametrize("what", HIDDEN)
def test_an_end_that_nothing_shows_is_a_warning(what: str) -> None:
    report = check(seeing(HIDDEN[what]), select=["GK322", "GK316"], steps=100, measure=False)

    (found,) = report.findings
    assert (found.code, found.severity) == ("GK322", "warning")
    assert f"ended with terminated=True after {LENGTH} steps of random actions" in found.message


@pytest.mark.parametrize("what", VISIBLE)
def test_an_end_that_shows_is_a_part_of_the_task(what: str) -> None:
    assert not check(seeing(VISIBLE[what]), select=["GK322"], steps=100, measure=False).findings
    assert not check(seeing(VISIBLE[what], max_steps=LENGTH), select=["GK316"], steps=100, measure=False).findings


@pytest.mark.parametrize("what", HIDDEN)
def test_a_limit_with_a_known_name_is_an_error_and_not_a_warning_too(what: str) -> None:
    report = check(seeing(HIDDEN[what], max_steps=LENGTH), select=["GK322", "GK316"], steps=100, measure=False)

    assert [(one.code, one.severity) for one in report.findings] == [("GK316", "error")]


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
def test_other_ends_are_left_alone(what: str) -> None:
    env = seeing(HIDDEN["noise"], **LEGAL[what])

    assert not seen(check(env, select=["GK322"], steps=100, measure=False), "GK322")
