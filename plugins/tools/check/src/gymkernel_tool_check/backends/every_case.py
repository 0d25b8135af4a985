"""The list of all test cases for vector backends, for the rules of `gymkernel check` and for the pytest kit.

The test cases check that environments return the same results in every backend, for every space and in every autoreset
mode. Each imported module adds its own cases to the list.
"""

from __future__ import annotations

from typing import Final

from gymkernel_tool_check.backends import calls, observations, rule_cases
from gymkernel_tool_check.backends.cases import CASES, BackendCase

__all__ = ["EVERY_CASE", "calls", "observations", "rule_cases"]

EVERY_CASE: Final[tuple[BackendCase, ...]] = tuple(CASES)
