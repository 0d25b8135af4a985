"""`Finding`, which describes a defect, and `at_least`, which compares severities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gymkernel_tool_check.definition import Moment

__all__ = ["SEVERITIES", "Finding", "at_least", "death"]

SEVERITIES: Final = ("info", "warning", "error")


def at_least(severity: str, threshold: str) -> bool:
    """Return whether a severity is at least as high as the threshold.

    >>> at_least("warning", "error"), at_least("warning", "info")
    (False, True)
    """
    return SEVERITIES.index(severity) >= SEVERITIES.index(threshold)


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect of the target that a rule found.

    Attributes:
        code: the code of the rule, such as "GK401".
        severity: "error", "warning" or "info".
        message: a sentence that says what was expected, what was observed instead, and at which point of the episode.
        file, line: the source location of the method at fault, or None if it is unknown.
        method: the name of the method at fault, or "" if the finding is not about a method.
        seed, episode, step: when the defect was observed. Step 0 is the reset, and step 1 is the first step of the
            episode.
        reproducer: a short Python program that reproduces the defect.
        unshown: what the reproducer did instead of showing the defect, or "" if it showed the defect or was not run.
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
        """The source location of the method at fault as `file:line`, or "" if it is unknown."""
        return "" if self.file is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return f"{self.code} {self.severity}: {self.message}"


def death(moment: Moment, message: str, place: tuple[str, int] | None, recipe: str) -> Finding:
    """Return the finding for a target that hung or ended its process.

    Args:
        moment: the call that was in progress.
        message: a sentence that says what happened to the process.
        place: the (file, line) that the call had reached, or None if it is unknown.
        recipe: the code that creates the target in the reproducer, or "" for no reproducer.
    """
    file, line = place or (None, None)
    program = f"{recipe}\n{moment.show}".rstrip() if recipe else ""
    when = moment.seed, moment.episode, moment.step
    return Finding("GK003", "error", f"{message}{moment}", file, line, moment.phase, *when, reproducer=program)
