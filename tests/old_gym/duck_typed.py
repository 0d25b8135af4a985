"""Environments that have the APIs of several versions of gym but do not use gym."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np


class Walk:
    """A random walk with the API of gym 0.21: `step` returns four values, and there are `seed` and `render(mode)`."""

    metadata: ClassVar[dict[str, Any]] = {"render.modes": ["ansi"], "video.frames_per_second": 7}
    observation_space = SimpleNamespace(low=-np.inf, high=np.inf, shape=(1,), dtype=np.float64)
    action_space = SimpleNamespace(n=2)
    length = 9
    colour = "red"

    def __init__(self) -> None:
        self.rng = np.random.default_rng()
        self.closed = False

    def seed(self, seed: int | None = None) -> list[Any]:
        self.rng = np.random.default_rng(seed)
        return [seed]

    def reset(self) -> Any:
        self.place, self.steps = self.rng.normal(size=1), 0
        return self.place.copy()

    def step(self, action: Any) -> Any:
        self.place += self.rng.normal() + action
        self.steps += 1
        truncated = self.steps == self.length
        done = truncated or bool(self.place[0] > 20)
        return self.place.copy(), 1.0, done, {"TimeLimit.truncated": True} if truncated else {}

    def render(self, mode: str = "human") -> Any:
        return f"{mode} {self.steps}"

    def close(self) -> None:
        self.closed = True


class Walk25(Walk):
    """The API of gym 0.25, with a parameter `return_info` and with five values if `new_step_api` is set."""

    def __init__(self, new_step_api: bool = False) -> None:
        super().__init__()
        self.new_step_api = new_step_api

    def reset(self, *, seed: int | None = None, return_info: bool = False, options: Any = None) -> Any:
        if seed is not None:
            self.seed(seed)
        observation = super().reset()
        return (observation, {"options": options}) if return_info else observation

    def step(self, action: Any) -> Any:
        observation, reward, done, info = super().step(action)
        if not self.new_step_api:
            return observation, reward, done, info
        truncated = info.pop("TimeLimit.truncated", False)
        return observation, reward, done and not truncated, truncated, info


class Walk26(Walk25):
    """The API of gym 0.26: five values, an info from `reset`, and a render mode in the constructor."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(new_step_api=True)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:  # type: ignore[override]
        return super().reset(seed=seed, return_info=True, options=options)

    def render(self) -> Any:  # type: ignore[override]
        return f"{self.render_mode} {self.steps}"


class Crafter:
    """The API of crafter: four values, a seed in the constructor, and `render(size)`."""

    observation_space = SimpleNamespace(low=0, high=255, shape=(4, 4, 3), dtype=np.uint8)
    action_space = SimpleNamespace(n=17)

    def __init__(self, seed: int | None = None) -> None:
        self.rng = np.random.default_rng(seed)

    def reset(self) -> Any:
        return self.render()

    def step(self, action: Any) -> Any:
        return self.render(), 0.5, False, {"discount": 1.0}

    def render(self, size: Any = None) -> Any:
        return self.rng.integers(0, 256, (4, 4, 3), np.uint8)
