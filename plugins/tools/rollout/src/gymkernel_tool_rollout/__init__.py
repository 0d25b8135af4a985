"""The command `gymkernel rollout`, which runs a policy for a number of episodes and reports returns and lengths.

The command calls the function `rollout`, whose public path is `gymkernel.utils.rollout.rollout`. The command line
imports this package whenever it shows a help text, so each name of the package is imported only when it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gymkernel_tool_rollout.records import Episode, Report, Summary
    from gymkernel_tool_rollout.rolling import rollout

__all__ = ["Episode", "Report", "Summary", "rollout"]

_HOME: Final = {"Episode": "records", "Report": "records", "Summary": "records", "rollout": "rolling"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
