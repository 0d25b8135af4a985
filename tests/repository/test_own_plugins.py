"""Tests that this repository's plugins satisfy the rules about vector wrappers, distributions, commands and hooks."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel import plugins
from gymkernel.checks import check
from gymkernel_tool_check import installed
from gymkernel_tool_check.checking import run
from gymkernel_tool_check.engine import Execution
from gymkernel_tool_check.loading import load
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.records import Collector, Report
from gymkernel_tool_check.rules import publishing
from gymkernel_tool_check.targets import everything

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.targets import Target

SINGLE_FORMS_ELSEWHERE = {
    "DictInfoToList",
    "VectorListInfo",
    "VectorizeTransformAction",
    "VectorizeTransformObservation",
    "VectorizeTransformReward",
}
"""Vector wrappers that do something else than the single-environment wrapper with the same name."""
POOLED = {"NormalizeObservation", "NormalizeReward"}
"""Vector wrappers that keep one statistic for all environments."""
OWN = [item for item in plugins.plugins() if item.distribution.startswith("gymkernel-")]
FORMS = [pytest.param(item, id=item.name) for item in OWN if item.kind == "vector_wrappers"]
TARGETS = [
    pytest.param(item, id=item.text)
    for item in everything()
    if item.distribution.startswith("gymkernel") and item.kind in {"distributions", "commands", "hooks"}
]
IMPORTING = ("GK917", "GK923", "GK924", "GK927")
"""Rules that start new interpreters."""


@pytest.mark.slow
@pytest.mark.parametrize("plugin", FORMS)
def test_vector_forms_equal_single_wrappers(plugin: plugins.Plugin) -> None:
    report = check(plugin.load(), select=["GK676"])

    assert not report.findings, "\n".join(map(str, report.findings))
    assert ("GK676" in report.skipped) == (plugin.name in SINGLE_FORMS_ELSEWHERE)
    assert ("GK676" in report.expected) == (plugin.name in POOLED)


@pytest.fixture(scope="module", autouse=True)
def _each_address_is_read_once() -> Iterator[None]:
    """Read the address of each distribution's repository once, not once per distribution that is checked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(installed, "distribution", functools.cache(installed.distribution))
        patch.setattr(publishing, "_repository", functools.cache(publishing._repository))
        yield


def looked_at(target: Target, **options: Any) -> Report:
    """Run `gymkernel check` in this process, and return the report."""
    report, chosen = Report(target.text), Options.of("default", **options)
    collector = Collector(report)
    run(Execution(load(target, chosen), collector.feed), chosen, collector)
    return report


@pytest.mark.parametrize("target", TARGETS)
def test_our_distributions_have_no_findings(target: Target) -> None:
    report = looked_at(target, select=("GK91", "GK92"), ignore=IMPORTING)

    assert not report.findings, "\n".join(map(str, report.findings))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_importing_our_plugins_is_silent_and_does_not_seed(target: Target) -> None:
    report = looked_at(target, select=IMPORTING[1:])

    assert not report.findings, "\n".join(map(str, report.findings))
