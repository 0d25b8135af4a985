"""`Collector`: what several processes of one check tell, put in order, and what only the check as a whole can say."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from gymkernel_tool_check import catalogue, events
from gymkernel_tool_check.events import Event, RuleDone
from gymkernel_tool_check.findings import Finding

__all__ = ["Collector"]


class Collector:
    """Passes on what the processes of one check tell: once, in the order of the rules, sorted by what was expected.

    Args:
        emit: called with the events of the check as a whole.
        expected: codes of rules that are known to be broken, with the reason.
        known: findings that were there before, as (code, method).
        other_targets: expected codes whose finding another target of the same project has.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        expected: Mapping[str, str] | None = None,
        known: Collection[tuple[str, str]] = (),
        other_targets: Collection[str] = (),
    ) -> None:
        self.emit, self.known, self.other_targets = emit, set(known), set(other_targets)
        self.expected = {code.upper(): reason for code, reason in (expected or {}).items()}
        self.planned: list[str] = []
        self.outcomes: dict[str, RuleDone] = {}
        self.failed = False
        self._shown: set[str] = set()
        self._told: dict[str, list[Finding]] = {code: [] for code in catalogue.LAST}
        self._causes: set[tuple[Any, ...]] = set()
        self._once: set[type[Event]] = set()

    @property
    def done(self) -> set[str]:
        """Codes of the rules that something came of."""
        return set(self.outcomes)

    def feed(self, event: Event) -> None:
        """Take an event of a process; what belongs to the check as a whole is passed on once."""
        match event:
            case events.Planned() | events.Found() if type(event) in self._once:
                return
            case events.Planned(rules):
                self.planned = [one["code"] for one in rules]
            case events.Declared(failures):
                self.expected = {**failures, **self.expected}
                return
            case events.RuleDone(code):
                self.outcomes.setdefault(code, event)
                self._pass_on()
                return
            case events.Died(finding):
                if (cause := _cause(finding)) not in self._causes:  # the first is enough
                    self._causes.add(cause)
                    self._told["GK003"].append(finding)
                return
            case events.RuleCrashed(finding):
                self._told_of_crash(finding)
                return
            case events.Failed():
                self.failed = True
        self._once.add(type(event))
        self.emit(event)

    def _told_of_crash(self, finding: Finding) -> None:
        """Tell of several rules that failed in one place as of one failure of the checker."""
        rule, _, error = finding.message.partition(" raised ")
        told = self._told["GK005"]
        for i, known in enumerate(told):
            first, _, cause = known.message.partition(" raised ")
            if (known.place, cause) == (finding.place, error):
                told[i] = replace(known, message=f"{first}, {rule.partition(' ')[0]} raised {cause}")
                return
        told.append(finding)

    def skip(self, codes: Collection[str], reason: str, *, left_out: bool = False) -> None:
        """Say of rules that nothing came of them, and why."""
        for code in codes:
            if code not in self.outcomes and code not in catalogue.LAST:
                self.feed(events.RuleDone(code, reason, left_out=left_out))

    def conclude(self) -> None:
        """Tell of the rules that nobody came to, of GK003 and GK005, and of failures that were expected in vain."""
        self.skip(self.planned, "the check could not go on (GK003)")
        for code in ("GK003", "GK005"):
            if code in self.planned or self._told[code]:
                self._conclude(code, self._told[code])
        if (unused := self._unused()) or "GK006" in self.planned:
            self._conclude("GK006", unused)

    def _conclude(self, code: str, findings: list[Finding]) -> None:
        self.outcomes[code] = done = events.RuleDone(code, findings=tuple(findings))
        self._emit(done)

    def _pass_on(self) -> None:
        """Emit what came of the rules up to the first of which nothing is known yet."""
        for code in self.planned:
            if code in catalogue.LAST or code in self._shown:
                continue
            if code not in self.outcomes:
                return
            self._shown.add(code)
            self._emit(self.outcomes[code])

    def _emit(self, done: RuleDone) -> None:
        findings = done.findings
        if findings and done.code in self.expected:
            done = replace(done, findings=(), expected=findings, why=self.expected[done.code])
        elif old := tuple(one for one in findings if (one.code, one.method) in self.known):
            new = tuple(one for one in findings if one not in old)
            done = replace(done, findings=new, expected=old, why="it was there before")
        self.emit(done)

    def _unused(self) -> list[Finding]:
        """A finding for each expected failure that did not happen, though its rule was checked."""
        found = []
        for code, reason in self.expected.items():
            outcome = self.outcomes.get(code)
            if outcome is None and not any(one.code == code for one in catalogue.rules()):
                message = f"{code} is expected to fail ({reason}), but there is no such rule"
            elif outcome is None or outcome.reason or outcome.findings or code in self.other_targets:
                continue
            else:
                message = f"{code} is expected to fail ({reason}), but passes: remove the expectation"
            found.append(Finding("GK006", "warning", message))
        return found


def _cause(finding: Finding) -> tuple[Any, ...]:
    """What two deaths have in common that are one defect."""
    message = re.sub(r"[\d.]+ (s|MiB|GiB)\b", "", finding.message.partition(" at ")[0].partition(" (seed")[0])
    return message, finding.file, None if "did not return" in message else finding.line
