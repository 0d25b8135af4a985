"""The text of values and exceptions of foreign classes: these functions never raise, whatever such a class does.

An environment's exception may raise when it is asked for its text, and so may an action or an info. The report of a
failure must not fail for that: the user needs the report, and a worker that steps other environments has to go on.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

__all__ = ["add_note", "error_text", "is_ctrl_c", "suppress_all", "text_of"]


def is_ctrl_c(exc: BaseException) -> bool:
    """Whether an exception may be the user's Ctrl-C, which no one but the user's program may catch.

    Args:
        exc: that was raised while foreign code ran. A process that ignores SIGINT, as workers do, has no Ctrl-C.
    """
    return isinstance(exc, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@contextlib.contextmanager
def suppress_all() -> Iterator[None]:
    """Suppress whatever foreign code raises, `SystemExit` and the like too, but for the user's Ctrl-C.

    >>> with suppress_all():
    ...     raise SystemExit
    """
    try:
        yield
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise


def text_of(value: Any, length: int = 200) -> str:
    """Return the repr of a value, cut to a readable length; a value whose repr raises is named by its class.

    Args:
        value: of any type.
        length: in characters, to which dots are added where the text is cut.

    >>> text_of([1, 2]), text_of("x" * 10, 4)
    ('[1, 2]', "'xxx...")
    """
    with suppress_all():
        return _cut(repr(value), length)
    return f"a {_name(type(value))}"


def error_text(exc: BaseException | None, length: int = 100_000) -> str:
    """Return the class and the message of an exception; the class alone where there is no message.

    Args:
        exc: of any class, also of one whose `__str__` raises.
        length: in characters, to which dots are added where the text is cut.

    >>> error_text(ValueError("no such level")), error_text(KeyError())
    ('ValueError: no such level', 'KeyError')
    """
    name = _name(type(exc))
    with suppress_all():
        return _cut(f"{name}: {exc}".removesuffix(": "), length)
    return f"{name} (its text cannot be made)"


def add_note(exc: BaseException, note: str) -> None:
    """Add a note to an exception, if its class lets notes be added: a frozen dataclass does not, say.

    Args:
        exc: of any class.
        note: a sentence.
    """
    with suppress_all():
        exc.add_note(note)


def _cut(text: str, length: int) -> str:
    return text[:] if len(text) <= length else f"{text[:length]}..."


def _name(cls: type) -> str:
    with suppress_all():
        return str(cls.__qualname__).rpartition("<locals>.")[2]
    return "class without a name"
