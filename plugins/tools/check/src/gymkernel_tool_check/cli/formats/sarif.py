"""The SARIF 2.1.0 output format, which code hosts and editors can show next to the source code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from gymkernel_tool_check.cli.results import Results
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.records import Report

__all__ = ["render"]

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}


def render(results: Results) -> str:
    """Return a SARIF document. Expected findings are included as suppressed results."""
    rules = {code: rule for report in results.reports for code, rule in report.rules.items()}
    found = [_result(finding, report, None) for report in results.reports for finding in results.shown(report)]
    for report in results.reports:
        found += [
            _result(finding, report, reason) for reason, several in report.expected.values() for finding in several
        ]
    index = {code: i for i, code in enumerate(rules)}
    for result in found:
        result["ruleIndex"] = index[result["ruleId"]]
    driver = {"name": "gymkernel", "version": results.versions["kernel"], "rules": [*map(_rule, rules.values())]}
    failures = [f"{report.target}: {report.failure}" for report in results.reports if report.failure]
    notes = [{"level": "error", "message": {"text": text}} for text in failures]
    undecided = [
        f"{report.target} is not decided: {report.undecided}" for report in results.reports if report.undecided
    ]
    notes += [{"level": "warning", "message": {"text": text}} for text in undecided]
    invocation = {"executionSuccessful": not failures, "exitCode": results.status, "toolExecutionNotifications": notes}
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "originalUriBaseIds": {"SRCROOT": {"uri": Path.cwd().as_uri() + "/"}},
        "columnKind": "unicodeCodePoints",
        "results": found,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(rule: dict[str, str]) -> dict[str, Any]:
    return {
        "id": rule["code"],
        "shortDescription": {"text": rule["title"]},
        "fullDescription": {"text": rule["why"]},
        "help": {"text": f"{rule['why']} {rule['fix']}", "markdown": f"{rule['why']}\n\n{rule['fix']}"},
        "defaultConfiguration": {"level": LEVELS[rule["severity"]]},
        "properties": {"tags": [rule["family"]]},
    }


def _result(finding: Finding, report: Report, reason: str | None) -> dict[str, Any]:
    message = f"{report.target}: {finding.message}"
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "level": LEVELS[finding.severity],
        "message": {"text": message},
        "partialFingerprints": {"gymkernel/v1": f"{report.target}/{finding.code}/{finding.method}"},
        "properties": {"target": report.target, "reproducer": finding.reproducer},
    }
    if finding.file:
        found["locations"] = [{"physicalLocation": _place(Path(finding.file), finding.line or 1)}]
    if reason is not None:
        found["suppressions"] = [{"kind": "external", "justification": reason}]
    return found


def _place(path: Path, line: int) -> dict[str, Any]:
    artifact = {"uri": path.absolute().as_uri()}
    if path.is_relative_to(Path.cwd()):
        artifact = {"uri": path.relative_to(Path.cwd()).as_posix(), "uriBaseId": "SRCROOT"}
    return {"artifactLocation": artifact, "region": {"startLine": line}}
