"""Runs a policy in an environment for some episodes: returns, lengths, plots and videos.

`gymkernel rollout` is this package's command; `rollout` does the work, public as `gymkernel.utils.rollout.rollout`.
Everything here loads at its first use: the command line imports this package to show the command's help.
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
