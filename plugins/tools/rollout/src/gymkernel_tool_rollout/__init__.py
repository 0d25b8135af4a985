"""The command `gymkernel rollout`, which runs a policy for a number of episodes and reports returns and lengths.

The command calls the function `rollout`, whose public path is `gymkernel.utils.rollout.rollout`. The command line
imports this package whenever it shows a help text, so each name of the package is imported only when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_tool_rollout.records import Episode, Report, Summary
    from gymkernel_tool_rollout.rolling import rollout

__all__ = ["Episode", "Report", "Summary", "rollout"]

__getattr__ = lazy_names(__name__, records=("Episode", "Report", "Summary"), rolling=("rollout",))
