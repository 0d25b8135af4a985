"""Define correct environments. The faulty environments and most of the legal ones each change one detail of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Dict, Discrete

__all__ = ["Base", "Cards", "Cart", "Grid", "Robot", "Screen", "Swing"]


class Base(Env[Any, Any]):
    """An environment whose reset and step call overridable methods such as `start`, `act`, `observe` and `reward`."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012
    limit = 40

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.time = 0
        self.prepare()

    def prepare(self) -> None:
        """Set the observation space and the action space."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.time = 0
        self.start()
        return self.observe(), self.info()

    def step(self, action: Any) -> Any:
        self.time += 1
        self.act(action)
        return self.observe(), self.reward(), self.terminated(), self.truncated(), self.info()

    def start(self) -> None:
        """Sample the initial state."""

    def act(self, action: Any) -> None:
        """Apply an action to the state."""

    def observe(self) -> Any:
        """Return an observation of the current state."""

    def reward(self) -> Any:
        return 1.0

    def terminated(self) -> Any:
        return False

    def truncated(self) -> Any:
        return self.time >= self.limit

    def info(self) -> Any:
        return {}


class Cart(Base):
    """A simplified cart-pole environment (Barto, Sutton and Anderson, 1983)."""

    def prepare(self) -> None:
        self.observation_space: Any = Box(-10.0, 10.0, (4,), np.float32)
        self.action_space: Any = Discrete(2)
        self.state = np.zeros(4)

    def start(self) -> None:
        self.state = self.np_random.uniform(-0.05, 0.05, 4)

    def act(self, action: Any) -> None:
        _, speed, angle, turn = self.state
        force = 10.0 if action == 1 else -10.0
        push = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        twist = (9.8 * np.sin(angle) - np.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1))
        pull = push - 0.05 * twist * np.cos(angle) / 1.1
        self.state = self.state + 0.02 * np.array([speed, pull, turn, twist])

    def observe(self) -> Any:
        return np.clip(self.state, -10, 10).astype(np.float32)

    def terminated(self) -> Any:
        return bool(abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21)


class Swing(Base):
    """A pendulum with a motor and with noise."""

    limit = 50

    def prepare(self) -> None:
        self.observation_space: Any = Box(np.array([-1, -1, -8], np.float32), np.array([1, 1, 8], np.float32))
        self.action_space: Any = Box(-2.0, 2.0, (1,), np.float32)
        self.angle = self.speed = 0.0
        self.torque = 0.0

    def start(self) -> None:
        self.angle, self.speed = self.np_random.uniform(-np.pi, np.pi), self.np_random.uniform(-1, 1)
        self.torque = 0.0

    def act(self, action: Any) -> None:
        self.torque = float(action[0])
        push = 15 * np.sin(self.angle) + 3 * self.torque + self.np_random.normal(0, 0.01)
        self.speed = float(np.clip(self.speed + push * 0.05, -8, 8))
        self.angle += self.speed * 0.05

    def observe(self) -> Any:
        return np.array([np.cos(self.angle), np.sin(self.angle), self.speed], np.float32)

    def reward(self) -> Any:
        turned = (self.angle + np.pi) % (2 * np.pi) - np.pi
        return -float(turned**2 + 0.1 * self.speed**2 + 0.001 * self.torque**2)


class Grid(Base):
    """A robot that looks for a goal on a 5 by 5 board."""

    size = 5
    moves = ((0, 1), (1, 0), (0, -1), (-1, 0))

    def prepare(self) -> None:
        self.observation_space: Any = Discrete(self.size**2)
        self.action_space: Any = Discrete(4)
        self.place = np.zeros(2, np.int64)
        self.goal = np.array([4, 4])

    def start(self) -> None:
        self.place = self.np_random.integers(0, self.size - 1, 2)

    def act(self, action: Any) -> None:
        self.place = np.clip(self.place + self.moves[int(action)], 0, self.size - 1)

    def observe(self) -> Any:
        return np.int64(self.place[0] * self.size + self.place[1])

    def reward(self) -> Any:
        return 1.0 if self.terminated() else -0.01

    def terminated(self) -> Any:
        return bool((self.place == self.goal).all())


class Robot(Base):
    """An arm that reaches for a target, with nested dictionaries as observations."""

    def prepare(self) -> None:
        arm = Dict({"joints": Box(-4.0, 4.0, (3,), np.float32), "touch": Discrete(2)})
        self.observation_space: Any = Dict({"arm": arm, "target": Box(-1.0, 1.0, (2,), np.float32)})
        self.action_space: Any = Box(-1.0, 1.0, (3,), np.float32)
        self.joints, self.target = np.zeros(3), np.zeros(2)

    def start(self) -> None:
        self.joints, self.target = self.np_random.uniform(-1, 1, 3), self.np_random.uniform(-1, 1, 2)

    def act(self, action: Any) -> None:
        self.joints = np.clip(self.joints + 0.1 * np.asarray(action, np.float64), -4, 4)

    def distance(self) -> float:
        reach = np.array([np.cos(self.joints).sum(), np.sin(self.joints).sum()]) / 3
        return float(np.linalg.norm(reach - self.target))

    def observe(self) -> Any:
        arm = {"joints": self.joints.astype(np.float32), "touch": int(self.distance() < 0.1)}
        return {"arm": arm, "target": self.target.astype(np.float32)}

    def reward(self) -> Any:
        return -self.distance()

    def terminated(self) -> Any:
        return self.distance() < 0.02

    def info(self) -> Any:
        return {"distance": self.distance()}


class Screen(Base):
    """A paddle that catches a falling dot on a screen, with images as observations."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012
    limit = 30

    def prepare(self) -> None:
        self.observation_space: Any = Box(0, 255, (24, 24, 3), np.uint8)
        self.action_space: Any = Discrete(3)
        self.paddle = self.x = self.y = 0

    def start(self) -> None:
        self.paddle, self.x, self.y = 12, int(self.np_random.integers(24)), 0

    def act(self, action: Any) -> None:
        self.paddle = int(np.clip(self.paddle + int(action) - 1, 1, 22))
        self.x = int(np.clip(self.x + self.np_random.integers(-1, 2), 0, 23))
        self.y += 1

    def picture(self) -> Any:
        picture = np.zeros((24, 24, 3), np.uint8)
        picture[min(self.y, 23), self.x] = (255, 255, 255)
        picture[23, self.paddle - 1 : self.paddle + 2] = (0, 255, 0)
        return picture

    def observe(self) -> Any:
        return self.picture()

    def render(self) -> Any:
        return self.picture() if self.render_mode == "rgb_array" else None

    def reward(self) -> Any:
        return float(self.terminated() and abs(self.x - self.paddle) <= 1)

    def terminated(self) -> Any:
        return self.y >= 23


class Cards(Base):
    """A hand of five cards from a deck of ten. The agent may play only cards in the hand."""

    def prepare(self) -> None:
        self.observation_space: Any = Box(0, 1, (10,), np.int8)
        self.action_space: Any = Discrete(10)
        self.hand = np.zeros(10, np.int8)
        self.last = 0

    def start(self) -> None:
        self.hand = np.zeros(10, np.int8)
        self.hand[self.np_random.permutation(10)[:5]] = 1
        self.last = 0

    def act(self, action: Any) -> None:
        if not self.hand[int(action)]:
            raise ValueError(f"card {action} is not in the hand")
        self.hand = self.hand.copy()
        self.hand[int(action)] = 0
        self.last = int(action)

    def observe(self) -> Any:
        return self.hand.copy()

    def reward(self) -> Any:
        return float(self.last)

    def terminated(self) -> Any:
        return not self.hand.any()

    def info(self) -> Any:
        return {"action_mask": self.hand.copy()}
