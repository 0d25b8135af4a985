"""`Report`, the result of checking a target, and `Collector`, which builds a report from the events of a check."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from gymkernel import error
from gymkernel_tool_check import catalogue, events
from gymkernel_tool_check.events import Event, RuleDone
from gymkernel_tool_check.findings import SEVERITIES, Finding, at_least

__all__ = ["SCHEMA", "CheckFailed", "Collector", "Report"]

SCHEMA: Final = "gymkernel.check/1"
"""The name and version of the JSON format. The version changes if a field is removed or its meaning changes."""


class CheckFailed(error.Error, AssertionError):  # noqa: N818 - the name describes the event
    """Raised if a check has findings of severity error, or if the target cannot be checked.

    The attribute `report` is the complete report.
    """

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report


@dataclass(slots=True)
class Report:
    """The result of checking one target.

    Attributes:
        target: the name of the target, as given by the user.
        found: a description of the target, with its kind, class, distribution, version, file and more.
        rules: maps the code of each rule to its severity, family, title, why and fix.
        findings: the defects that were found, in the order of the rules.
        passed: the codes of the rules that found no defect.
        skipped: the rules that could not be checked, as a dictionary from codes to reasons.
        expected: the rules that were expected to fail, as a dictionary from codes to the reason and the findings.
        measured: steps_per_second, construct_seconds and reset_seconds, except for those that could not be measured.
        tried: how many times "the constructor", "reset" and "step" were called.
        left_out: the codes of the rules that were skipped because the time budget was spent.
        recorded: the number of steps in the recorded run if it was too short for a verdict, otherwise None.
        seconds: the duration of the check in seconds.
        failure: the reason why the target could not be checked at all, or "" if it was checked.
    """

    target: str
    found: dict[str, Any] = field(default_factory=dict)
    rules: dict[str, dict[str, str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    expected: dict[str, tuple[str, list[Finding]]] = field(default_factory=dict)
    measured: dict[str, float] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    recorded: int | None = None
    seconds: float = 0.0
    failure: str = ""

    def take(self, event: Event) -> None:
        """Add an event to the report.

        Args:
            event: an event from one of the processes of the check. Events must be added in order of arrival.
        """
        match event:
            case events.Found(about) | events.Made(about):
                self.found.update(about)
            case events.Planned(rules):
                self.rules.update({rule["code"]: rule for rule in rules})
            case events.RuleDone():
                self._take_outcome(event)
            case events.Tried(calls):
                for what in ("the constructor", "reset", "step"):
                    self.tried[what] = self.tried.get(what, 0) + calls.get(what, 0)
            case events.Measured(figures):
                self.measured.update(figures)
            case events.CutShort(steps):
                self.recorded = steps
            case events.Failed(message):
                self.failure = message

    def _take_outcome(self, done: events.RuleDone) -> None:
        if done.reason:
            self.skipped[done.code] = done.reason
            self.left_out += [done.code] * done.left_out
        elif done.expected:
            self.expected[done.code] = done.why, list(done.expected)
        elif not done.findings:
            self.passed.append(done.code)
        self.findings += done.findings

    def at_least(self, severity: str) -> list[Finding]:
        """Return the findings with the given severity or a higher one.

        Args:
            severity: the lowest severity to return: "info", "warning" or "error".
        """
        return [finding for finding in self.findings if at_least(finding.severity, severity)]

    @property
    def checker_failures(self) -> list[Finding]:
        """The findings about rules that raised exceptions (GK005), which are not defects of the target."""
        return [finding for finding in self.findings if finding.code == "GK005"]

    @property
    def undecided(self) -> str:
        """The reason why too little was tested for a verdict, or "" if enough was tested.

        A verdict requires that more than two thirds of the rules could be checked, and that the recorded run had enough
        steps.
        """
        checked = len(self.passed) + len({finding.code for finding in self.findings}) + len(self.expected)
        if self.failure or (not checked and not self.left_out):
            return ""
        reasons = [f"{self.recorded} steps in the recorded run"] if self.recorded is not None else []
        if 2 * len(self.left_out) >= checked and self.left_out:
            reasons.append(f"no time for {len(self.left_out)} of {checked + len(self.left_out)} rules")
        return ", ".join(reasons)

    def explain(self, finding: Finding) -> str:
        """Explain a finding: why it matters, how to fix it, where it is, and which program reproduces it.

        Args:
            finding: a finding of this report.
        """
        rule = self.rules.get(finding.code, {})
        lines = [str(finding), f"why: {rule.get('why', '')}", f"fix: {rule.get('fix', '')}"]
        lines += [f"at:  {finding.place}"] if finding.place else []
        return "\n".join([*lines, *(f"    {line}" for line in finding.reproducer.splitlines())])

    def raise_for_errors(self) -> None:
        """Raise `CheckFailed` if there are findings of severity error, or if the target could not be checked."""
        if self.failure:
            raise CheckFailed(self.failure, self)
        if errors := self.at_least("error"):
            what = "spaces" if self.found.get("kind") == "spaces" else "environments"
            lines = [f"{self.target} breaks {len(errors)} rule{'s' * (len(errors) > 1)} of the API for {what}:"]
            for finding in errors:
                fix = self.rules.get(finding.code, {}).get("fix", "")
                lines.append(f"  {finding.code} {finding.message}{f' ({finding.place})' if finding.place else ''}")
                lines += [f"        fix: {fix}"] if fix else []
            raise CheckFailed("\n".join(lines), self)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data, with the structure of a JSON report."""
        known = ("severity", "family", "title")
        return {
            "target": self.target,
            "verdict": self.verdict,
            "failure": self.failure or None,
            "undecided": self.undecided or None,
            "found": self.found,
            "findings": [
                {**asdict(finding), "why": self.rules[finding.code]["why"], "fix": self.rules[finding.code]["fix"]}
                for finding in self.findings
            ],
            "passed": self.passed,
            "skipped": [{"code": code, "reason": reason} for code, reason in self.skipped.items()],
            "expected": [
                {"code": code, "reason": reason, "findings": [asdict(finding) for finding in findings]}
                for code, (reason, findings) in self.expected.items()
            ],
            "rules": [{"code": code, **{key: rule[key] for key in known}} for code, rule in self.rules.items()],
            "tried": self.tried,
            "measured": self.measured,
            "seconds": round(self.seconds, 3),
        }

    @property
    def verdict(self) -> str:
        """The verdict: "failure" if nothing could be checked, otherwise the worst severity of the findings.

        Without findings, the verdict is "clean", or "undecided" if too little was tested.
        """
        if self.failure:
            return "failure"
        without = "undecided" if self.undecided else "clean"
        return max((finding.severity for finding in self.findings), key=SEVERITIES.index, default=without)

    def to_json(self) -> str:
        """Return the report as JSON, in the format of `gymkernel check --format json`."""
        return json.dumps({"schema": SCHEMA, "targets": [self.as_dict()]}, indent=2)


