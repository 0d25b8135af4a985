"""Tests that third-party values and exceptions are converted to text without raising an exception."""

from __future__ import annotations

import dataclasses
import signal
from typing import Any

import pytest

from gymkernel_util_spaces.texts import add_note, error_text, suppress_all, text_of


class Word(str):
    """A string whose methods raise an exception."""

    __slots__ = ()

    def _refuse(self, *_: Any) -> Any:
        raise ZeroDivisionError

    __str__ = __repr__ = __len__ = __getitem__ = __format__ = __hash__ = _refuse


@dataclasses.dataclass(frozen=True)
class FrozenError(Exception):
    code: int = 3


def shown_by(outcome: Any) -> tuple[Any, BaseException]:
    """Return a value and an exception whose conversion to text raises or returns the given outcome."""

    def show(*_: Any) -> Any:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    members = {"__str__": show, "__repr__": show}
    return type("Odd", (), members)(), type("OddError", (Exception,), members)(1)


@pytest.mark.parametrize(
    "outcome",
    [ZeroDivisionError(), SystemExit(3), GeneratorExit(), MemoryError(), RecursionError(), 5, None, Word("x")],
    ids=lambda outcome: type(outcome).__name__,
)
def test_unprintable_object_is_shown_by_its_class(outcome: Any) -> None:
    value, exc = shown_by(outcome)
    assert text_of(value) == "a Odd"
    assert error_text(exc) == ("OddError: x" if isinstance(outcome, Word) else "OddError (its message cannot be read)")


def test_ctrl_c_is_raised_unless_ignored() -> None:
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), suppress_all():
            raise KeyboardInterrupt
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress_all():
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, previous)


def test_notes_are_added_if_the_class_allows_it() -> None:
    plain, frozen = ValueError("x"), FrozenError()
    for exc in (plain, frozen):
        add_note(exc, "It comes from environment 1.")
    assert plain.__notes__ == ["It comes from environment 1."]
    assert not hasattr(frozen, "__notes__")
