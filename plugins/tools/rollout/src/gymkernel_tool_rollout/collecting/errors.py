"""The errors that `collect` raises, and `Failure`, a record of an exception that can be sent to another process."""

from __future__ import annotations

import traceback
from typing import Any, Final

from gymkernel.error import Error
from gymkernel_util_spaces.texts import add_note, error_text, suppress_all, text_of
from gymkernel_util_vector.shards.messages import pickle_exception, unpickle_exception

__all__ = ["CollectTimeoutError", "Failure", "ShardLostError"]

PACKAGE: Final = "gymkernel_tool_rollout."
OF_POLICY: Final = ("call", "_take_policy")
"""The names of the functions in this package that call the policy."""


class ShardLostError(Error):
    """Raised if a shard's process or node is lost.

    `shard` is the index of the shard, and `indices` are the indices of its environments.
    """

    def __init__(self, message: str, shard: int = 0, indices: range = range(0)) -> None:
        super().__init__(message)
        self.shard, self.indices = shard, indices


class CollectTimeoutError(Error, TimeoutError):
    """Raised if no fragment is ready in time. `shards` contains the indices of the shards that were awaited."""

    def __init__(self, message: str, shards: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.shards = shards


class Failure:
    """A record of a failure in a shard, which can be pickled even if the original exception cannot.

    Args:
        message: a one-line description of the failure.
        cause: the exception that caused the failure; None if no exception caused it.
        trace: the formatted traceback if the exception was raised in another process; otherwise "".
        lost: whether the shard's process or node was lost.
    """

    def __init__(
        self, message: str, cause: BaseException | None = None, trace: str = "", *, lost: bool = False
    ) -> None:
        self.message, self.cause, self.trace, self.lost = message, cause, trace, lost

    @classmethod
    def of(cls, exc: BaseException) -> Failure:
        """Create a record of an exception.

        Args:
            exc: the exception that the shard raised.
        """
        return cls(_text_of_exit(exc) if isinstance(exc, SystemExit) else error_text(exc), exc)

    def __reduce__(self) -> Any:
        trace = self.trace
        if self.cause is not None and not trace:
            trace = "".join(traceback.format_tb(self.cause.__traceback__))
        data = None if self.cause is None else pickle_exception(self.cause)
        return _unpickle, (self.message, data, trace, self.lost)

    def exception(self) -> BaseException:
        """Return the exception to raise, with a note that contains the traceback from the other process.

        If the original exception cannot be unpickled, a RuntimeError is returned instead. A `SystemExit`, which would
        end the program silently, is replaced with an `Error` that names its source and has the `SystemExit` as its
        cause.
        """
        exc = RuntimeError(self.message) if self.cause is None else self.cause
        if isinstance(exc, SystemExit):
            exc = Error(self.message)
            exc.__cause__ = self.cause
            with suppress_all():
                for note in getattr(self.cause, "__notes__", ()):
                    exc.add_note(note)
        if self.trace:
            add_note(exc, f"Traceback where it was raised (most recent call last):\n{self.trace.rstrip()}")
        return exc


def _text_of_exit(exc: SystemExit) -> str:
    """Return an error message that names the source of a `SystemExit`."""
    steps = traceback.extract_tb(exc.__traceback__)
    frames = [frame for frame, _ in traceback.walk_tb(exc.__traceback__)]
    own = [frame.f_code.co_name for frame in frames if str(frame.f_globals.get("__name__")).startswith(PACKAGE)]
    by = " by the policy" if own and own[-1] in OF_POLICY else ""
    where = f" in {steps[-1].name} ({steps[-1].filename}, line {steps[-1].lineno})" if steps else ""
    code = "" if exc.code is None else text_of(exc.code)
    return (
        f"sys.exit({code}) was called{by}{where}, but sys.exit does not end the program inside a rollout: raise "
        "another exception there, or end the program in the loop over the fragments"
    )


def _unpickle(message: str, data: bytes | None, trace: str, lost: bool) -> Failure:
    return Failure(message, unpickle_exception(data), trace, lost=lost)
