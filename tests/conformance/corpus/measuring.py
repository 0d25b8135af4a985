"""Check the environments of the corpus."""

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
    """The findings of the checker for the corpus.

    Attributes:
        named: defects that the expected rule reports with the expected severity.
        otherwise: defects that are reported as errors, but only by other rules.
        missed: defects without any error.
        noisy: defects that the expected rule reports, with additional findings of other rules.
        alarms: legal environments with errors or warnings.
        seconds: the duration of each check.
    """

    named: list[str] = field(default_factory=list)
    otherwise: dict[str, list[str]] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    noisy: dict[str, list[str]] = field(default_factory=dict)
    alarms: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def detected(self) -> float:
        """The fraction of the defects for which an error is reported."""
        return 1 - len(self.missed) / max(1, self.total)

    @property
    def total(self) -> int:
        return len(self.named) + len(self.otherwise) + len(self.missed)


def report_of(target: Any, *, apart: bool = False, timeout: float = 3.0) -> Report:
    """Check a class, in this process or by its name in other processes, or another kind of target."""
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
    """Check all environments and sort the results.

    Args:
        defects: the defects that the checker should find.
        legal: the environments in which the checker should find nothing.
        watch: called with a line of text for each defect.
        apart: whether to check every environment in its own processes, even if the defect does not need them.
        timeout: the seconds that a call may take in another process.
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
