"""Functions that report violations of the API, with the code of the violated rule of `gymkernel check`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gymkernel import logger

__all__ = ["Listener", "listeners", "note_error", "warn"]

Listener = Callable[[str, str, Any], None]
"""A function that receives the code of a finding, such as "GK312", the message, and the environment."""

listeners: list[Listener] = []
"""The functions that are called with every finding. Python's warning filters do not affect these calls."""


def warn(code: str, message: str, env: Any) -> None:
    """Issue a warning about a violation that need not stop the program, and call the listeners.

    Args:
        code: the code of the rule that the environment violates.
        message: the text of the warning.
        env: the environment.
    """
    _notify(code, message, env)
    logger.warn(message, stacklevel=2)


def note_error(code: str, error: Exception, env: Any) -> Exception:
    """Call the listeners with an error that is about to be raised, and return the error.

    Args:
        code: the code of the rule that the environment violates.
        error: the exception.
        env: the environment.
    """
    _notify(code, str(error), env)
    return error


def _notify(code: str, message: str, env: Any) -> None:
    for listener in listeners:
        listener(code, message, env)
