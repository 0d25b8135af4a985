"""What is raised when a worker fails, and how a failure travels from a worker to its parent."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
import traceback
from dataclasses import dataclass
from types import GetSetDescriptorType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

from gymkernel.error import Error
from gymkernel_vector_async._pickling import dumps

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Failure", "WorkerError", "WorkerTimeoutError", "failure_of", "names", "raise_failures"]

CHILDLESS = "daemonic processes are not allowed to have children"
"""What `multiprocessing` says where a daemon starts a process."""
HEAP_TYPE = 1 << 9
"""The flag of classes that are not written in C: their own `__new__` may want anything."""
SHOWN = 12
"""Indices or tracebacks that a message spells out."""


class WorkerError(Error):
    """Environments failed: they raised, returned what breaks the contract, or their process ended.

    Where they raised, the error is also what their exceptions have in common, with the attributes of the first one:
    `except ValueError` catches it where all raised a ValueError, `except LookupError` an IndexError beside a KeyError.

    Attributes:
        indices: the environments concerned.
        phase: what they were doing: "construction", "reset", "step", "call", "close".
        exit_codes: of the processes that ended, by worker; a negative one is a signal's number.
        tracebacks: text, by environment.
        causes: what environments raised, by environment, where it could be pickled.
    """

    message = ""

    def __init__(
        self,
        message: str,
        indices: Sequence[int] = (),
        phase: str = "",
        exit_codes: dict[int, int | None] | None = None,
        tracebacks: dict[int, str] | None = None,
    ) -> None:
        Exception.__init__(self, message)
        self.message, self.indices, self.phase = message, list(indices), phase
        self.exit_codes, self.tracebacks = exit_codes or {}, tracebacks or {}
        self.causes: dict[int, BaseException] = {}

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:
        told = self.message, self.indices, self.phase, self.exit_codes, self.tracebacks
        causes = {i: _pickled(cause) for i, cause in self.causes.items()}
        return _again, (told, len(causes) == len(self.indices), causes)


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
        return _unpickled(self.exception)


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
    """The exception in bytes from which it can really be made again, without its constructor if need be."""
    for reduced in (exc, _Bare(exc, exc.args, vars(exc)), _Bare(exc, (str(exc),), {})):
        with contextlib.suppress(Exception):  # whatever a class of somebody else does
            data = dumps(reduced)
            if type(pickle.loads(data)).__name__ == type(exc).__name__:  # noqa: S301 - written in the line above
                return data
    return None


def _unpickled(data: bytes | None) -> BaseException | None:
    try:
        made = None if data is None else pickle.loads(data)  # noqa: S301 - of this program's own worker
    except Exception:  # noqa: BLE001 - whatever a class of somebody else does when it is made
        return None
    return made if isinstance(made, BaseException) else None


class _Bare:
    """Pickles as an exception of the same class, which its constructor does not make."""

    def __init__(self, exc: BaseException, args: tuple[Any, ...], attributes: dict[str, Any]) -> None:
        self.told = type(exc), args, attributes

    def __reduce__(self) -> Any:
        return _made, self.told


def _made(kind: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    base: Any = kind
    while base.__flags__ & HEAP_TYPE:
        base = base.__base__
    exc: BaseException = base.__new__(kind, *args)
    exc.args = args
    vars(exc).update(attributes)
    return exc


def _common(exceptions: Sequence[BaseException]) -> type[Exception] | None:
    """The nearest class of all exceptions, if that says more than Exception."""
    for kind in type(exceptions[0]).__mro__ if exceptions else ():
        if kind is Exception:
            break
        if issubclass(kind, Exception) and all(isinstance(exc, kind) for exc in exceptions):
            return kind
    return None


def _error(told: tuple[Any, ...], complete: bool, exceptions: dict[int, BaseException]) -> WorkerError:
    """A WorkerError that is also what all exceptions have in common.

    Args:
        told: the arguments of WorkerError.
        complete: whether every failed environment's exception is known.
        exceptions: by environment.
    """
    error = WorkerError(*told)
    found = list(exceptions.values())
    kind = _common(found) if complete else None
    if kind is not None and not issubclass(WorkerError, kind):
        with contextlib.suppress(Exception):  # a class may refuse to be derived from
            bases = (kind,) if issubclass(kind, WorkerError) else (WorkerError, kind)
            both = type(f"WorkerError[{kind.__name__}]", bases, {"__module__": __name__, "__doc__": kind.__doc__})
            made: Any = _made(both, found[0].args, {})
            _copy_attributes(found[0], made, kind)
            vars(made).update(vars(error))
            error = made
    error.causes = exceptions
    return error


def _again(told: tuple[Any, ...], complete: bool, causes: dict[int, bytes | None]) -> WorkerError:
    made = {i: exc for i, data in causes.items() if (exc := _unpickled(data)) is not None}
    return _error(told, complete and len(made) == len(causes), made)


def _copy_attributes(source: BaseException, target: BaseException, kind: type) -> None:
    """Give an exception what another one of a class has: args, errno, whatever its program has set."""
    for base in kind.__mro__:
        for name, member in vars(base).items():
            if isinstance(member, MemberDescriptorType | GetSetDescriptorType) and not name.startswith("__"):
                with contextlib.suppress(AttributeError, TypeError):  # not set, or not to be set
                    setattr(target, name, getattr(source, name))
    vars(target).update(vars(source))


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
    """One error for all failures, with all indices, tracebacks and exceptions."""
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
    if CHILDLESS in first.error:
        hint = "\nAn environment that starts processes needs workers that may: pass daemon=False to AsyncVectorEnv."
    text = "".join(f"\n--- traceback of environment {one.index} ---\n{one.trace.rstrip()}" for one in failures[:SHOWN])
    causes = [(failure.index, failure.cause()) for failure in failures]
    exceptions = {index: cause for index, cause in causes if cause is not None}
    traces = {one.index: one.trace for one in failures}
    told: tuple[Any, ...] = f"{head}{hint}{text}", indices, phase, {}, traces
    error = _error(told, len(exceptions) == len(failures), exceptions)
    error.__cause__ = exceptions.get(first.index)
    return error


def raise_failures(failures: Sequence[Failure]) -> None:
    """Raise one error for all failures, if there are any, chained to the first one's exception."""
    if failures:
        raise combined(sorted(failures, key=lambda failure: failure.index))


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
