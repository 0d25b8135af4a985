"""What people do day by day, and what only shows late: at the end of an episode, in the next, or beside another."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from gymkernel.spaces import Box

from ..bases import Cart, Grid, Robot, Screen, Swing
from ..registry import defect


@defect("GK404")
class BuffersInTurn(Robot):
    """Two arrays take turns, so that the last observation is right, and the one before it is not."""

    def prepare(self) -> None:
        super().prepare()
        self.buffers = np.zeros((2, 3), np.float32)

    def observe(self) -> Any:
        observation = super().observe()
        buffer = self.buffers[self.time % 2]
        buffer[:] = observation["arm"]["joints"]
        observation["arm"]["joints"] = buffer
        return observation


@defect("GK404")
class OneDictionary(Robot):
    """The arrays are new each time, and the dictionary that holds them is not."""

    def prepare(self) -> None:
        super().prepare()
        self.seen: dict[str, Any] = {}

    def observe(self) -> Any:
        self.seen.update(super().observe())
        return self.seen


GENERATOR = np.random.default_rng()


@defect("GK612", "GK502")
class SeedsTheModule(Grid):
    """Reset seeds a generator of the module, from which all instances draw."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        global GENERATOR  # noqa: PLW0603 - which is the point
        if seed is not None:
            GENERATOR = np.random.default_rng(seed)
        return super().reset(seed=seed)

    def act(self, action: Any) -> None:
        super().act(GENERATOR.integers(4) if GENERATOR.random() < 0.3 else action)


@defect("GK401")
class OneStepTooLong(Swing):
    """Observes the part of the time that is left, and ends one step late."""

    def prepare(self) -> None:
        super().prepare()
        low, high = np.array([-1, -1, -8, 0], np.float32), np.array([1, 1, 8, 1], np.float32)
        self.observation_space = Box(low, high)

    def observe(self) -> Any:
        return np.append(super().observe(), np.float32(1 - self.time / self.limit))

    def truncated(self) -> Any:
        return self.time > self.limit


@defect("GK312")
class PrizeInAnArray(Grid):
    """The reward is a number, and at the goal an array of one."""

    def reward(self) -> Any:
        return np.array([1.0]) if self.terminated() else -0.01


@defect("GK402")
class ZerosAtTheEnd(Cart):
    """When the pole has fallen there are zeros, of the type that NumPy takes where none is said."""

    def observe(self) -> Any:
        return np.zeros(4) if self.terminated() else super().observe()


@defect("GK405")
class KeyWhenSeen(Robot):
    """The target is in the observation only where the arm has come near."""

    def observe(self) -> Any:
        observation = super().observe()
        if self.distance() > 1.2:
            del observation["target"]
        return observation


@defect("GK405", "GK406")
class ChannelsFirstOnReset(Screen):
    """Reset forgets to transpose the picture."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = super().reset(seed=seed)
        return observation.transpose(2, 0, 1), info


@defect("GK618")
class ShallowCopies(Robot):
    """The info is a copy of the statistics, but the list in it is not."""

    def start(self) -> None:
        super().start()
        self.told: dict[str, Any] = {"distances": []}

    def info(self) -> Any:
        self.told["distances"].append(self.distance())
        return dict(self.told)


@defect("GK614")
class NoiseIntoTheAction(Swing):
    """Adds the noise of the motor to the array that the agent holds."""

    def act(self, action: Any) -> None:
        action += self.np_random.normal(0, 0.01, 1).astype(np.float32)
        super().act(action)


DEFAULTS: dict[str, Any] = {"gravity": 1.0}


@defect("GK611")
class OneConfiguration(Swing):
    """All instances have one dictionary of settings, into which each writes what it has drawn."""

    def prepare(self) -> None:
        super().prepare()
        self.config = DEFAULTS

    def start(self) -> None:
        super().start()
        self.config["gravity"] = float(self.np_random.uniform(0.5, 1.5))

    def act(self, action: Any) -> None:
        super().act(np.asarray(action) * self.config["gravity"])


@defect("GK601", "GK602")
class DoneStaysSet(Grid):
    """A flag says that the goal was reached, and nobody takes it back."""

    done = False

    def terminated(self) -> Any:
        self.done = self.done or super().terminated() or self.time >= 20
        return self.done


@defect("GK602")
class OldFrames(Swing):
    """The last three observations are stacked, and reset leaves those of the episode before."""

    def prepare(self) -> None:
        super().prepare()
        space = self.observation_space
        self.observation_space = Box(np.tile(space.low, (3, 1)), np.tile(space.high, (3, 1)))
        self.frames = deque([np.zeros(3, np.float32)] * 3, maxlen=3)

    def observe(self) -> Any:
        self.frames.append(super().observe())
        return np.stack(self.frames)


@defect("GK602")
class OldPotential(Robot):
    """The reward is by how much the arm came nearer, at first to where the last episode has ended."""

    before = 0.0

    def reward(self) -> Any:
        self.before, nearer = self.distance(), self.before - self.distance()
        return nearer


@defect("GK501", "GK502", "GK205")
class SeedsTheStart(Swing):
    """A generator of the seed for the start, and one without for the rest."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset()
        if seed is not None:
            self.angle = float(np.random.default_rng(seed).uniform(-np.pi, np.pi))
            self.speed = 0.0
        return self.observe(), {}


@defect("GK505")
class NumberOfTheObject(Robot):
    """The friction of an arm follows from its id, so that arms differ."""

    def prepare(self) -> None:
        super().prepare()
        self.friction = 0.5 + (id(self) // 64 % 97) / 200

    def act(self, action: Any) -> None:
        super().act(np.asarray(action) * self.friction)


@defect("GK809")
class FrameAfterTheEnd(Screen):
    """The dot has left the screen when the last frame of an episode is drawn."""

    def render(self) -> Any:
        picture = self.picture()
        picture[self.y + 1, self.x] = 90
        return picture
