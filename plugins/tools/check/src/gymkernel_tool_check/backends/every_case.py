"""`EVERY_CASE`, the list of all cases, which the rules of `gymkernel check` and the pytest kit share.

The contract is that the same environments return the same results in every backend, for every space and in every
autoreset mode. Importing a module of this package adds its cases to the list.
"""

from __future__ import annotations

from typing import Final

from gymkernel_tool_check.backends import actions, members, observations, resets, rule_cases, some_envs
from gymkernel_tool_check.backends.cases import CASES, BackendCase

__all__ = ["EVERY_CASE", "actions", "members", "observations", "resets", "rule_cases", "some_envs"]

EVERY_CASE: Final[tuple[BackendCase, ...]] = tuple(CASES)
