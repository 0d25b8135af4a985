"""`Finding`, a single defect, and the order of severities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gymkernel_tool_check.definition import Moment

__all__ = ["SEVERITIES", "Finding", "at_least", "death"]

SEVERITIES: Final = ("info", "warning", "error")


def at_least(severity: str, threshold: str) -> bool:
    """Return whether a severity reaches a threshold.

    >>> at_least("warning", "error"), at_least("warning", "info")
    (False, True)
    """
    return SEVERITIES.index(severity) >= SEVERITIES.index(threshold)


@dataclass(frozen=True, slots=True)
class Finding:
    """A single defect.

    Attributes:
        code: the rule, such as "GK401".
        severity: "error", "warning" or "info".
        message: a sentence with what was expected and what was seen, and where in the episode.
        file, line: the method at fault, if its source is known.
        method: the name of this method.
        seed, episode, step: when the defect was seen; step 0 is the reset, and step 1 is the first step of its episode.
        reproducer: a few lines of Python that show the defect.
        unshown: what these lines did instead when they ran; empty if they showed the defect or did not run.
    """

    code: str
    severity: str
    message: str
    file: str | None = None
    line: int | None = None
    method: str = ""
    seed: int | None = None
    episode: int | None = None
    step: int | None = None
    reproducer: str = ""
    unshown: str = ""

    @property
    def place(self) -> str:
        """The place as `file:line`, or "" if it is unknown."""
        return "" if self.file is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return f"{self.code} {self.severity}: {self.message}"


def death(moment: Moment, message: str, place: tuple[str, int] | None, recipe: str) -> Finding:
    """Return the finding for a process that ended early."""
    file, line = place or (None, None)
    program = f"{recipe}\n{moment.show}".rstrip() if recipe else ""
    when = moment.seed, moment.episode, moment.step
    return Finding("GK003", "error", f"{message}{moment}", file, line, moment.phase, *when, reproducer=program)
