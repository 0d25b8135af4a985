"""Error handling for commands whose environment cannot be found or created, or raises an exception."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final

import click

from gymkernel.cli.terminal import echo
from gymkernel.error import Error

__all__ = ["environment_errors", "place_of", "show_traceback", "usage_errors"]

OURS: Final = ("gymkernel", "gymkernel_tool_", "gymkernel_util_", "gymkernel_wrapper_")


@contextlib.contextmanager
def usage_errors(param_hint: str) -> Iterator[None]:
    """Report every exception from the `with` block as an invalid command-line argument, with exit status 2.

    If the exception is not one of gymkernel's own, the message also contains the exception's type and the line that
    raised it.

    Args:
        param_hint: the argument's name in the usage message.

    Raises:
        click.ClickException: if the block raises an exception.

    >>> with usage_errors("TARGET"):
    ...     [][0]
    Traceback (most recent call last):
    click.exceptions.BadParameter: IndexError: list index out of range
    """
    try:
        yield
    except click.ClickException:
        raise
    except Exception as exc:
        raise click.BadParameter(_message_of(exc), param_hint=param_hint) from exc


@contextlib.contextmanager
def environment_errors() -> Iterator[None]:
    """Report every exception from the `with` block as a failure of the environment, with a traceback and exit status 1.

    Raises:
        click.ClickException: if the block raises an exception.

    >>> with environment_errors():
    ...     raise Error("Expected a sentence")
    Traceback (most recent call last):
    click.exceptions.ClickException: Expected a sentence
    """
    try:
        yield
    except click.ClickException:
        raise
    except Exception as exc:
        show_traceback(exc)
        raise click.ClickException(_message_of(exc)) from exc


def _message_of(exc: Exception) -> str:
    if isinstance(exc, Error) and str(exc):
        return str(exc)
    return f"{type(exc).__name__}: {exc}".removesuffix(": ") + place_of(exc)


def place_of(exc: BaseException) -> str:
    """Return the location at which an exception was raised, in the form ` [file.py:7, step]`.

    If gymkernel itself raised the exception, return "".

    Args:
        exc: an exception with its traceback.

    >>> place_of(ValueError("never raised"))
    ''
    """
    frames = [
        (frame, line)
        for frame, line in traceback.walk_tb(exc.__traceback__)
        if not frame.f_code.co_filename.startswith("<frozen")
    ]
    if not frames or _is_ours(frames[-1][0]):
        return ""
    frame, line = frames[-1]
    return f" [{Path(frame.f_code.co_filename).name}:{line}, {frame.f_code.co_name}]"


def show_traceback(exc: BaseException) -> None:
    """Write the traceback of an exception to standard error, without the leading frames from gymkernel's own code.

    For gymkernel's own exceptions, no traceback is written, because their messages are sufficient.

    Args:
        exc: an exception with its traceback.
    """
    frames: TracebackType | None = exc.__traceback__
    while frames is not None and _is_ours(frames.tb_frame):
        frames = frames.tb_next
    if frames is not None and not isinstance(exc, Error):
        echo("".join(traceback.format_exception(type(exc), exc, frames)).rstrip("\n"), err=True)


def _is_ours(frame: FrameType) -> bool:
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package == OURS[0] or package.startswith(OURS[1:])
