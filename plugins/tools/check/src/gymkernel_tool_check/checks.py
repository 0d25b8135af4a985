"""The Python API of `gymkernel check`: the function `check`, and the classes for rules, probes and reports.

>>> from gymkernel.checks import check
>>> from gymkernel import Env
>>> report = check(Env)
>>> [finding.code for finding in report.findings][:2]
['GK101', 'GK203']
"""

from __future__ import annotations

from gymkernel_tool_check.catalogue import rules
from gymkernel_tool_check.checking import check
from gymkernel_tool_check.definition import Fault, Probe, Rule, Skip, probe, rule
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.records import CheckFailed, Report
from gymkernel_tool_check.subject import Subject

__all__ = ["CheckFailed", "Fault", "Finding", "Probe", "Report", "Rule", "Skip", "Subject", "check", "probe", "rule"]
__all__ += ["rules"]
