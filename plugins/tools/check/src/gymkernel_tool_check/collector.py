"""`Collector`: what several processes of one check tell, put in order, and what only the check as a whole can say."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gymkernel_tool_check import catalogue
from gymkernel_tool_check.records import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from gymkernel_tool_check.records import Event

__all__ = ["Collector"]


class Collector:
    """Passes on what the processes of one check tell: once, in the order of the rules, sorted by what was expected.

    Args:
        emit: called with the events of the check as a whole.
        expected: codes of rules that are known to be broken, with the reason.
        known: findings that were there before, as (code, method).
        elsewhere: expected codes whose finding another target of the same project has.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        expected: Mapping[str, str] | None = None,
        known: Collection[tuple[str, str]] = (),
        elsewhere: Collection[str] = (),
    ) -> None:
        self.emit, self.known, self.elsewhere = emit, set(known), set(elsewhere)
        self.expected = {code.upper(): reason for code, reason in (expected or {}).items()}
        self.planned: list[str] = []
        self.outcomes: dict[str, Event] = {}
        self.failed = False
        self._shown: set[str] = set()
        self._told: dict[str, list[dict[str, Any]]] = {code: [] for code in catalogue.LAST}
        self._causes: set[tuple[Any, ...]] = set()
        self._once: set[str] = set()

    @property
    def done(self) -> set[str]:
        """Codes of the rules that something came of."""
        return set(self.outcomes)

    def feed(self, event: Event) -> None:
        """Take an event of a process; what belongs to the check as a whole is passed on once."""
        match event["event"]:
            case "plan" | "found" | "recipe" as name if name in self._once:
                return
            case "plan":
                self.planned = [one["code"] for one in event["rules"]]
            case "expected":
                self.expected = {**event["failures"], **self.expected}
                return
            case "done":
                self.outcomes.setdefault(event["code"], event)
                self._pass_on()
                return
            case "died":
                if (cause := _cause(event["finding"])) not in self._causes:  # the first is enough
                    self._causes.add(cause)
                    self._told["GK003"].append(event["finding"])
                return
            case "crashed":
                self._told["GK005"].append(event["finding"])
                return
            case "failure":
                self.failed = True
        self._once.add(event["event"])
        self.emit(event)

    def skip(self, codes: Collection[str], reason: str) -> None:
        """Say of rules that nothing came of them, and why."""
        for code in codes:
            if code not in self.outcomes and code not in catalogue.LAST:
                self.feed({"event": "done", "code": code, "reason": reason, "findings": [], "seconds": 0.0})

    def conclude(self) -> None:
        """Tell of the rules that nobody came to, of GK003 and GK005, and of failures that were expected in vain."""
        self.skip(self.planned, "the check could not go on (GK003)")
        for code in ("GK003", "GK005"):
            if code in self.planned or self._told[code]:
                self._conclude(code, self._told[code])
        if (unused := self._unused()) or "GK006" in self.planned:
            self._conclude("GK006", unused)

    def _conclude(self, code: str, findings: list[dict[str, Any]]) -> None:
        outcome = {"event": "done", "code": code, "reason": "", "findings": findings, "seconds": 0.0}
        self.outcomes[code] = outcome
        self._emit(outcome)

    def _pass_on(self) -> None:
        """Emit what came of the rules up to the first of which nothing is known yet."""
        for code in self.planned:
            if code in catalogue.LAST or code in self._shown:
                continue
            if code not in self.outcomes:
                return
            self._shown.add(code)
            self._emit(self.outcomes[code])

    def _emit(self, outcome: Event) -> None:
        code, findings = outcome["code"], outcome["findings"]
        if findings and code in self.expected:
            outcome = {**outcome, "findings": [], "expected": findings, "why": self.expected[code]}
        elif old := [one for one in findings if (one["code"], one["method"]) in self.known]:
            new = [one for one in findings if one not in old]
            outcome = {**outcome, "findings": new, "expected": old, "why": "it was there before"}
        self.emit(outcome)

    def _unused(self) -> list[dict[str, Any]]:
        """A finding for each expected failure that did not happen, though its rule was checked."""
        found = []
        for code, reason in self.expected.items():
            outcome = self.outcomes.get(code)
            if outcome is None and not any(one.code == code for one in catalogue.rules()):
                message = f"{code} is expected to be broken ({reason}), and there is no such rule"
            elif outcome is None or outcome["reason"] or outcome["findings"] or code in self.elsewhere:
                continue
            else:
                message = f"{code} is expected to be broken ({reason}), and is kept: take the expectation out"
            found.append(asdict(Finding("GK006", "warning", message)))
        return found


def _cause(finding: dict[str, Any]) -> tuple[Any, ...]:
    """What two deaths have in common that are one defect."""
    message = re.sub(r"[\d.]+ (s|MiB|GiB)\b", "", finding["message"].partition(" at ")[0].partition(" (seed")[0])
    return message, finding["file"], None if "did not return" in message else finding["line"]
