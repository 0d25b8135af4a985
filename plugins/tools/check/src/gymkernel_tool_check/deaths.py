"""The finding of a process that ended before its time; here, where whoever watches it need not import NumPy."""

from __future__ import annotations

from gymkernel_tool_check.definition import Moment
from gymkernel_tool_check.findings import Finding

__all__ = ["death"]


def death(moment: Moment, message: str, place: tuple[str, int] | None, recipe: str) -> Finding:
    """The finding of a process that ended before its time."""
    file, line = place or (None, None)
    program = f"{recipe}\n{moment.show}".rstrip() if recipe else ""
    when = moment.seed, moment.episode, moment.step
    return Finding("GK003", "error", f"{message}{moment}", file, line, moment.phase, *when, reproducer=program)
