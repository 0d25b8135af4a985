"""What a command says of an environment that cannot be found or made, and of one that fails."""

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
    """Tell whatever is raised inside as a wrong argument of the command line: a sentence, and exit status 2.

    Of what is no sentence of gymkernel's, the sentence has the type and the line, too.

    Args:
        param_hint: the argument, as the usage shows it.

    Raises:
        click.ClickException: something was raised.

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
        raise click.BadParameter(_sentence(exc), param_hint=param_hint) from exc


@contextlib.contextmanager
def environment_errors() -> Iterator[None]:
    """Tell whatever is raised inside as a failure of the environment: its traceback, a sentence, and exit status 1.

    Raises:
        click.ClickException: something was raised.

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
        raise click.ClickException(_sentence(exc)) from exc


def _sentence(exc: Exception) -> str:
    if isinstance(exc, Error) and str(exc):
        return str(exc)
    return f"{type(exc).__name__}: {exc}".removesuffix(": ") + place_of(exc)


def place_of(exc: BaseException) -> str:
    """Which line of an environment raised, as ` [file.py:7, step]`; empty where gymkernel itself did.

    Args:
        exc: an exception with its traceback.

    >>> place_of(ValueError("never raised"))
    ''
    """
    frames = [
        one for one in traceback.walk_tb(exc.__traceback__) if not one[0].f_code.co_filename.startswith("<frozen")
    ]
    if not frames or _is_ours(frames[-1][0]):
        return ""
    frame, line = frames[-1]
    return f" [{Path(frame.f_code.co_filename).name}:{line}, {frame.f_code.co_name}]"


def show_traceback(exc: BaseException) -> None:
    """Write the traceback of an exception to standard error, from the first line that is not of gymkernel.

    Nothing is written of what gymkernel raised, whose messages are sentences.

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
