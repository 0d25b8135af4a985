"""Environments with common mistakes that have effects only at an episode's end or with a second instance."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from gymkernel.spaces import Box

from ..bases import Cart, Grid, Robot, Screen, Swing
from ..registry import defect


@defect("GK404")
class BuffersInTurn(Robot):
    """An environment that alternates between two arrays, so that each observation overwrites the second-to-last one."""

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
    """An environment that returns the same dictionary as every observation and puts new arrays into it in each step."""

    def prepare(self) -> None:
        super().prepare()
        self.seen: dict[str, Any] = {}

    def observe(self) -> Any:
        self.seen.update(super().observe())
        return self.seen


GENERATOR = np.random.default_rng()


@defect("GK612", "GK502")
class SeedsTheModule(Grid):
    """An environment whose reset seeds a module-level generator, which all instances use."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        global GENERATOR  # noqa: PLW0603 - the global variable is the defect
        if seed is not None:
            GENERATOR = np.random.default_rng(seed)
        return super().reset(seed=seed)

    def act(self, action: Any) -> None:
        super().act(GENERATOR.integers(4) if GENERATOR.random() < 0.3 else action)


@defect("GK401")
class OneStepTooLong(Swing):
    """An environment whose observation contains the remaining time, but whose episodes end one step too late."""

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
    """An environment whose reward is a number, except at the goal, where the reward is a one-element array."""

    def reward(self) -> Any:
        return np.array([1.0]) if self.terminated() else -0.01


@defect("GK402")
class ZerosAtTheEnd(Cart):
    """An environment whose observation, after the pole has fallen, consists of zeros with NumPy's default dtype."""

    def observe(self) -> Any:
        return np.zeros(4) if self.terminated() else super().observe()


@defect("GK405")
class KeyWhenSeen(Robot):
    """An environment whose observation contains the target only when the arm is near it."""

    def observe(self) -> Any:
        observation = super().observe()
        if self.distance() > 1.2:
            del observation["target"]
        return observation


@defect("GK405", "GK406")
class ChannelsFirstOnReset(Screen):
    """An environment whose reset, unlike its step, does not transpose the image."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = super().reset(seed=seed)
        return observation.transpose(2, 0, 1), info


@defect("GK618")
class ShallowCopies(Robot):
    """An environment whose infos are shallow copies of its statistics, so that all infos share a list."""

    def start(self) -> None:
        super().start()
        self.info_to_return: dict[str, Any] = {"distances": []}

    def info(self) -> Any:
        self.info_to_return["distances"].append(self.distance())
        return dict(self.info_to_return)


@defect("GK614")
class NoiseIntoTheAction(Swing):
    """An environment that adds motor noise in place to the action array that the agent passed."""

    def act(self, action: Any) -> None:
        action += self.np_random.normal(0, 0.01, 1).astype(np.float32)
        super().act(action)


DEFAULTS: dict[str, Any] = {"gravity": 1.0}


@defect("GK611")
class OneConfiguration(Swing):
    """An environment whose instances share one settings dictionary and each write a random value to it."""

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
    """An environment whose reset does not clear the flag that is set when the goal is reached."""

    done = False

    def terminated(self) -> Any:
        self.done = self.done or super().terminated() or self.time >= 20
        return self.done


@defect("GK602")
class OldFrames(Swing):
    """An environment that stacks the last three observations and does not discard the old ones in reset."""

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
    """An environment that rewards changes of a distance but keeps the previous episode's distance in reset."""

    before = 0.0

    def reward(self) -> Any:
        self.before, nearer = self.distance(), self.before - self.distance()
        return nearer


@defect("GK501", "GK502", "GK205")
class SeedsTheStart(Swing):
    """An environment that samples the start with a seeded generator, but everything else with an unseeded one."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset()
        if seed is not None:
            self.angle = float(np.random.default_rng(seed).uniform(-np.pi, np.pi))
            self.speed = 0.0
        return self.observe(), {}


@defect("GK505")
class NumberOfTheObject(Robot):
    """An environment with an arm whose friction depends on the Python object's id, so that instances differ."""

    def prepare(self) -> None:
        super().prepare()
        self.friction = 0.5 + (id(self) // 64 % 97) / 200

    def act(self, action: Any) -> None:
        super().act(np.asarray(action) * self.friction)


@defect("GK809")
class FrameAfterTheEnd(Screen):
    """An environment whose dot has left the screen when the last frame of an episode is rendered."""

    def render(self) -> Any:
        picture = self.picture()
        picture[self.y + 1, self.x] = 90
        return picture
