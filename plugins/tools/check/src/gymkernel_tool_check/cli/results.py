"""`Results`, which holds the reports of one `gymkernel check` command for all output formats."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from gymkernel import plugins
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.records import SCHEMA, Report
from gymkernel_util_spaces.texts import error_text

__all__ = ["Results", "read_old", "relative"]


@dataclass(slots=True)
class Results:
    """The reports of one `gymkernel check` command.

    Attributes:
        reports: the reports, one for each target.
        severity: the lowest severity of findings to show.
        threshold: the lowest severity of findings that count as failures.
    """

    reports: list[Report] = field(default_factory=list)
    severity: str = "warning"
    threshold: str = "error"

    @property
    def status(self) -> int:
        """The exit status of the command.

        The status is 2 if a target could not be checked; otherwise 1 if a target has findings; otherwise 3 if rules
        raised exceptions; otherwise 4 if too little was tested for a verdict; otherwise 0.
        """
        if any(report.failure for report in self.reports):
            return 2
        if any(finding.code != "GK005" for report in self.reports for finding in report.at_least(self.threshold)):
            return 1
        if any(report.checker_failures for report in self.reports):
            return 3
        return 4 if any(report.undecided for report in self.reports) else 0

    def shown(self, report: Report) -> list[Finding]:
        """Return the findings to show: those that are severe enough, and those about failures of the checker itself."""
        several = report.at_least(self.severity)
        return [*several, *(failure for failure in report.checker_failures if failure not in several)]

    @property
    def versions(self) -> dict[str, str]:
        """The versions of gymkernel and Python."""
        return {"kernel": plugins.kernel_version(), "python": ".".join(map(str, sys.version_info[:3]))}

    def as_dict(self) -> dict[str, Any]:
        """Return the results as plain data, with the structure that `--format json` prints."""
        head = {"schema": SCHEMA, **self.versions, "exit_status": self.status}
        return {**head, "targets": [report.as_dict() for report in self.reports]}


def read_old(path: str) -> dict[str, set[tuple[str, str]]]:
    """Return the (code, method) pairs of the findings in an earlier JSON report, keyed by target.

    Raises:
        click.UsageError: if the file is not a JSON report of `gymkernel check`.
    """
    found: dict[str, set[tuple[str, str]]] = {}
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        for target in data["targets"]:
            several = [*target["findings"], *(finding for each in target["expected"] for finding in each["findings"])]
            found[target["target"]] = {(finding["code"], finding["method"]) for finding in several}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise click.UsageError(
            f"{path} is not a report of `gymkernel check --format json` ({error_text(exc)})"
        ) from exc
    return found


def relative(file: str) -> str:
    """Return a file's path with forward slashes, relative to the current folder if the file is inside it."""
    path = Path(file)
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else path.as_posix()
