"""The compliance checks behind `gymkernel check`: rules with codes, probes that they share, and reports.

>>> from gymkernel.checks import check
>>> from gymkernel import Env
>>> report = check(Env)
>>> [finding.code for finding in report.findings][:2]
['GK101', 'GK203']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymkernel_tool_check.catalogue import rules
    from gymkernel_tool_check.checking import check
    from gymkernel_tool_check.definition import Fault, Probe, Rule, Skip, probe, rule
    from gymkernel_tool_check.findings import Finding
    from gymkernel_tool_check.records import CheckFailed, Report
    from gymkernel_tool_check.subject import Subject

_HOME = {
    "CheckFailed": "records",
    "Fault": "definition",
    "Finding": "findings",
    "Probe": "definition",
    "Report": "records",
    "Rule": "definition",
    "Skip": "definition",
    "Subject": "subject",
    "check": "checking",
    "probe": "definition",
    "rule": "definition",
    "rules": "catalogue",
}

__all__ = ["CheckFailed", "Fault", "Finding", "Probe", "Report", "Rule", "Skip", "Subject", "check", "probe", "rule"]
__all__ += ["rules"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found  # a submodule of the same name would stand in the way otherwise
    return found
