"""Messages to the user, as Python warnings: `-W error`, `warnings.catch_warnings` and pytest all see them."""

import sys
import warnings

from gymkernel.utils.colorize import colorize

__all__ = ["ERROR", "WARN", "deprecation", "error", "min_level", "warn"]

WARN = 30
ERROR = 40
min_level = WARN
"""Messages below this level are dropped: set it to `ERROR` to silence warnings."""


def _emit(level: int, label: str, color: str, text: str, category: type[Warning] | None, stacklevel: int) -> None:
    if min_level <= level:
        line = f"{label}: {text}"
        warnings.warn(colorize(line, color) if sys.stderr.isatty() else line, category, stacklevel=stacklevel + 2)


def warn(msg: str, *args: object, category: type[Warning] | None = None, stacklevel: int = 1) -> None:
    """Warn with `msg % args`; `stacklevel` 1 is the caller's line.

    Args:
        msg: what is unusual, and what mends it; %-formatted where there are `args`.
        *args: what goes into the places of `msg`.
        category: the class of the warning; None for a `UserWarning`.
        stacklevel: which caller's line is shown: 1 for the one that calls this function, 2 for its caller.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     warn("%s is unusual", "a reward of 10^9")
    >>> str(seen[0].message)
    'WARN: a reward of 10^9 is unusual'
    """
    _emit(WARN, "WARN", "yellow", msg % args if args else msg, category, stacklevel)


def deprecation(msg: str, *args: object, stacklevel: int = 1) -> None:
    """Warn that something goes away, as a `DeprecationWarning`.

    Args:
        msg: what goes away, and what to write instead; %-formatted where there are `args`.
        *args: what goes into the places of `msg`.
        stacklevel: which caller's line is shown: 1 for the one that calls this function, 2 for its caller.
    """
    warn(msg, *args, category=DeprecationWarning, stacklevel=stacklevel + 1)


def error(msg: str, *args: object) -> None:
    """Report an error that does not stop the program.

    Args:
        msg: what failed; %-formatted where there are `args`.
        *args: what goes into the places of `msg`.
    """
    _emit(ERROR, "ERROR", "red", msg % args if args else msg, None, 1)
