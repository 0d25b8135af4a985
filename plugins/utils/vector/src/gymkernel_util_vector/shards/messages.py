"""The records that a worker and its parent exchange in addition to arrays: settings, side messages and failures."""

from __future__ import annotations

import pickle
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

from gymkernel_util_spaces.texts import error_text, suppress_all
from gymkernel_util_vector.processes.pickling import dumps

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Failure",
    "ShardArrays",
    "ShardSettings",
    "SideMessage",
    "pickle_exception",
    "restart_info",
    "unpickle_exception",
]

HEAP_TYPE: Final = 1 << 9
"""The flag of classes that are not written in C. Their `__new__` may require any arguments."""


@dataclass(frozen=True, slots=True)
class ShardSettings:
    """A record of the settings that the parent sends to a worker's shard."""

    autoreset_mode: str
    """The vector environment's autoreset mode, as the value of an `AutoresetMode` member."""
    restart: bool
    """Whether to recreate environments that fail."""
    max_restarts: int | None
    """How often each environment may be restarted; None for no limit."""
    check_observations: bool
    """Whether to check shapes and dtypes before writing observations."""
    oversubscribed: bool
    """Whether there are more workers than processors."""


@dataclass(slots=True)
class ShardArrays:
    """A record of a shard's arrays: views of shared memory, or private arrays if observations are sent as messages."""

    observations: list[list[NDArray[Any]]]
    """For each buffer of the ring, an array for each leaf."""
    rewards: NDArray[np.float64]
    """The rewards, of shape (number of environments,)."""
    terminations: NDArray[np.bool_]
    """The termination flags, of the same shape."""
    truncations: NDArray[np.bool_]
    """The truncation flags, of the same shape."""
    actions: list[NDArray[Any]]
    """An array for each leaf of the action space; empty if actions are sent as messages."""
    shared: bool
    """Whether the parent reads the observations from these arrays, and not from messages."""

    @classmethod
    def of(cls, arrays: dict[str, Any], observations: list[list[NDArray[Any]]], rows: slice, *, shared: bool) -> Self:
        """Select the rows of a shard from the arrays of all environments.

        Args:
            arrays: the arrays "rewards", "terminations" and "truncations", and "actions", which is a list with an array
                for each leaf.
            observations: the shard's own observations: for each buffer in the ring, one array per leaf.
            rows: the rows of the shard.
            shared: whether the parent reads the observations from these arrays.
        """
        rewards, terminations, truncations = (arrays[name][rows] for name in ("rewards", "terminations", "truncations"))
        actions = [leaf[rows] for leaf in arrays["actions"]]
        return cls(observations, rewards, terminations, truncations, actions, shared)


@dataclass(slots=True)
class SideMessage:
    """A message with the parts of results that cannot be stored in arrays."""

    infos: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """(environment index, info) pairs; empty infos are left out."""
    object_parts: list[tuple[int, list[Any]]] = field(default_factory=list)
    """(environment index, parts of its observation that cannot be stored in arrays) pairs."""
    failures: list[Failure] = field(default_factory=list)
    """The failures of environments that raised an exception or broke the contract."""
    results: list[Any] = field(default_factory=list)
    """The results of a call, one for each environment."""
    rows: tuple[list[int], list[NDArray[Any]]] | None = None
    """Observations that are not in shared memory: the indices of environments, and an array for each leaf."""

    def __reduce__(self) -> Any:  # several times faster than the default method of a slotted dataclass
        fields = self.infos, self.object_parts, self.failures, self.results, self.rows
        return SideMessage, fields

    def __bool__(self) -> bool:
        return bool(self.infos or self.object_parts or self.failures or self.rows)

    def part_of(self, env_id: int) -> Self | None:
        """Return the parts of the message that belong to one environment, without rows, or None if there are none.

        Args:
            env_id: the index of the environment.
        """
        part = type(self)(
            infos=[pair for pair in self.infos if pair[0] == env_id],
            object_parts=[pair for pair in self.object_parts if pair[0] == env_id],
            failures=[failure for failure in self.failures if failure.index == env_id],
        )
        return part or None


