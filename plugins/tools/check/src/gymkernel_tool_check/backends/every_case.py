"""`EVERY_CASE`: the cases of all modules; the import of a module adds its cases.

The same environments return the same through every backend, for every space, in every autoreset mode.
"""

from __future__ import annotations

from typing import Final

from gymkernel_tool_check.backends import actions, members, observations, resets, some_envs
from gymkernel_tool_check.backends.cases import CASES, BackendCase

__all__ = ["EVERY_CASE", "actions", "members", "observations", "resets", "some_envs"]

EVERY_CASE: Final[tuple[BackendCase, ...]] = tuple(CASES)
