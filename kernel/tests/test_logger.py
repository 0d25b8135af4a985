"""Tests of `gymkernel.logger`, which reports problems as Python warnings."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

import pytest

from gymkernel import logger

if TYPE_CHECKING:
    from collections.abc import Callable


def message(call: Callable[[], None]) -> warnings.WarningMessage:
    with warnings.catch_warnings(record=True, action="always") as seen:
        call()
    (one,) = seen
    return one


def test_arguments_are_interpolated() -> None:
    assert str(message(lambda: logger.warn("%s of %d", "two", 3)).message) == "WARN: two of 3"


def test_percent_sign_without_arguments_is_literal() -> None:
    assert str(message(lambda: logger.warn("100% sure")).message) == "WARN: 100% sure"


def test_messages_have_warning_categories() -> None:
    assert message(lambda: logger.warn("x")).category is UserWarning
    assert message(lambda: logger.warn("x", category=RuntimeWarning)).category is RuntimeWarning
    assert message(lambda: logger.deprecation("x")).category is DeprecationWarning
    assert str(message(lambda: logger.error("x")).message) == "ERROR: x"


@pytest.mark.parametrize("call", [logger.warn, logger.deprecation, logger.error])
def test_warning_points_to_the_callers_line(call: Callable[[str], None]) -> None:
    assert message(lambda: call("x")).filename == __file__


def test_stacklevel_points_to_an_outer_frame() -> None:
    def inner() -> None:
        logger.warn("x", stacklevel=2)

    line = message(inner).lineno

    assert line == message.__code__.co_firstlineno + 2


@pytest.mark.parametrize(
    "level,seen",
    [(logger.WARN, {"WARN: w", "WARN: d", "ERROR: e"}), (logger.ERROR, {"ERROR: e"}), (logger.ERROR + 1, set())],
)
def test_messages_below_the_level_are_dropped(monkeypatch: pytest.MonkeyPatch, level: int, seen: set[str]) -> None:
    monkeypatch.setattr(logger, "min_level", level)

    with warnings.catch_warnings(record=True, action="always") as caught:
        logger.warn("w")
        logger.deprecation("d")
        logger.error("e")

    assert {str(item.message) for item in caught} == seen


def test_terminal_output_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    assert str(message(lambda: logger.warn("x")).message) == "\x1b[33mWARN: x\x1b[0m"
    assert str(message(lambda: logger.error("x")).message) == "\x1b[31mERROR: x\x1b[0m"


def test_warnings_can_be_turned_into_errors() -> None:
    with warnings.catch_warnings(action="error"), pytest.raises(UserWarning, match="WARN: x"):
        logger.warn("x")
