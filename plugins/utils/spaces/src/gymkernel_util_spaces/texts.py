"""Functions that convert values and exceptions of any class to text without raising an exception.

The conversion of an environment's exception, action or info to text may itself raise an exception. This must not
prevent an error report, because the user needs the report, and because a worker must continue to step its other
environments.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

__all__ = ["add_note", "error_text", "is_ctrl_c", "suppress_all", "text_of"]


def is_ctrl_c(exc: BaseException) -> bool:
    """Return whether an exception may be the result of Ctrl-C, in which case only the user's program may catch it.

    Args:
        exc: an exception from third-party code. In a process that ignores SIGINT, such as a worker, Ctrl-C never raises
            an exception.
    """
    return isinstance(exc, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@contextlib.contextmanager
def suppress_all() -> Iterator[None]:
    """Suppress all exceptions from third-party code, including `SystemExit`, but not the user's Ctrl-C.

    >>> with suppress_all():
    ...     raise SystemExit
    """
    try:
        yield
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise


def text_of(value: Any, length: int = 200) -> str:
    """Return the repr of a value, truncated to a readable length. If the repr fails, return the name of the class.

    Args:
        value: an object of any type.
        length: the maximum number of characters. If the text is longer, it is truncated, and three dots are added.

    >>> text_of([1, 2]), text_of("x" * 10, 4)
    ('[1, 2]', "'xxx...")
    """
    with suppress_all():
        return _cut(repr(value), length)
    return f"a {_name(type(value))}"


def error_text(exc: BaseException | None, length: int = 100_000) -> str:
    """Return the class and the message of an exception, or only the class if the message is empty.

    Args:
        exc: an exception of any class. Its `__str__` method may raise an exception.
        length: the maximum number of characters. If the text is longer, it is truncated, and three dots are added.

    >>> error_text(ValueError("no such level")), error_text(KeyError())
    ('ValueError: no such level', 'KeyError')
    """
    name = _name(type(exc))
    with suppress_all():
        return _cut(f"{name}: {exc}".removesuffix(": "), length)
    return f"{name} (its message cannot be read)"


def add_note(exc: BaseException, note: str) -> None:
    """Add a note to an exception. If its class does not allow notes (for example a frozen dataclass), do nothing.

    Args:
        exc: an exception of any class.
        note: the text of the note.
    """
    with suppress_all():
        exc.add_note(note)


def _cut(text: str, length: int) -> str:
    return text[:] if len(text) <= length else f"{text[:length]}..."


def _name(cls: type) -> str:
    with suppress_all():
        return str(cls.__qualname__).rpartition("<locals>.")[2]
    return "class without a name"
