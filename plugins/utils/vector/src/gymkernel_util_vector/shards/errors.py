"""The exceptions that report failures of environments and workers, and functions that create these exceptions."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Sequence
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, Final

from gymkernel.error import Error
from gymkernel_util_spaces.texts import suppress_all
from gymkernel_util_vector.shards.messages import Failure, make_exception, pickle_exception, unpickle_exception

__all__ = ["WorkerError", "WorkerTimeoutError", "env_names", "exit_text", "failures_error", "raise_failures"]

DAEMON_CHILDREN: Final = "daemonic processes are not allowed to have children"
"""The message of the error that `multiprocessing` raises if a daemon process starts a process."""
SHOWN: Final = 12
"""The maximum number of indices or tracebacks in an error message."""


class WorkerError(Error):
    """Raised if environments raise an exception or return an invalid result, or if their worker dies.

    If environments raised exceptions, the error is also an instance of the nearest common base class of these
    exceptions, and it has the attributes of the first exception. For example, `except ValueError` catches the error if
    all environments raised a ValueError. `except LookupError` catches it if they raised an IndexError and a KeyError.

    Attributes:
        indices: the indices of the environments that failed.
        phase: the request that failed: "construction", "reset", "step", "call" or "close".
        exit_codes: the exit code of each worker that died, keyed by the worker's number. A worker that was killed by
            signal n has the exit code -n.
        tracebacks: the formatted traceback of each environment that raised an exception, keyed by the environment's
            index.
        causes: the exceptions that could be pickled, keyed by the environment's index.
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

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"  # the repr of a third-party exception may raise an exception

    def __reduce__(self) -> Any:
        arguments = self.message, self.indices, self.phase, self.exit_codes, self.tracebacks
        causes = {i: pickle_exception(cause) for i, cause in self.causes.items()}
        return _unpickled, (arguments, len(causes) == len(self.indices), causes)


class WorkerTimeoutError(Error, multiprocessing.TimeoutError):
    """Raised if environments do not respond in time.

    `indices` contains the indices of these environments, and `phase` is the name of the request.
    """

    def __init__(self, message: str, indices: Sequence[int] = (), phase: str = "") -> None:
        super().__init__(message)
        self.indices, self.phase = list(indices), phase


def _common_class(exceptions: Sequence[BaseException]) -> type[Exception] | None:
    """Return the nearest common base class of exceptions, or None if it is Exception itself."""
    for cls in type(exceptions[0]).__mro__ if exceptions else ():
        if cls is Exception:
            break
        if issubclass(cls, Exception) and all(isinstance(exc, cls) for exc in exceptions):
            return cls
    return None


def _combined(arguments: tuple[Any, ...], complete: bool, causes: dict[int, BaseException]) -> WorkerError:
    """Create a WorkerError that is also an instance of the common base class of the given exceptions.

    Args:
        arguments: the positional arguments for WorkerError.
        complete: whether the exceptions of all failed environments are known.
        causes: the exceptions, keyed by the index of the environment.
    """
    error = WorkerError(*arguments)
    exceptions = list(causes.values())
    common = _common_class(exceptions) if complete else None
    if common is not None and not issubclass(WorkerError, common):
        with suppress_all():  # some classes do not allow subclasses
            bases = (common,) if issubclass(common, WorkerError) else (WorkerError, common)
            name, members = f"WorkerError[{common.__name__}]", {"__module__": __name__, "__doc__": common.__doc__}
            combined: Any = make_exception(type(name, bases, members), exceptions[0].args, {})
            _copy_attributes(exceptions[0], combined, common)
            vars(combined).update(vars(error))
            if not isinstance(getattr(combined, "__notes__", []), list):
                combined.__notes__ = []  # `add_note` requires this list
            error = combined
    error.causes = causes
    return error


def _unpickled(arguments: tuple[Any, ...], complete: bool, pickled: dict[int, bytes | None]) -> WorkerError:
    causes = {i: exc for i, data in pickled.items() if (exc := unpickle_exception(data)) is not None}
    return _combined(arguments, complete and len(causes) == len(pickled), causes)


def _copy_attributes(source: BaseException, target: BaseException, cls: type) -> None:
    """Copy the attributes of an exception, such as `args`, `errno` and any attributes that the program has set."""
    for base in cls.__mro__:
        for name, member in vars(base).items():
            if isinstance(member, MemberDescriptorType | GetSetDescriptorType) and not name.startswith("__"):
                with suppress_all():  # an attribute may be missing or read-only
                    setattr(target, name, getattr(source, name))
    vars(target).update(vars(source))


def env_names(indices: Sequence[int]) -> str:
    """Describe environments in a phrase, such as "environments 0 to 31" or "environments 1, 5".

    Args:
        indices: the indices of the environments, in ascending order.

    >>> env_names([3]), env_names([0, 1, 2, 3]), env_names([1, 5])
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
    """Describe how a process exited, in a phrase.

    Args:
        code: the exit code, or None if it is unknown.

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


def _line_of(failure: Failure) -> str:
    """Describe a failure in a single line."""
    node = f" on {failure.node}" if failure.node else ""
    argument = f" ({failure.argument})" if failure.argument else ""
    return f"environment {failure.index}{node} in {failure.phase}{argument}: {failure.error}"


def failures_error(failures: Sequence[Failure]) -> WorkerError:
    """Combine several failures into a single error, with all indices, tracebacks and exceptions.

    Args:
        failures: at least one failure, ordered by the index of the environment.
    """
    first, indices = failures[0], [failure.index for failure in failures]
    lines = [_line_of(failure) for failure in failures[:SHOWN]]
    if len(failures) > SHOWN:
        lines.append(f"and {len(failures) - SHOWN} more")
    text = lines[0] if len(lines) == 1 else f"{env_names(indices)} failed in {first.phase}:\n  " + "\n  ".join(lines)
    if DAEMON_CHILDREN in first.error:
        text += "\nWorkers that are daemons cannot start processes: pass daemon=False to AsyncVectorEnv."
    for failure in failures[:SHOWN]:
        text += f"\n--- traceback of environment {failure.index} ---\n{failure.traceback.rstrip()}"
    unpickled = {failure.index: unpickle_exception(failure.pickled) for failure in failures}
    causes = {i: cause for i, cause in unpickled.items() if cause is not None}
    arguments: Any = text, indices, first.phase, {}, {failure.index: failure.traceback for failure in failures}
    error = _combined(arguments, len(causes) == len(failures), causes)
    error.__cause__ = causes.get(first.index)
    return error


def raise_failures(failures: Sequence[Failure]) -> None:
    """Raise a single error for all failures. If there are no failures, do nothing.

    Args:
        failures: the failures, in any order.
    """
    if failures:
        raise failures_error(sorted(failures, key=lambda failure: failure.index))
