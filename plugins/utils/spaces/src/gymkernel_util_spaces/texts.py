"""Convert values and exceptions of any class to text without ever raising an error.

An environment's exception, action or info may raise an error when it is converted to text. This must not prevent a
failure from being reported, because the user needs the report. In addition, a worker that steps other environments must
continue.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

__all__ = ["add_note", "error_text", "is_ctrl_c", "suppress_all", "text_of"]


def is_ctrl_c(exc: BaseException) -> bool:
    """Return whether an exception may come from the user's Ctrl-C, which only the user's program may handle.

    Args:
        exc: an exception raised by third-party code. In a process that ignores SIGINT, such as a worker, Ctrl-C never
            causes an exception.
    """
    return isinstance(exc, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@contextlib.contextmanager
def suppress_all() -> Iterator[None]:
    """Suppress every exception that third-party code raises, including `SystemExit`, except the user's Ctrl-C.

    >>> with suppress_all():
    ...     raise SystemExit
    """
    try:
        yield
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise


def text_of(value: Any, length: int = 200) -> str:
    """Return a value's repr, shortened to a readable length, or its class's name if the repr raises an error.

    Args:
        value: an object of any type.
        length: the maximum number of characters. A longer text is shortened, and dots are added.

    >>> text_of([1, 2]), text_of("x" * 10, 4)
    ('[1, 2]', "'xxx...")
    """
    with suppress_all():
        return _cut(repr(value), length)
    return f"a {_name(type(value))}"


def error_text(exc: BaseException | None, length: int = 100_000) -> str:
    """Return an exception's class and message, or only the class if the message is empty.

    Args:
        exc: an exception of any class, even one whose `__str__` raises an error.
        length: the maximum number of characters. A longer text is shortened, and dots are added.

    >>> error_text(ValueError("no such level")), error_text(KeyError())
    ('ValueError: no such level', 'KeyError')
    """
    name = _name(type(exc))
    with suppress_all():
        return _cut(f"{name}: {exc}".removesuffix(": "), length)
    return f"{name} (its message cannot be read)"


def add_note(exc: BaseException, note: str) -> None:
    """Add a note to an exception, unless its class prevents that, as a frozen dataclass does.

    Args:
        exc: an exception of any class.
        note: the sentence to add.
    """
    with suppress_all():
        exc.add_note(note)


def _cut(text: str, length: int) -> str:
    return text[:] if len(text) <= length else f"{text[:length]}..."


def _name(cls: type) -> str:
    with suppress_all():
        return str(cls.__qualname__).rpartition("<locals>.")[2]
    return "class without a name"
