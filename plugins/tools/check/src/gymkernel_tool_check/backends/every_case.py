"""The list of all test cases for vector backends, for the rules of `gymkernel check` and for the pytest kit.

The test cases check that environments return the same results in every backend, for every space and in every autoreset
mode. Each imported module adds its own cases to the list.
"""

from __future__ import annotations

from typing import Final

from gymkernel_tool_check.backends import calls, observations, rule_cases
from gymkernel_tool_check.backends.cases import CASES, BackendCase

__all__ = ["EVERY_CASE", "calls", "observations", "rule_cases"]

# The order of the list depends on which module was imported first, but the order of the tests must not.
EVERY_CASE: Final[tuple[BackendCase, ...]] = tuple(
    item
    for module in (calls, observations, rule_cases)
    for item in CASES
    if item.function.__module__ == module.__name__
)
