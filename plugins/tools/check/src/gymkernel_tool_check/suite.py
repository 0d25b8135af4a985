"""`Suite`, which turns the rules for several targets into pytest tests for `gymkernel.testing`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gymkernel_tool_check import catalogue, engine, loading, project, targets
from gymkernel_tool_check.checking import check
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.records import Report

__all__ = ["Case", "Suite"]

CHOOSING: Final = ("select", "ignore", "compat", "make_kwargs")
"""The options that determine which rules are checked."""


@dataclass(frozen=True, slots=True, repr=False)
class Case:
    """A pytest test of one rule for one target. When the case is called, the test passes, fails or is skipped.

    Attributes:
        suite: the suite that contains the case and stores the reports.
        number: the index of the target in the suite.
        target: the name of the target.
        code: the code of the rule, or "" for the test that checks that every expected failure has occurred.
    """

    suite: Suite
    number: int
    target: str
    code: str

    @property
    def name(self) -> str:
        """The id of the test, as shown by pytest."""
        return f"{self.target}-{self.code}" if self.code else "expected-failures"

    @property
    def rule(self) -> dict[str, str]:
        """A description of the rule, with its title, severity, why, fix and more."""
        return self.suite.report(self.number).rules.get(self.code, {})

    @property
    def findings(self) -> list[Finding]:
        """The findings of this rule. When they are first read, the target is checked, which may take a while."""
        return self.suite.findings(self.number, self.code)

    def __call__(self) -> None:
        """Return if the rule passes. Otherwise, fail, skip or xfail the test."""
        import pytest

        if not self.code:
            if unused := self.suite.unused():
                pytest.fail(f"expected to fail, but passed: {', '.join(unused)}; remove them", pytrace=False)
            return
        report, findings = self.suite.report(self.number), self.findings
        if report.failure:
            pytest.fail(report.failure, pytrace=False)
        if self.code in report.expected:
            reason, several = report.expected[self.code]
            pytest.xfail(f"{reason} ({several[0].message})")
        if findings and (reason := self.suite.expected[self.number].get(self.code, "")):
            pytest.xfail(f"{reason} ({findings[0].message})")
        if findings:
            pytest.fail("\n\n".join(map(report.explain, findings)), pytrace=False)
        if reason := report.skipped.get(self.code) or report.undecided:
            pytest.skip(reason if self.code in report.skipped else f"undecided: {reason}")

    def __repr__(self) -> str:
        return self.name


class Suite:
    """A set of targets and their rules. Each target is checked when its report is first used.

    Args:
        wanted: the targets to check. Each is an object, or a name as accepted by `gymkernel check`.
        expected: the rules that are known to be broken, as a dictionary from codes to reasons.
        severity: the lowest severity that counts as a failure, or None to use the setting of the target's project,
            whose default is "error".
        options: keyword arguments for `gymkernel.checks.check`, which override the settings of the target's project.
    """

    def __init__(
        self, wanted: Sequence[Any], expected: Mapping[str, str], severity: str | None, options: dict[str, Any]
    ) -> None:
        several = [targets.expand(thing) if isinstance(thing, str) else [thing] for thing in wanted]
        self.targets = [target for found in several for target in found]
        self.severity, self.options = severity, options
        asked = {code.upper(): reason for code, reason in expected.items()}
        self.projects = [
            project.project_of(target) if isinstance(target, targets.Target) else project.Project()
            for target in self.targets
        ]
        self.expected = [{**own.expected_failures, **asked} for own in self.projects]
        self._reports: dict[int, Report] = {}
        codes = (*asked, *options.get("select", ()), *options.get("ignore", ()))
        catalogue.chosen((), Options(codes))  # raises an exception if a code is unknown

    def cases(self) -> Iterator[Case]:
        """Yield a case for each rule and each target, and one more case for the expected failures."""
        for number, target in enumerate(self.targets):
            name, codes = self._plan(number, target)
            yield from (Case(self, number, name, code) for code in codes)
        if any(self.expected):
            yield Case(self, -1, "", "")

    def _plan(self, number: int, target: Any) -> tuple[str, list[str]]:
        given = {name: value for name, value in self._asked(number).items() if name in CHOOSING}
        options = Options.of(self.options.get("profile", "default"), **given)
        if isinstance(target, targets.Target) and target.origin not in {"object", "file"}:
            name, kind, is_plugin = target.text, target.kind, bool(target.distribution)
        else:  # the kind of an object is not known until it has been examined
            subject = loading.load(target, options)
            name, kind, is_plugin = subject.name, subject.kind, subject.plugin is not None
        return name, [rule.code for rule in engine.plan(kind, options, of_plugin=is_plugin)]

    def _asked(self, number: int) -> dict[str, Any]:
        """Return the options for a target. The suite's own options override the project's settings."""
        names = ("select", "ignore", "make_kwargs", "single_instance", "nondeterministic", "compat")
        own = {name: getattr(self.projects[number], name) for name in names}
        return {**own, "measure": False, **self.options}

    def report(self, number: int) -> Report:
        """Return the report on a target. The target is checked when this method is first called."""
        if number not in self._reports:
            self._reports[number] = check(self.targets[number], **self._asked(number))
        return self._reports[number]

    def findings(self, number: int, code: str) -> list[Finding]:
        """Return the findings that a rule has for a target."""
        severity = self.severity or self.projects[number].severity or "error"
        return [finding for finding in self.report(number).at_least(severity) if finding.code == code]

    def unused(self) -> list[str]:
        """Return the codes of the expected failures that did not occur in any target."""
        pairs = [(number, code) for number, expected in enumerate(self.expected) for code in expected]
        return sorted({code for _, code in pairs} - {code for number, code in pairs if self.findings(number, code)})
