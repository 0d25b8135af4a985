"""Environments that return faulty observations or use actions incorrectly."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel.spaces import Box, Discrete

from ..bases import Cart, Grid, Robot, Screen, Swing
from ..registry import defect


@defect("GK402")
class DoubleForSingle(Cart):
    """An environment that returns float64 observations, although its space is float32."""

    def observe(self) -> Any:
        return np.clip(self.state, -10, 10)


@defect("GK402")
class FloatPixels(Screen):
    """An environment that returns float32 pixels, although its space is uint8."""

    def observe(self) -> Any:
        return self.picture().astype(np.float32)


@defect("GK402")
class ListOfNumbers(Swing):
    """An environment that returns lists as observations, although its space contains arrays."""

    def observe(self) -> Any:
        return super().observe().tolist()


@defect("GK403")
class NanInTheState(Swing):
    """An environment with an unbounded space in which an angle becomes NaN in extreme states."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = Box(-np.inf, np.inf, (3,), np.float32)

    def observe(self) -> Any:
        observation = super().observe()
        observation[2] = np.nan if self.time == 20 else observation[2]
        return observation


@defect("GK403")
class InfinityAtFirst(Robot):
    """An environment whose sensor returns infinity until it detects something."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space.spaces["target"] = Box(-np.inf, np.inf, (2,), np.float32)

    def observe(self) -> Any:
        observation = super().observe()
        if not self.time:
            observation["target"] = np.full(2, np.inf, np.float32)
        return observation


@defect("GK404")
class SharedBuffer(Cart):
    """An environment that returns the same array as every observation."""

    def prepare(self) -> None:
        super().prepare()
        self.buffer = np.zeros(4, np.float32)

    def observe(self) -> Any:
        self.buffer[:] = super().observe()
        return self.buffer


@defect("GK404")
class ViewOfTheState(Swing):
    """An environment whose observation is a view of the state, which step changes in place."""

    def prepare(self) -> None:
        super().prepare()
        self.all = np.zeros(5, np.float32)

    def observe(self) -> Any:
        self.all[:3] = super().observe()
        return self.all[:3]


@defect("GK404")
class DeepInside(Robot):
    """An environment whose observations share a nested array."""

    def prepare(self) -> None:
        super().prepare()
        self.kept = np.zeros(3, np.float32)

    def observe(self) -> Any:
        observation = super().observe()
        self.kept[:] = observation["arm"]["joints"]
        observation["arm"]["joints"] = self.kept
        return observation


@defect("GK404")
class TwoBuffers(Screen):
    """An environment that alternates between two arrays, so that each observation overwrites the second-to-last one."""

    def prepare(self) -> None:
        super().prepare()
        self.pictures = [np.zeros((24, 24, 3), np.uint8) for _ in range(2)]

    def observe(self) -> Any:
        picture = self.pictures[self.time % 2]
        picture[:] = self.picture()
        return picture


@defect("GK405")
class FlatPicture(Screen):
    """An environment whose image is flattened."""

    def observe(self) -> Any:
        return self.picture().ravel()


@defect("GK405")
class MissingKey(Robot):
    """An environment whose reset returns an observation without one of the keys."""

    def observe(self) -> Any:
        observation = super().observe()
        if not self.time:
            del observation["target"]
        return observation


@defect("GK405")
class NothingAtTheEnd(Grid):
    """An environment whose last observation of an episode is None."""

    def observe(self) -> Any:
        return None if self.time and (self.terminated() or self.truncated()) else super().observe()


@defect("GK405")
class OneMore(Cart):
    """An environment whose observation is a column, although the space declares a vector."""

    def observe(self) -> Any:
        return super().observe()[:, None]


@defect("GK406")
class FloatsThenDoubles(Swing):
    """An environment with a float64 space whose reset returns float32 and whose step returns float64."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = Box(-10.0, 10.0, (3,), np.float64)

    def observe(self) -> Any:
        observation = super().observe()
        return observation.astype(np.float64) if self.time else observation


@defect("GK406")
class BytesThenShorts(Screen):
    """An environment with an int16 space whose reset returns uint8 and whose step returns int16."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = Box(0, 255, (24, 24, 3), np.int16)

    def observe(self) -> Any:
        return self.picture().astype(np.int16) if self.time else self.picture()


@defect("GK614")
class ClipsInPlace(Swing):
    """An environment whose step scales, in place, the action array that the agent passed."""

    def act(self, action: Any) -> None:
        action *= 0.5
        super().act(action)


@defect("GK614")
class AddsNoiseInPlace(Robot):
    """An environment whose step adds noise, in place, to the action array that the agent passed."""

    def act(self, action: Any) -> None:
        action += self.np_random.normal(0, 0.01, 3).astype(np.float32)
        np.clip(action, -1, 1, out=action)
        super().act(action)


@defect("GK402")
class FloatForACell(Grid):
    """An environment that returns a float as the observation, although the space is Discrete."""

    def observe(self) -> Any:
        return float(super().observe())


@defect("GK401")
class OneHot(Grid):
    """An environment that returns a one-hot vector as the observation, although the space is Discrete."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = Discrete(3)
