"""A small environment and its spaces, for trying wrappers and vector backends where no plugin is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.env import Env
from gymkernel.space import Field, Space

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Choice", "Interval", "Walk"]


class Interval(Space[Any]):
    """Arrays of one shape and dtype between two bounds."""

    def __init__(self, low: float, high: float, shape: tuple[int, ...] = (2,), dtype: Any = np.float32) -> None:
        super().__init__(shape, dtype)
        self.low, self.high = np.full(shape, low, dtype), np.full(shape, high, dtype)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw uniformly; from -9 to 9 where it is not bounded."""
        low, high = np.maximum(self.low, -9), np.minimum(self.high, 9)
        return np.asarray(self.np_random.uniform(low, high), self.dtype)

    def contains(self, x: Any) -> bool:
        """Whether shape, dtype and bounds fit."""
        if not isinstance(x, np.ndarray | np.generic | float | int):
            return False
        x = np.asarray(x, None if isinstance(x, np.ndarray | np.generic) else self.dtype)
        fits = x.shape == self.low.shape and np.can_cast(x.dtype, self.low.dtype)
        return bool(fits) and bool(((x >= self.low) & (x <= self.high)).all())

    def layout(self) -> Any:
        """One array."""
        return (Field.of(self.low.dtype, self.low.shape),)

    def examples(self) -> Iterator[Any]:
        """The corners."""
        yield from (self.low.copy(), self.high.copy())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interval) or self.dtype != other.dtype:
            return False
        return np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Interval({self.low.min()}, {self.high.max()}, {self.low.shape}, {self.low.dtype})"


class Choice(Space[Any]):
    """The numbers below n."""

    def __init__(self, n: int) -> None:
        super().__init__((), np.int64)
        self.n = n

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Draw one, of those that the mask allows."""
        return self.np_random.choice(np.arange(self.n) if mask is None else np.flatnonzero(mask))

    def contains(self, x: Any) -> bool:
        """Whether it is an integer in range."""
        return isinstance(x, int | np.integer) and 0 <= int(x) < self.n

    def layout(self) -> Any:
        """One integer."""
        return (Field.of(np.int64, ()),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self.n == other.n

    def __hash__(self) -> int:
        return hash((Choice, self.n))

    def __repr__(self) -> str:
        return f"Choice({self.n})"


class Walk(Env[Any, Any]):
    """A drunkard's walk in the plane, with noise; it ends after a number of steps.

    Args:
        length: steps of an episode.
        render_mode: "rgb_array", a picture with a white dot; "ansi", the place as text.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 10}  # noqa: RUF012 - as of Env

    def __init__(self, length: int = 9, render_mode: str | None = None) -> None:
        self.observation_space: Space[Any] = Interval(-100, 100)
        self.action_space: Space[Any] = Interval(-1, 1)
        self.length, self.render_mode = length, render_mode
        self.place: Any = np.zeros(2)
        self.time = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin somewhere near the origin."""
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        self.time = 0
        return self.observe(), {}

    def observe(self) -> Any:
        """The place."""
        return self.place.astype(np.float32)

    def step(self, action: Any) -> Any:
        """Go by `action`, and a little elsewhere."""
        self.place = self.place + action + self.np_random.normal(0, 0.01, 2)
        self.time += 1
        return self.observe(), self.reward(), self.time >= self.length, False, {}

    def reward(self) -> Any:
        """Minus the distance from the origin."""
        return -float(np.abs(self.place).sum())

    def render(self) -> Any:
        """Show the place."""
        if self.render_mode == "ansi":
            return f"{self.place}\n"
        frame = np.zeros((16, 16, 3), np.uint8)
        x, y = np.clip(self.place + 8, 0, 15).astype(int)
        frame[y, x] = 255
        return frame