class Collector:
    """An object that builds one report from the events of several processes.

    The collector drops duplicate events and sorts the outcomes of the rules by code.

    Args:
        report: the report to fill.
        watchers: functions to call with each event that is added to the report.
        expected: the rules that are known to be broken, as a dictionary from codes to reasons.
        known: the (code, method) pairs of the findings in an older report. These findings count as expected.
        other_targets: the codes of expected failures that occur in other targets of the same project.
    """

    def __init__(
        self,
        report: Report,
        watchers: Sequence[Callable[[Event], None]] = (),
        expected: Mapping[str, str] | None = None,
        known: Collection[tuple[str, str]] = (),
        other_targets: Collection[str] = (),
    ) -> None:
        self.report, self.watchers, self.known, self.other_targets = report, watchers, set(known), set(other_targets)
        self.expected = {code.upper(): reason for code, reason in (expected or {}).items()}
        self.possible: frozenset[str] = frozenset()
        self.outcomes: dict[str, RuleDone] = {}
        self._shown: set[str] = set()
        self._final_findings: dict[str, list[Finding]] = {code: [] for code in catalogue.LAST}
        self._causes: set[tuple[Any, ...]] = set()
        self._once: set[type[Event]] = set()

    def feed(self, event: Event) -> None:
        """Handle an event from a process. Ignore an event about the whole check if it was received before."""
        match event:
            case events.Planned() | events.Found() if type(event) in self._once:
                pass
            case events.Declared(failures, possible):
                self.expected = {**possible, **failures, **self.expected}
                self.possible = frozenset(possible.keys() - failures.keys())
            case events.RuleDone(code):
                self.outcomes.setdefault(code, event)
                self._pass_on()
            case events.Died(finding):
                if (cause := _cause(finding)) not in self._causes:  # report each cause only once
                    self._causes.add(cause)
                    self._final_findings["GK003"].append(finding)
            case events.RuleCrashed(finding):
                self._add_crash(finding)
            case _:
                self._once.add(type(event))
                self._emit(event)

    def _emit(self, event: Event) -> None:
        self.report.take(event)
        for watch in self.watchers:
            watch(event)

    def _add_crash(self, finding: Finding) -> None:
        """Add a rule that crashed. Rules that crashed at the same place are merged into one finding."""
        rule, _, error = finding.message.partition(" raised ")
        crashes = self._final_findings["GK005"]
        for i, known in enumerate(crashes):
            first, _, cause = known.message.partition(" raised ")
            if (known.place, cause) == (finding.place, error):
                crashes[i] = replace(known, message=f"{first}, {rule.partition(' ')[0]} raised {cause}")
                return
        crashes.append(finding)

    def skip(self, codes: Collection[str], reason: str, *, left_out: bool = False) -> None:
        """Report the given rules as skipped, except for those that already have an outcome."""
        for code in codes:
            if code not in self.outcomes and code not in catalogue.LAST:
                self.feed(events.RuleDone(code, reason, left_out=left_out))

    def conclude(self) -> None:
        """Report the rules that have no outcome as skipped, and then report GK003, GK005 and GK006."""
        self.skip(self.report.rules, "the check could not continue (GK003)")
        for code in catalogue.LAST:
            findings = self._unused() if code == "GK006" else self._final_findings[code]
            if findings or code in self.report.rules:
                self.outcomes[code] = done = events.RuleDone(code, findings=tuple(findings))
                self._emit_outcome(done)

    def _pass_on(self) -> None:
        """Pass on the outcomes of rules in order, up to the first rule that has no outcome yet."""
        waiting = [code for code in self.report.rules if code not in self._shown and code not in catalogue.LAST]
        for code in itertools.takewhile(self.outcomes.__contains__, waiting):
            self._shown.add(code)
            self._emit_outcome(self.outcomes[code])

    def _emit_outcome(self, done: RuleDone) -> None:
        findings = done.findings
        if findings and done.code in self.expected:
            done = replace(done, findings=(), expected=findings, why=self.expected[done.code])
        elif old := tuple(finding for finding in findings if (finding.code, finding.method) in self.known):
            new = tuple(finding for finding in findings if finding not in old)
            done = replace(done, findings=new, expected=old, why="it is in the older report")
        self._emit(done)

    def _unused(self) -> list[Finding]:
        """Return a finding for each expected failure that did not occur although its rule was checked."""
        found = []
        for code, reason in self.expected.items():
            outcome = self.outcomes.get(code)
            if outcome is None and not any(rule.code == code for rule in catalogue.rules()):
                message = f"{code} is expected to fail ({reason}), but there is no such rule"
            elif outcome is None or outcome.reason or outcome.findings or code in self.other_targets | self.possible:
                continue
            else:
                message = f"{code} is expected to fail ({reason}), but passes: remove the expectation"
            found.append(Finding("GK006", "warning", message))
        return found


def _cause(finding: Finding) -> tuple[Any, ...]:
    """Return a key that is the same for all findings about processes that died for the same reason."""
    message = re.sub(r"[\d.]+ (s|MiB|GiB)\b", "", finding.message.partition(" at ")[0].partition(" (seed")[0])
    return message, finding.file, None if "did not return" in message else finding.line
