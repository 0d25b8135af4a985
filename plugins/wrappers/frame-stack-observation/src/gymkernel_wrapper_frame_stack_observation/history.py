"""What remembers the last observations of an episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Frames", "Ring"]

ROOM = 1 << 16
"""Bytes that a `Ring` may take beyond its first stacks."""


class Ring:
    """Arrays, one below the other in a longer array, so that a stack is one slice of it.

    Args:
        stack: an array of the shape and dtype of a stack; what it holds are the observations before the first.
        padding: what stands before the first observation of an episode; None for that itself.
    """

    def __init__(self, stack: NDArray[Any], padding: Any) -> None:
        self.size, self.padding = len(stack), padding
        spare = min(256, ROOM // max(1, stack[:1].nbytes))
        self._rows = np.zeros((2 * self.size + spare, *stack.shape[1:]), stack.dtype)
        self._rows[: self.size - 1] = 0 if padding is None else padding
        self._at = self.size - 1
        self._fresh = False

    def clear(self) -> None:
        """An episode begins with the next observation."""
        self._fresh = True

    def push(self, observation: Any) -> NDArray[Any]:
        """The last observations and this one, in an array of their own."""
        at, rows = self._at, self._rows
        if self._fresh:
            self._fresh, at = False, self.size - 1
            rows[:at] = observation if self.padding is None else self.padding
        elif at == len(rows):
            rows[: self.size - 1] = rows[at - self.size + 1 :]
            at = self.size - 1
        rows[at] = observation
        self._at = at = at + 1
        return rows[at - self.size : at].copy()

    def last(self) -> list[NDArray[Any]]:
        """The observations of the last stack."""
        return list(self._rows[max(self._at - self.size, 0) : self._at].copy())


class Frames:
    """Observations of any kind.

    Args:
        frames: the observations before the first, as they are kept.
        padding: what stands before the first observation of an episode; None for that itself.
        keep: what makes of an observation something that stays.
        stack: what makes a stack of such.
    """

    def __init__(
        self, frames: list[Any], padding: Any, keep: Callable[[Any], Any], stack: Callable[[list[Any]], Any]
    ) -> None:
        self.frames, self.padding, self.keep, self._stack = frames, padding, keep, stack
        self._fresh = False

    def clear(self) -> None:
        """An episode begins with the next observation."""
        self._fresh = True

    def push(self, observation: Any) -> Any:
        """The last observations and this one."""
        frame = self.keep(observation)
        if self._fresh:
            self._fresh = False
            before = frame if self.padding is None else self.keep(self.padding)
            self.frames = [before] * (len(self.frames) - 1) + [frame]
        else:
            self.frames = [*self.frames[1:], frame]
        return self.stack()

    def last(self) -> list[Any]:
        """The observations of the last stack, as they are kept."""
        return list(self.frames)

    def stack(self) -> Any:
        """The observations as they are."""
        return self._stack(self.frames)
