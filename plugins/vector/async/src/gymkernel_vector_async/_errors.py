"""What is raised when a worker fails, and how a failure travels from a worker to its parent."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cloudpickle

from gymkernel.error import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Failure", "WorkerError", "WorkerTimeoutError", "failure_of", "names", "raise_failures"]

SHOWN = 12
"""Indices or tracebacks that a message spells out."""


class WorkerError(Error):
    """Environments failed: they raised, returned what breaks the contract, or their process ended.

    Attributes:
        indices: the environments concerned.
        phase: what they were doing: "construction", "reset", "step", "call", "close".
        exit_codes: of the processes that ended, by worker; a negative one is a signal's number.
        tracebacks: text, by environment.
    """

    def __init__(
        self,
        message: str,
        indices: Sequence[int] = (),
        phase: str = "",
        exit_codes: dict[int, int | None] | None = None,
        tracebacks: dict[int, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.indices, self.phase = list(indices), phase
        self.exit_codes, self.tracebacks = exit_codes or {}, tracebacks or {}


class WorkerTimeoutError(Error, multiprocessing.TimeoutError):
    """Environments did not answer in time; `indices` has them, and `phase` what they were doing."""

    def __init__(self, message: str, indices: Sequence[int] = (), phase: str = "") -> None:
        super().__init__(message)
        self.indices, self.phase = list(indices), phase


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in one environment, in a form that always pickles."""

    index: int
    phase: str
    error: str
    """The exception in one line."""
    trace: str
    """The text of its traceback."""
    exception: bytes | None
    """The exception itself where it survives pickling."""
    given: str
    """The seed or action that it had been given."""

    def cause(self) -> BaseException | None:
        """The exception, where it can be made here."""
        if self.exception is None:
            return None
        try:
            made = pickle.loads(self.exception)  # noqa: S301 - of this program's own worker
        except Exception:  # noqa: BLE001 - whatever a class of somebody else does when it is made
            return None
        return made if isinstance(made, BaseException) else None


def failure_of(exc: BaseException, index: int, phase: str, given: str = "") -> Failure:
    """A record of an exception that an environment raised."""
    try:
        text = f"{exc}"
    except Exception:  # noqa: BLE001 - whatever a class of somebody else does when it is shown
        text = "(its text cannot be made)"
    name = type(exc).__qualname__
    return Failure(index, phase, f"{name}: {text}" if text else name, _trace(exc), _pickled(exc), given)


def _trace(exc: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(exc))
    except Exception:  # noqa: BLE001 - as above
        return "".join(traceback.format_tb(exc.__traceback__))


def _pickled(exc: BaseException) -> bytes | None:
    """The exception in bytes from which it can really be made again."""
    for dumps in (pickle.dumps, cloudpickle.dumps):
        try:
            data: bytes = dumps(exc)
            if type(pickle.loads(data)).__name__ == type(exc).__name__:  # noqa: S301 - written in the line above
                return data
        except Exception:  # noqa: BLE001, S112 - it travels as text then
            continue
    return None


def names(indices: Sequence[int]) -> str:
    """Environments in words: "environment 3", "environments 0 to 31", "environments 1, 5".

    >>> names([3]), names([0, 1, 2, 3]), names([1, 5])
    ('environment 3', 'environments 0 to 3', 'environments 1, 5')
    """
    listed = list(indices)
    if len(listed) == 1:
        return f"environment {listed[0]}"
    if len(listed) > 3 and listed == list(range(listed[0], listed[-1] + 1)):
        return f"environments {listed[0]} to {listed[-1]}"
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return f"environments {', '.join(map(str, listed[:SHOWN]))}{more}"


def exit_text(code: int | None) -> str:
    """How a process ended, in words.

    >>> exit_text(-9), exit_text(3)
    ('was killed by SIGKILL (out of memory, perhaps)', 'ended with exit code 3')
    """
    if code is None:
        return "ended"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"was killed by {name}{' (out of memory, perhaps)' if name == 'SIGKILL' else ''}"


def combined(failures: Sequence[Failure]) -> WorkerError:
    """One error for all failures, with all indices and tracebacks."""
    indices = [failure.index for failure in failures]
    phase = failures[0].phase
    first = failures[0]
    lines = []
    for failure in failures[:SHOWN]:
        given = f" ({failure.given})" if failure.given else ""
        lines.append(f"environment {failure.index} in {failure.phase}{given}: {failure.error}")
    if len(failures) > SHOWN:
        lines.append(f"and {len(failures) - SHOWN} more")
    head = lines[0] if len(lines) == 1 else f"{names(indices)} failed in {phase}:\n  " + "\n  ".join(lines)
    hint = ""
    if "daemonic processes are not allowed to have children" in first.error:
        hint = "\nAn environment that starts processes needs workers that may: pass daemon=False to AsyncVectorEnv."
    text = "".join(f"\n--- traceback of environment {one.index} ---\n{one.trace.rstrip()}" for one in failures[:SHOWN])
    return WorkerError(f"{head}{hint}{text}", indices, phase, tracebacks={one.index: one.trace for one in failures})


def raise_failures(failures: Sequence[Failure], plain: tuple[type[BaseException], ...] = ()) -> None:
    """Raise one error for all failures, chained to the first one's exception where that could travel.

    Args:
        failures: none: nothing is raised.
        plain: exceptions that are raised as they are, with a note of who it was, rather than as a cause.
    """
    if not failures:
        return
    ordered = sorted(failures, key=lambda failure: failure.index)
    error, cause = combined(ordered), ordered[0].cause()
    if cause is not None and isinstance(cause, plain):
        cause.add_note(f"It was raised by {names([failure.index for failure in ordered])} in {ordered[0].phase}.")
        raise cause from error
    raise error from cause


def died(ended: Sequence[tuple[int, Sequence[int], int | None, int | None]], phase: str) -> WorkerError:
    """The error for workers whose processes ended, each (number, environments, exit code, environment at work)."""
    lines = [
        f"Worker {number}, with {names(indices)}, {exit_text(code)} during {phase}"
        + ("" if busy is None else f", in environment {busy}")
        for number, indices, code, busy in ended
    ]
    message = (
        ".\n".join(lines)
        + '. Its state is lost: make a new AsyncVectorEnv, or pass on_error="restart" to have workers '
        "started again"
    )
    indices = [i for _, indices, _, _ in ended for i in indices]
    return WorkerError(message, indices, phase, {number: code for number, _, code, _ in ended})


def late(indices: Sequence[int], busy: Sequence[int], phase: str, timeout: float | None) -> WorkerTimeoutError:
    """The error for environments that did not answer in time."""
    at_work = f"; at work: {names(busy)}" if busy else ""
    seconds = "" if timeout is None else f" within {timeout:g} s"
    message = f"{phase} did not end{seconds} for {names(indices)}{at_work}. What they answer later is dropped"
    return WorkerTimeoutError(message, indices, phase)


def exception_text(value: Any) -> str:
    """A value for a message, cut to a readable length."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - as above
        text = f"a {type(value).__name__}"
    return text if len(text) <= 200 else f"{text[:200]}..."
