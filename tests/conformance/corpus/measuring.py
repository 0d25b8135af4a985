"""Run the checker on the environments of the corpus, and sort the results."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gymkernel.checks import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gymkernel.checks import Report

    from .registry import Defect

__all__ = ["Outcome", "measure", "report_of"]


@dataclass(slots=True)
class Outcome:
    """The results of running the checker on the corpus.

    Attributes:
        named: the defects that the expected rule reports with the expected severity.
        otherwise: the defects that only rules other than the expected one report as errors.
        missed: the defects for which no rule reports an error.
        noisy: the defects that the expected rule reports, but for which other rules report additional findings.
        alarms: the legal environments for which errors or warnings are reported.
        seconds: the duration of each check, in seconds.
    """

    named: list[str] = field(default_factory=list)
    otherwise: dict[str, list[str]] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    noisy: dict[str, list[str]] = field(default_factory=dict)
    alarms: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def detected(self) -> float:
        """The fraction of defects for which at least one rule reports an error."""
        return 1 - len(self.missed) / max(1, self.total)

    @property
    def total(self) -> int:
        return len(self.named) + len(self.otherwise) + len(self.missed)


def report_of(target: Any, *, apart: bool = False, timeout: float = 3.0) -> Report:
    """Check an environment class, and return the report. If `apart` is true, other processes import and check it."""
    if apart and isinstance(target, type):
        target = f"{target.__module__}:{target.__qualname__}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check(target, measure=False, timeout=timeout if apart else 20.0)


def measure(
    defects: Iterable[Defect],
    legal: dict[str, Any],
    watch: Callable[[str], None] = lambda text: None,
    *,
    apart: bool = False,
    timeout: float = 3.0,
) -> Outcome:
    """Check all environments, and sort the results into an `Outcome`.

    Args:
        defects: the defects that the checker should find.
        legal: the environments in which the checker should find nothing.
        watch: a function that is called with a line of text for each defect and each false alarm.
        apart: whether to check every environment in separate processes, even if this is not necessary to find its
            defect.
        timeout: the time limit, in seconds, for a call in another process.
    """
    found = Outcome()
    for defect in defects:
        report = report_of(defect.env, apart=apart or defect.apart, timeout=timeout)
        errors = {finding.code for finding in report.findings if finding.severity in {"error", defect.severity}}
        loud = [str(finding) for finding in report.findings if finding.severity != "info"]
        found.seconds[defect.name] = report.seconds
        if defect.code in errors:
            found.named.append(defect.name)
            if more := [text for text in loud if text[:5] not in {defect.code, *defect.also}]:
                found.noisy[defect.name] = more
        elif errors:
            found.otherwise[defect.name] = loud
        else:
            found.missed.append(defect.name)
        watch(f"{defect.name}: {defect.code} {'named' if defect.code in errors else loud or 'MISSED'}")
    for name, target in legal.items():
        report = report_of(target, apart=apart, timeout=timeout)
        found.seconds[name] = report.seconds
        if loud := [str(finding) for finding in report.findings if finding.severity != "info"]:
            found.alarms[name] = loud
            watch(f"{name}: FALSE ALARM {loud}")
    return found
