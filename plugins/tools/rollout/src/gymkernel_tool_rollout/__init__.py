"""Run a policy for a number of episodes, and report returns and lengths, with plots and videos.

The command `gymkernel rollout` calls the function `rollout`, whose public path is `gymkernel.utils.rollout.rollout`.
Each name in this package is imported when it is first used, because the command line imports the package even if it
only shows the help text.
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
