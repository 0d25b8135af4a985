"""What a worker and its parent tell each other beside arrays: settings, side messages, failures of environments."""

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
"""The flag of classes that are not written in C: their own `__new__` may want anything."""


@dataclass(frozen=True, slots=True)
class ShardSettings:
    """How a worker steps its environments."""

    autoreset_mode: str
    """The value of the AutoresetMode."""
    restart: bool
    """Whether environments that fail are made anew."""
    max_restarts: int | None
    """How often that may happen to one of them; None for no limit."""
    check_observations: bool
    """Whether shapes and dtypes are checked before observations are written."""
    oversubscribed: bool
    """Whether there are more workers than processors."""


@dataclass(slots=True)
class ShardArrays:
    """The rows of a shard: views of shared memory, or private arrays where observations go by message."""

    observations: list[list[NDArray[Any]]]
    """For each buffer of the ring, for each leaf."""
    rewards: NDArray[np.float64]
    """Of shape (number of environments,), as the flags."""
    terminations: NDArray[np.bool_]
    """Whose episodes a terminal state has ended."""
    truncations: NDArray[np.bool_]
    """Whose episodes something else has ended, such as a limit of time."""
    actions: list[NDArray[Any]]
    """For each leaf of the action space; empty where actions go by message."""
    shared: bool
    """Whether the parent sees the observations without a message."""

    @classmethod
    def of(cls, arrays: dict[str, Any], observations: list[list[NDArray[Any]]], rows: slice, *, shared: bool) -> Self:
        """The rows of arrays that are of all environments.

        Args:
            arrays: "rewards", "terminations", "truncations", and "actions" with an array for each leaf.
            observations: of the shard alone, for each buffer of the ring, for each leaf.
            rows: of the shard.
            shared: whether the parent sees the observations without a message.
        """
        rewards, terminations, truncations = (arrays[name][rows] for name in ("rewards", "terminations", "truncations"))
        actions = [leaf[rows] for leaf in arrays["actions"]]
        return cls(observations, rewards, terminations, truncations, actions, shared)


@dataclass(slots=True)
class SideMessage:
    """What results have besides arrays; infos and the like are pairs with the index of their environment."""

    infos: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """What environments returned beside their observations, where that is not empty."""
    object_parts: list[tuple[int, list[Any]]] = field(default_factory=list)
    """Parts of observations for which there are no arrays."""
    failures: list[Failure] = field(default_factory=list)
    """Of environments that raised, or broke the contract."""
    results: list[Any] = field(default_factory=list)
    """Of a call, one for each environment."""
    rows: tuple[list[int], list[NDArray[Any]]] | None = None
    """Where observations are not in shared memory: indices of environments, and an array for each leaf."""

    def __reduce__(self) -> Any:  # several times faster than what a dataclass with slots does
        fields = self.infos, self.object_parts, self.failures, self.results, self.rows
        return SideMessage, fields

    def __bool__(self) -> bool:
        return bool(self.infos or self.object_parts or self.failures or self.rows)

    def part_of(self, env_id: int) -> Self | None:
        """Return what the message has of one environment, without rows; None if it has nothing.

        Args:
            env_id: index of the environment.
        """
        part = type(self)(
            infos=[pair for pair in self.infos if pair[0] == env_id],
            object_parts=[pair for pair in self.object_parts if pair[0] == env_id],
            failures=[failure for failure in self.failures if failure.index == env_id],
        )
        return part or None


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in one environment, in a form that always pickles."""

    index: int
    """Of the environment."""
    phase: str
    """What it was doing: "construction", "reset", "step", "call", "close"."""
    error: str
    """The exception in one line."""
    traceback: str
    """As Python would print it, in the worker."""
    pickled: bytes | None
    """The exception itself where it survives pickling."""
    argument: str
    """The seed or action that the environment was given."""
    node: str = ""
    """The machine that it ran on, where that is not this one alone."""

    @classmethod
    def of(cls, exc: BaseException, index: int, phase: str, argument: str = "") -> Failure:
        """A record of an exception that an environment raised.

        Args:
            exc: what was raised.
            index: of the environment.
            phase: what it was doing: "construction", "reset", "step", "call", "close".
            argument: the seed or action that it was given, as text.
        """
        return cls(index, phase, error_text(exc), _traceback(exc), pickle_exception(exc), argument)

    def cause(self) -> BaseException | None:
        """The exception, where it can be made here."""
        return unpickle_exception(self.pickled)


def restart_info(why: str) -> dict[str, Any]:
    """What the info of an environment says that was made anew.

    Args:
        why: how the environment, or its worker, ended.
    """
    return {"env_restarted": True, "env_error": why}


def _traceback(exc: BaseException) -> str:
    with suppress_all():
        return "".join(traceback.format_exception(exc))
    with suppress_all():
        return "".join(traceback.format_tb(exc.__traceback__))
    return ""


def pickle_exception(exc: BaseException) -> bytes | None:
    """Pickle an exception, without its constructor, its attributes or its arguments if need be.

    Args:
        exc: of any class, whatever the class does when its objects are pickled, made or shown.

    Returns:
        Bytes from which an exception of this class was really made again; None if no way to that works.
    """
    ways: tuple[Callable[[], Any], ...] = (
        lambda: exc,
        lambda: _WithoutInit(exc, exc.args, vars(exc)),
        lambda: _WithoutInit(exc, (str(exc),), _notes_of(exc)),
        lambda: _WithoutInit(exc, (error_text(exc),), {}),
    )
    for reduced in ways:
        with suppress_all():
            data = dumps(reduced())
            if type(pickle.loads(data)).__name__ == type(exc).__name__:  # noqa: S301 - written in the line above
                return data
    return None


def _notes_of(exc: BaseException) -> dict[str, Any]:
    return {"__notes__": list(getattr(exc, "__notes__", ()))}


def unpickle_exception(data: bytes | None) -> BaseException | None:
    """Return the exception of `pickle_exception`; None where it cannot be made in this process.

    Args:
        data: what `pickle_exception` returned.
    """
    with suppress_all():
        made = None if data is None else pickle.loads(data)  # noqa: S301 - of this program's own worker
        return made if isinstance(made, BaseException) else None
    return None


class _WithoutInit:
    """Pickles as an exception of the same class, which its constructor does not make."""

    def __init__(self, exc: BaseException, args: tuple[Any, ...], attributes: dict[str, Any]) -> None:
        self._arguments = type(exc), args, attributes

    def __reduce__(self) -> Any:
        return make_exception, self._arguments


def make_exception(cls: type[BaseException], args: tuple[Any, ...], attributes: dict[str, Any]) -> BaseException:
    """An exception of a class, without a call of its constructor."""
    base: Any = cls
    while base.__flags__ & HEAP_TYPE:
        base = base.__base__
    exc: BaseException = base.__new__(cls, *args)
    BaseException.__setattr__(exc, "args", args)  # a frozen dataclass lets nobody set its attributes
    vars(exc).update(attributes)
    return exc
