"""Functions that report problems to the user as Python warnings."""

import sys
import warnings

from gymkernel.utils.colorize import colorize

__all__ = ["ERROR", "WARN", "deprecation", "error", "min_level", "warn"]

WARN = 30
ERROR = 40
min_level = WARN
"""The lowest level of messages that are shown. Set it to `ERROR` to hide warnings."""


def _emit(level: int, label: str, color: str, text: str, category: type[Warning] | None, stacklevel: int) -> None:
    if min_level <= level:
        line = f"{label}: {text}"
        warnings.warn(colorize(line, color) if sys.stderr.isatty() else line, category, stacklevel=stacklevel + 2)


def warn(msg: str, *args: object, category: type[Warning] | None = None, stacklevel: int = 1) -> None:
    """Issue a warning.

    Args:
        msg: a description of the problem and how to fix it, which may contain placeholders such as `%s`.
        *args: the values for the placeholders.
        category: the class of the warning, or None for `UserWarning`.
        stacklevel: the line that the warning points to: 1 for the call of this function, 2 for the call of the function
            that called it, and so on.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     warn("%s is unusual", "a reward of 10^9")
    >>> str(seen[0].message)
    'WARN: a reward of 10^9 is unusual'
    """
    _emit(WARN, "WARN", "yellow", msg % args if args else msg, category, stacklevel)


def deprecation(msg: str, *args: object, stacklevel: int = 1) -> None:
    """Issue a `DeprecationWarning`.

    Args:
        msg: a text that says what is deprecated and what to use instead. It may contain placeholders such as `%s`.
        *args: the values for the placeholders.
        stacklevel: the line that the warning points to: 1 for the call of this function, 2 for the call of the function
            that called it, and so on.
    """
    warn(msg, *args, category=DeprecationWarning, stacklevel=stacklevel + 1)


def error(msg: str, *args: object) -> None:
    """Report an error that does not stop the program.

    Args:
        msg: a description of the failure, which may contain placeholders such as `%s`.
        *args: the values for the placeholders.
    """
    _emit(ERROR, "ERROR", "red", msg % args if args else msg, None, 1)
