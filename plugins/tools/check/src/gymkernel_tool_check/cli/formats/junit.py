"""The JUnit XML output format, in which each target is a test suite and each rule is a test case."""

from __future__ import annotations

import re
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gymkernel.cli.terminal import LINES
from gymkernel.utils.printable import printable
from gymkernel_tool_check.cli.results import Results
from gymkernel_tool_check.findings import at_least
from gymkernel_tool_check.records import Report

__all__ = ["render"]

NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(results: Results) -> str:
    """Return the results as XML. Findings below the threshold appear in the output of a test case that passes."""
    root = Element("testsuites", name="gymkernel check")
    for report in results.reports:
        _add_suite(root, report, results)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode")


def _add_suite(root: Element, report: Report, results: Results) -> None:
    suite = SubElement(root, "testsuite", name=_text(report.target), time=f"{report.seconds:.3f}")
    for name, reason in (("it can be checked", report.failure), ("enough was tried to decide", report.undecided)):
        if reason:
            case = SubElement(suite, "testcase", classname=_text(report.target), name=name)
            SubElement(case, "error", message=_text(reason))
    for code, rule in report.rules.items():
        case = SubElement(suite, "testcase", classname=_text(report.target), name=f"{code} {rule['title']}")
        _fill(case, code, report, results)
    for key, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(sum(1 for _ in suite.iter(tag))))


def _fill(case: Element, code: str, report: Report, results: Results) -> None:
    findings = [finding for finding in report.findings if finding.code == code]
    if bad := [finding for finding in findings if at_least(finding.severity, results.threshold)]:
        failure = SubElement(case, "failure", message=_text(bad[0].message), type=bad[0].severity)
        failure.text = _text("\n\n".join(map(report.explain, bad)))
    elif findings:
        SubElement(case, "system-out").text = _text("\n\n".join(map(report.explain, findings)))
    elif code in report.expected:
        SubElement(case, "skipped", message=_text(f"expected to be broken: {report.expected[code][0]}"))
    elif code in report.skipped:
        SubElement(case, "skipped", message=_text(report.skipped[code]))


def _text(text: str) -> str:
    """Return the text with each character that XML does not allow replaced."""
    return NOT_XML.sub("?", printable(text, LINES))