@dataclass(frozen=True, slots=True)
class Failure:
    """A record of a failed environment, which can always be pickled."""

    index: int
    """The index of the environment."""
    phase: str
    """The request that failed: "construction", "reset", "step", "call" or "close"."""
    error: str
    """A one-line description of the exception."""
    traceback: str
    """The formatted traceback from the worker."""
    pickled: bytes | None
    """The pickled exception; None if it cannot be pickled."""
    argument: str
    """The request's seed or action, as text."""
    node: str = ""
    """The machine on which the environment runs, if the backend uses several machines; otherwise ""."""

    @classmethod
    def of(cls, exc: BaseException, index: int, phase: str, argument: str = "") -> Failure:
        """Create a record of an exception that an environment raised.

        Args:
            exc: the exception.
            index: the index of the environment.
            phase: the request that failed: "construction", "reset", "step", "call" or "close".
            argument: the seed or action of the request as text.
        """
        return cls(index, phase, error_text(exc), _traceback(exc), pickle_exception(exc), argument)

    def cause(self) -> BaseException | None:
        """Return the exception, or None if it cannot be unpickled in this process."""
        return unpickle_exception(self.pickled)


def restart_info(why: str) -> dict[str, Any]:
    """Return the entries to add to the info of an environment that was recreated.

    Args:
        why: a description of how the environment or its worker failed.
    """
    return {"env_restarted": True, "env_error": why}


def _traceback(exc: BaseException) -> str:
    with suppress_all():
        return "".join(traceback.format_exception(exc))
    with suppress_all():
        return "".join(traceback.format_tb(exc.__traceback__))
    return ""


def pickle_exception(exc: BaseException) -> bytes | None:
    """Pickle an exception, if necessary without calling its constructor, or without its attributes or arguments.

    Args:
        exc: an exception of any class, even of a class whose objects cannot be pickled, created or printed.

    Returns:
        Bytes that were successfully unpickled to an exception of the same class; None if every attempt failed.
    """
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: exc,
        lambda: _WithoutInit(exc, exc.args, vars(exc)),
        lambda: _WithoutInit(exc, (str(exc),), _notes_of(exc)),
        lambda: _WithoutInit(exc, (error_text(exc),), {}),
    )
    for attempt in attempts:
        with suppress_all():
            data = dumps(attempt())
            if type(pickle.loads(data)).__name__ == type(exc).__name__:  # noqa: S301 - pickled in the line above
                return data
    return None


def _notes_of(exc: BaseException) -> dict[str, Any]:
    return {"__notes__": list(getattr(exc, "__notes__", ()))}


def unpickle_exception(data: bytes | None) -> BaseException | None:
    """Return the exception that `pickle_exception` pickled, or None if it cannot be unpickled in this process.

    Args:
        data: the result of `pickle_exception`.
    """
    with suppress_all():
        exc = None if data is None else pickle.loads(data)  # noqa: S301 - from this program's own worker
        return exc if isinstance(exc, BaseException) else None
    return None


class _WithoutInit:
    """A stand-in for an exception. Unpickling creates an exception of the same class without calling `__init__`."""

    def __init__(self, exc: BaseException, args: tuple[Any, ...], attributes: dict[str, Any]) -> None:
        self._arguments = type(exc), args, attributes

    def __reduce__(self) -> Any:
        return make_exception, self._arguments


def make_exception(cls: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """Create an exception without calling its constructor.

    Args:
        cls: the class of the exception.
        args: the `args` of the exception.
        attributes: the exception's attributes, keyed by name.
    """
    base: Any = cls
    while base.__flags__ & HEAP_TYPE:
        base = base.__base__
    exc: BaseException = base.__new__(cls, *args)
    BaseException.__setattr__(exc, "args", args)  # works for frozen dataclasses, too
    vars(exc).update(attributes)
    return exc
