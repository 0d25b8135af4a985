"""Tests of the verdict "undecided" and of the time budget of a check."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from walks import Choice, Interval

from gymkernel import Env
from gymkernel_tool_check import events
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.cli.formats import render
from gymkernel_tool_check.cli.overview import Overview, show_summary
from gymkernel_tool_check.cli.progress import Progress
from gymkernel_tool_check.cli.results import Results
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.probes import leaks
from gymkernel_tool_check.records import Report
from gymkernel_tool_check.suite import Suite
from gymkernel_tool_check.targets import Target

BUDGET = 10.0
CODES = [f"GK{number}" for number in range(301, 399)]


class Clock:
    """A fake clock that only the environment advances, so that the load of the machine does not matter."""

    now = 0.0
    slow: dict[str, float] = {}  # noqa: RUF012 - each test sets the value

    @classmethod
    def spend(cls, method: str) -> None:
        cls.now += cls.slow.get(method, 0.0)


class Slow(Env[Any, Any]):
    """A correct environment in which some methods are slow."""

    def __init__(self) -> None:
        Clock.spend("constructor")
        self.observation_space: Any = Interval(-1e9, 1e9, (1,), np.float64)
        self.action_space: Any = Choice(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        Clock.spend("reset")
        self.place, self.time = self.np_random.normal(size=1), 0
        return self.place.copy(), {}

    def step(self, action: Any) -> Any:
        Clock.spend("step")
        self.place, self.time = self.place + action - 0.5, self.time + 1
        return self.place.copy(), 0.0, self.time > 8, False, {}

    def close(self) -> None:
        Clock.spend("close")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    monkeypatch.setattr(Clock, "now", 0.0)
    monkeypatch.setattr("time.perf_counter", lambda: Clock.now)
    return Clock


@pytest.mark.parametrize("seconds", [3.0, 10.0, 19.0])
@pytest.mark.parametrize("method", ["constructor", "reset", "step"])
def test_no_call_is_made_after_the_budget(
    clock: type[Clock], monkeypatch: pytest.MonkeyPatch, method: str, seconds: float
) -> None:
    monkeypatch.setattr(Clock, "slow", {method: seconds})

    report = check(Slow, budget=BUDGET, measure=False)

    assert clock.now <= BUDGET + seconds + 1e-6
    assert report.undecided
    assert report.verdict == "undecided"
    assert report.findings == []
    assert set(report.left_out) <= set(report.skipped)


def test_fast_environment_gets_a_verdict(clock: type[Clock], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "slow", {"step": 1e-6, "reset": 1e-6})

    report = check(Slow, budget=1e9, measure=False, steps=100)

    assert (report.undecided, report.left_out, report.recorded) == ("", [], None)
    assert report.verdict == "clean"


def test_run_takes_a_minimum_number_of_steps(clock: type[Clock], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "slow", {"step": 3.0})

    report = check(Slow, select=["GK3"])

    assert report.tried["step"] >= 20
    assert report.undecided == ""


def test_defect_is_found_in_few_steps(clock: type[Clock], monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Slow):
        def step(self, action: Any) -> Any:
            observation, _, *rest = super().step(action)
            return (observation, "much", *rest)

    monkeypatch.setattr(Clock, "slow", {"step": 3.0})

    report = check(Wrong, budget=BUDGET, measure=False)

    assert report.verdict == "error"
    assert report.undecided
    assert report.recorded is not None
    assert report.recorded < 20


# --- the verdict


def report_of(passed: int, left_out: int, *, skipped: int = 0, recorded: int | None = None) -> Report:
    rules = {
        code: {"code": code, "severity": "error", "family": "step", "title": code, "why": "w", "fix": "m"}
        for code in CODES
    }
    report = Report("walks.py:Slow", rules=rules, recorded=recorded)
    codes = iter(CODES)
    for _ in range(passed):
        report.take(events.RuleDone(next(codes)))
    for _ in range(left_out):
        report.take(events.RuleDone(next(codes), "the budget was spent", left_out=True))
    for _ in range(skipped):
        report.take(events.RuleDone(next(codes), "there is nothing to render"))
    return report


@pytest.mark.parametrize(
    "report, undecided",
    [
        (report_of(48, 50), "no time for 50 of 98 rules"),
        (report_of(48, 24), "no time for 24 of 72 rules"),
        (report_of(48, 23), ""),
        (report_of(0, 5), "no time for 5 of 5 rules"),
        (report_of(30, 0, skipped=60), ""),  # the skipped rules do not apply to this environment
        (report_of(0, 0, skipped=3), ""),
        (report_of(90, 0, recorded=3), "3 steps in the recorded run"),
        (report_of(10, 20, recorded=0), "0 steps in the recorded run, no time for 20 of 30 rules"),
    ],
)
def test_too_many_skipped_rules_give_no_verdict(report: Report, undecided: str) -> None:
    assert report.undecided == undecided
    assert report.verdict == ("undecided" if undecided else "clean")
    assert Results([report]).status == (4 if undecided else 0)


def test_exit_status_prefers_the_worse_result() -> None:
    broken, failed, crashed = report_of(1, 9), report_of(1, 9), report_of(1, 9)
    broken.findings.append(Finding("GK350", "error", "it is odd"))
    crashed.findings.append(Finding("GK005", "info", "a rule raised"))
    failed.failure = "there is no such module"

    statuses = [Results([report_of(1, 9), other]).status for other in (failed, broken, crashed, report_of(9, 0))]
    assert statuses == [2, 1, 3, 4]
    assert (broken.verdict, failed.verdict) == ("error", "failure")


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "github", "html"])
def test_every_format_shows_an_undecided_target(form: str) -> None:
    text = render(form, Results([report_of(10, 20)]))

    assert "no time for 20 of 30 rules" in text
    assert "no time" not in render(form, Results([report_of(30, 0)]))
    if form == "json":
        data = json.loads(text)
        assert (data["exit_status"], data["targets"][0]["verdict"]) == (4, "undecided")
    if form == "sarif":
        (invocation,) = json.loads(text)["runs"][0]["invocations"]
        assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 4)
    if form == "html":
        assert '<b class="">not decided</b>' in text


class Written:
    """A terminal without colours that stores what is written to it."""

    width, live = 100, False

    def __init__(self) -> None:
        self.text = ""

    def write(self, *lines: str) -> None:
        self.text += "".join(f"{line}\n" for line in lines)

    def paint(self, text: str, *_: Any, **__: Any) -> str:
        return text

    def sign(self, _: str, plain: str) -> str:
        return plain

    def wrap(self, begin: str, text: str, _: int) -> list[str]:
        return [f"{begin}{text}"]

    def erase(self) -> None:
        pass

    def write_live(self, _: str) -> None:
        pass


def test_terminal_shows_an_undecided_target() -> None:
    one, matrix, summary = Written(), Written(), Written()
    report = report_of(10, 20)

    Progress(one, Target("walks.py:Slow", "file"), Options(), "warning").finish(report)  # type: ignore[arg-type]
    overview = Overview(matrix, ["walks.py:Slow"], "warning", quiet=True)  # type: ignore[arg-type]
    overview.begin("walks.py:Slow")
    overview.finish(report)
    show_summary(summary, Results([report, report_of(30, 0)]))  # type: ignore[arg-type]

    assert "walks.py:Slow is not decided (no time for 20 of 30 rules): 10 rules passed, 20 skipped" in one.text
    assert "not decided (no time for 20 of 30 rules)" in matrix.text
    assert "not decided (no time for 20 of 30 rules)" in summary.text
    assert "sound" not in one.text + matrix.text


def test_test_of_an_undecided_target_is_skipped(clock: type[Clock], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "slow", {"reset": 3.0})
    suite = Suite([Slow], {}, None, {"select": ("GK1", "GK2", "GK3"), "budget": BUDGET})

    cases = list(suite.cases())
    assert cases
    for case in cases:
        with pytest.raises(pytest.skip.Exception, match=r"budget|undecided|needs|process"):
            case()


# --- leaks


class Leaky(Slow):
    """An environment whose steps allocate simulated memory."""

    kept, freed, until = 0, 0, 10**9

    def step(self, action: Any) -> Any:
        if Memory.steps < self.until:
            Memory.held += self.kept
            Memory.episode += self.freed
        Memory.steps += 1
        return super().step(action)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        Memory.episode = 0
        return super().reset(seed=seed, options=options)


class Memory:
    held = episode = steps = 0


@pytest.mark.parametrize(
    "kept, freed, until, is_leak",
    [
        (200 * 2**20, 0, 10**9, True),
        (4 * 2**20, 0, 10**9, True),
        (0, 200 * 2**20, 10**9, False),  # freed by reset
        (200 * 2**20, 0, 5, False),  # only the first steps allocate memory
        (1000, 0, 10**9, False),  # found by the rules that run many episodes
        (0, 0, 10**9, False),
    ],
)
def test_leak_in_every_step_is_found_in_few_steps(
    clock: type[Clock], monkeypatch: pytest.MonkeyPatch, kept: int, freed: int, until: int, is_leak: bool
) -> None:
    cls = type("Leaky", (Leaky,), {"kept": kept, "freed": freed, "until": until, "__module__": __name__})
    for name in ("held", "episode", "steps"):
        monkeypatch.setattr(Memory, name, 0)
    monkeypatch.setattr(leaks, "resident_memory", lambda pid: 10**8 + Memory.held + Memory.episode)
    monkeypatch.setattr(Clock, "slow", {"step": 0.5})

    report = check(cls, budget=BUDGET, measure=False)

    found = [finding for finding in report.findings if finding.code == "GK951"]
    assert bool(found) is is_leak
    if found:
        assert found[0].severity == "error"
        assert f"grows by {kept // 2**20} MiB with each step" in found[0].message
        assert "GK951" not in report.skipped
