"""The output format for GitHub Actions, which shows findings as annotations next to the source code."""

from __future__ import annotations

from typing import Final

from gymkernel_tool_check.cli.results import Results, relative
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.records import Report

__all__ = ["render"]

COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def render(results: Results) -> str:
    """Return a workflow command for each finding, and for each target that could not be judged."""
    lines = []
    for report in results.reports:
        undecided = report.undecided and f"undecided: {report.undecided}"
        for command, text in (("error", report.failure), ("warning", undecided)):
            if text:
                lines.append(f"::{command} title={_property(f'gymkernel {report.target}')}::{_data(text)}")
        lines += [_annotation(finding, report) for finding in results.shown(report)]
    return "\n".join(lines)


def _annotation(finding: Finding, report: Report) -> str:
    rule = report.rules.get(finding.code, {})
    properties = {"title": f"gymkernel {finding.code} {rule.get('title', '')}".strip()}
    if finding.file:
        properties = {"file": relative(finding.file), "line": str(finding.line), **properties}
    text = f"{report.target}: {finding.message}\n{rule.get('why', '')}\n{rule.get('fix', '')}".strip()
    named = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{COMMANDS[finding.severity]} {named}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
