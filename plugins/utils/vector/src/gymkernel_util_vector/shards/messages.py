"""The records that workers and their parent exchange in addition to arrays: settings, side messages and failures."""

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
"""The type flag of classes that are not implemented in C. Their `__new__` methods may require arguments."""


@dataclass(frozen=True, slots=True)
class ShardSettings:
    """The settings of a shard, which the parent process sends to the worker."""

    autoreset_mode: str
    """The autoreset mode of the vector environment, as the value of a member of `AutoresetMode`."""
    restart: bool
    """Whether to recreate environments that fail."""
    max_restarts: int | None
    """How many times each environment may be restarted, or None for no limit."""
    check_observations: bool
    """Whether to check shapes and dtypes before writing observations."""
    oversubscribed: bool
    """Whether there are more workers than processors."""


@dataclass(slots=True)
class ShardArrays:
    """The arrays of a shard. They are views of shared memory, or private if observations are sent in messages."""

    observations: list[list[NDArray[Any]]]
    """The observation arrays of each buffer in the ring."""
    rewards: NDArray[np.float64]
    """The rewards, of shape (number of environments,)."""
    terminations: NDArray[np.bool_]
    """The termination flags, of shape (number of environments,)."""
    truncations: NDArray[np.bool_]
    """The truncation flags, of shape (number of environments,)."""
    actions: list[NDArray[Any]]
    """The arrays of the action space. The list is empty if actions are sent in messages."""
    shared: bool
    """Whether the parent process reads the observations from these arrays instead of from messages."""

    @classmethod
    def of(cls, arrays: dict[str, Any], observations: list[list[NDArray[Any]]], rows: slice, *, shared: bool) -> Self:
        """Select the rows of a shard from the arrays of all environments.

        Args:
            arrays: the arrays of all environments, under the keys "rewards", "terminations", "truncations" and
                "actions". The value of "actions" is a list of arrays.
            observations: the observation arrays of the shard for each buffer in the ring.
            rows: the rows that belong to the shard.
            shared: whether the parent process reads the observations from these arrays.
        """
        rewards, terminations, truncations = (arrays[name][rows] for name in ("rewards", "terminations", "truncations"))
        actions = [leaf[rows] for leaf in arrays["actions"]]
        return cls(observations, rewards, terminations, truncations, actions, shared)


@dataclass(slots=True)
class SideMessage:
    """A message that contains the parts of results that are not stored in arrays."""

    infos: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """An (environment index, info) pair for each info that is not empty."""
    object_parts: list[tuple[int, list[Any]]] = field(default_factory=list)
    """An (environment index, parts) pair for each observation with parts that are stored as objects."""
    failures: list[Failure] = field(default_factory=list)
    """The failures of environments that raised an exception or returned an invalid result."""
    results: list[Any] = field(default_factory=list)
    """The results of a method call, one for each environment."""
    rows: tuple[list[int], list[NDArray[Any]]] | None = None
    """The indices of environments and their observations as arrays, if the observations are not in shared memory."""

    def __reduce__(self) -> Any:  # several times as fast as the default for slotted dataclasses
        fields = self.infos, self.object_parts, self.failures, self.results, self.rows
        return SideMessage, fields

    def __bool__(self) -> bool:
        return bool(self.infos or self.object_parts or self.failures or self.rows)

    def part_of(self, env_id: int) -> Self | None:
        """Return a message with the parts that belong to one environment, except `rows`, or None if there are none.

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
    """A record of the failure of an environment. It can always be pickled."""

    index: int
    """The index of the environment."""
    phase: str
    """The request that failed: "construction", "reset", "step", "call" or "close"."""
    error: str
    """A one-line description of the exception."""
    traceback: str
    """The formatted traceback from the worker."""
    pickled: bytes | None
    """The pickled exception, or None if it cannot be pickled."""
    argument: str
    """The seed or action of the request as text."""
    node: str = ""
    """The machine on which the environment runs, or "" if the backend uses only one machine."""

    @classmethod
    def of(cls, exc: BaseException, index: int, phase: str, argument: str = "") -> Failure:
        """Create the record of an exception that an environment has raised.

        Args:
            exc: the exception.
            index: the index of the environment.
            phase: the request that failed: "construction", "reset", "step", "call" or "close".
            argument: the seed or action of the request as text.
        """
        return cls(index, phase, error_text(exc), _traceback(exc), pickle_exception(exc), argument)


def restart_info(why: str) -> dict[str, Any]:
    """Return the info entries that report the restart of an environment.

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
    """Pickle an exception, if necessary without its attributes or arguments.

    Args:
        exc: an exception of any class. Plain pickle need not support the class, and its methods may raise exceptions.

    Returns:
        The pickled exception, or None if the exception cannot be pickled. The data was unpickled successfully as a
        test.
    """
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: exc,
        lambda: _WithoutInit(exc, exc.args, vars(exc)),
        lambda: _WithoutInit(exc, (str(exc),), {"__notes__": list(getattr(exc, "__notes__", ()))}),
        lambda: _WithoutInit(exc, (error_text(exc),), {}),
    )
    for attempt in attempts:
        with suppress_all():
            data = dumps(attempt())
            if type(pickle.loads(data)).__name__ == type(exc).__name__:  # noqa: S301 - the line above created the data
                return data
    return None


def unpickle_exception(data: bytes | None) -> BaseException | None:
    """Unpickle the result of `pickle_exception`. Return None if that is not possible in this process.

    Args:
        data: the result of `pickle_exception`.
    """
    with suppress_all():
        exc = None if data is None else pickle.loads(data)  # noqa: S301 - the data comes from the program's own worker
        return exc if isinstance(exc, BaseException) else None
    return None


class _WithoutInit:
    """A substitute for an exception while it is pickled. Unpickling it does not call the exception's `__init__`."""

    def __init__(self, exc: BaseException, args: tuple[Any, ...], attributes: dict[str, Any]) -> None:
        self._arguments = type(exc), args, attributes

    def __reduce__(self) -> Any:
        return make_exception, self._arguments


def make_exception(cls: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """Create an exception without calling its constructor.

    Args:
        cls: the class of the exception.
        args: the `args` of the exception.
        attributes: the other attributes of the exception, keyed by name.
    """
    base: Any = cls
    while base.__flags__ & HEAP_TYPE:
        base = base.__base__
    exc: BaseException = base.__new__(cls, *args)
    # Calling `BaseException.__setattr__` also works for frozen dataclasses.
    BaseException.__setattr__(exc, "args", args)
    vars(exc).update(attributes)
    return exc
