"""What a check says: the report, which gathers the events of a run."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from gymkernel import error
from gymkernel_tool_check import events
from gymkernel_tool_check.events import Event
from gymkernel_tool_check.findings import SEVERITIES, Finding, at_least

__all__ = ["SCHEMA", "CheckFailed", "Report"]

SCHEMA: Final = "gymkernel.check/1"
"""Name and version of the JSON form; the version grows when a field goes away or changes its meaning."""


class CheckFailed(error.Error, AssertionError):  # noqa: N818 - it names what happened
    """A check has findings of severity error; `report` has them."""

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report


@dataclass(slots=True)
class Report:
    """What a check of one target found.

    Attributes:
        target: what was checked.
        found: what the target turned out to be: kind, class, distribution, version, file.
        rules: every rule of the run by code, with severity, family, title, why and mend.
        findings: in the order of the rules.
        passed: codes of rules without a finding.
        skipped: codes with the reason why the rule could not be checked.
        expected: codes of rules whose findings were expected, with the reason and those findings.
        measured: steps_per_second, construct_seconds, reset_seconds where they could be measured.
        tried: how often the constructor, reset and step were called.
        left_out: codes of the skipped rules for which there was no time.
        recorded: steps of the recorded run, where there was no time for as many as a verdict needs; else None.
        seconds: how long the check took.
        failure: why there was nothing to check, where the target could not be resolved.
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
        """Add what an event tells.

        Args:
            event: from the processes of the check, in the order in which they come.
        """
        match event:
            case events.Found(about) | events.Made(about):
                self.found.update(about)
            case events.Planned(rules):
                self.rules.update({one["code"]: one for one in rules})
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
        """The findings of a severity or a higher one.

        Args:
            severity: "info", "warning" or "error".
        """
        return [finding for finding in self.findings if at_least(finding.severity, severity)]

    @property
    def checker_failures(self) -> list[Finding]:
        """The findings that are about rules which raised an error of their own (GK005), and not about the target."""
        return [finding for finding in self.findings if finding.code == "GK005"]

    @property
    def undecided(self) -> str:
        """Why too little was tried to call the target sound, in words; empty where enough was.

        There must have been time for two thirds of the rules, and for some steps of the recorded run.
        """
        checked = len(self.passed) + len({one.code for one in self.findings}) + len(self.expected)
        if self.failure or (not checked and not self.left_out):
            return ""
        reasons = [f"{self.recorded} steps in the recorded run"] if self.recorded is not None else []
        if 2 * len(self.left_out) >= checked and self.left_out:
            reasons.append(f"no time for {len(self.left_out)} of {checked + len(self.left_out)} rules")
        return ", ".join(reasons)

    def raise_for_errors(self) -> None:
        """Raise `CheckFailed` with every finding of severity error, if there is one; an undecided report has none."""
        if self.failure:
            raise CheckFailed(self.failure, self)
        if errors := self.at_least("error"):
            what = "spaces" if self.found.get("kind") == "spaces" else "environments"
            lines = [f"{self.target} breaks {len(errors)} rule{'s' * (len(errors) > 1)} of the API for {what}:"]
            for one in errors:
                mend = self.rules.get(one.code, {}).get("mend", "")
                lines.append(f"  {one.code} {one.message}{f' ({one.place})' if one.place else ''}")
                lines += [f"        mend: {mend}"] if mend else []
            raise CheckFailed("\n".join(lines), self)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain data: the form of one target in `to_json`."""
        known = ("severity", "family", "title")
        return {
            "target": self.target,
            "verdict": self.verdict,
            "failure": self.failure or None,
            "undecided": self.undecided or None,
            "found": self.found,
            "findings": [
                {**asdict(one), "why": self.rules[one.code]["why"], "mend": self.rules[one.code]["mend"]}
                for one in self.findings
            ],
            "passed": self.passed,
            "skipped": [{"code": code, "reason": reason} for code, reason in self.skipped.items()],
            "expected": [
                {"code": code, "reason": reason, "findings": [asdict(one) for one in findings]}
                for code, (reason, findings) in self.expected.items()
            ],
            "rules": [{"code": code, **{key: one[key] for key in known}} for code, one in self.rules.items()],
            "tried": self.tried,
            "measured": self.measured,
            "seconds": round(self.seconds, 3),
        }

    @property
    def verdict(self) -> str:
        """The worst severity found; without a finding "clean", or "undecided" where too little was tried.

        "failure" where there was nothing to check.
        """
        if self.failure:
            return "failure"
        without = "undecided" if self.undecided else "clean"
        return max((one.severity for one in self.findings), key=SEVERITIES.index, default=without)

    def to_json(self) -> str:
        """The report as JSON, in the schema that `gymkernel check --format json` writes."""
        return json.dumps({"schema": SCHEMA, "targets": [self.as_dict()]}, indent=2)
