"""Buffers for the latest observations of an episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Frames", "Ring"]

ROOM = 1 << 16
"""The maximum size in bytes of a `Ring`, in addition to the size of two stacks."""


class Ring:
    """A buffer that stores the latest observations next to each other in memory, so that a stack is a single slice.

    Args:
        stack: an array with the shape and dtype of a stack.
        padding: the observation that fills the stack at the beginning of an episode, or None to use the episode's first
            observation.
    """

    def __init__(self, stack: NDArray[Any], padding: Any) -> None:
        self.size, self.padding = len(stack), padding
        spare = min(256, ROOM // max(1, stack[:1].nbytes))
        self._rows = np.zeros((2 * self.size + spare, *stack.shape[1:]), stack.dtype)
        self._rows[: self.size - 1] = 0 if padding is None else padding
        self._end = self.size - 1
        self._fresh = False

    def clear(self) -> None:
        """Treat the next observation as the first observation of a new episode."""
        self._fresh = True

    def push(self, observation: Any) -> NDArray[Any]:
        """Add an observation, and return a copy of the stack."""
        at, rows = self._end, self._rows
        if self._fresh:
            self._fresh, at = False, self.size - 1
            rows[:at] = observation if self.padding is None else self.padding
        elif at == len(rows):
            rows[: self.size - 1] = rows[at - self.size + 1 :]
            at = self.size - 1
        rows[at] = observation
        self._end = at = at + 1
        return rows[at - self.size : at].copy()

    def last(self) -> list[NDArray[Any]]:
        """Return the observations in the current stack."""
        return list(self._rows[max(self._end - self.size, 0) : self._end].copy())


class Frames:
    """A buffer for observations of any type, which are stored in a list.

    Args:
        frames: the initial frames.
        padding: the observation that fills the stack at the beginning of an episode, or None to use the episode's first
            observation.
        keep: a function that converts an observation to the frame that is stored.
        stack: a function that converts a list of frames to a stack.
    """

    def __init__(
        self, frames: list[Any], padding: Any, keep: Callable[[Any], Any], stack: Callable[[list[Any]], Any]
    ) -> None:
        self.frames, self.padding, self.keep, self._stack = frames, padding, keep, stack
        self._fresh = False

    def clear(self) -> None:
        """Treat the next observation as the first observation of a new episode."""
        self._fresh = True

    def push(self, observation: Any) -> Any:
        """Add an observation, and return the stack."""
        frame = self.keep(observation)
        if self._fresh:
            self._fresh = False
            before = frame if self.padding is None else self.keep(self.padding)
            self.frames = [before] * (len(self.frames) - 1) + [frame]
        else:
            self.frames = [*self.frames[1:], frame]
        return self.stack()

    def last(self) -> list[Any]:
        """Return the frames in the current stack."""
        return list(self.frames)

    def stack(self) -> Any:
        """Stack the frames in the buffer."""
        return self._stack(self.frames)
