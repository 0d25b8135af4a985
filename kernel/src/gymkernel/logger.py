"""Messages to the user as Python warnings, so `-W error`, `warnings.catch_warnings` and pytest can handle them."""

import sys
import warnings

from gymkernel.utils.colorize import colorize

__all__ = ["ERROR", "WARN", "deprecation", "error", "min_level", "warn"]

WARN = 30
ERROR = 40
min_level = WARN
"""The lowest level at which messages are shown. Set `min_level` to `ERROR` to silence warnings."""


def _emit(level: int, label: str, color: str, text: str, category: type[Warning] | None, stacklevel: int) -> None:
    if min_level <= level:
        line = f"{label}: {text}"
        warnings.warn(colorize(line, color) if sys.stderr.isatty() else line, category, stacklevel=stacklevel + 2)


def warn(msg: str, *args: object, category: type[Warning] | None = None, stacklevel: int = 1) -> None:
    """Issue a warning with the text `msg % args`.

    Args:
        msg: the text, which says what is unusual and how to fix it; %-formatted if there are `args`.
        *args: the values for the placeholders in `msg`.
        category: the class of the warning; None for a `UserWarning`.
        stacklevel: which line the warning names: 1 for the line that calls this function, 2 for the caller's caller.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     warn("%s is unusual", "a reward of 10^9")
    >>> str(seen[0].message)
    'WARN: a reward of 10^9 is unusual'
    """
    _emit(WARN, "WARN", "yellow", msg % args if args else msg, category, stacklevel)


def deprecation(msg: str, *args: object, stacklevel: int = 1) -> None:
    """Issue a `DeprecationWarning` with the text `msg % args`.

    Args:
        msg: the text, which says what is deprecated and what to use instead; %-formatted if there are `args`.
        *args: the values for the placeholders in `msg`.
        stacklevel: which line the warning names: 1 for the line that calls this function, 2 for the caller's caller.
    """
    warn(msg, *args, category=DeprecationWarning, stacklevel=stacklevel + 1)


def error(msg: str, *args: object) -> None:
    """Report an error that does not stop the program.

    Args:
        msg: the text, which says what failed; %-formatted if there are `args`.
        *args: the values for the placeholders in `msg`.
    """
    _emit(ERROR, "ERROR", "red", msg % args if args else msg, None, 1)
