"""Environments with faulty step results, or whose episodes begin or end incorrectly."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bases import Cards, Cart, Grid, Robot, Screen, Swing
from ..registry import defect


@defect("GK214")
class RefusesToReset(Cart):
    """An environment whose reset raises an exception in the middle of an episode."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if self.time > 0 and not (self.terminated() or self.truncated()):
            raise RuntimeError("finish the episode first")
        return super().reset(seed=seed)

    limit = 10**9

    def terminated(self) -> Any:
        return self.time >= 300


@defect("GK311")
class FourValues(Cart):
    """An environment whose step returns a single done flag, as in Gym before version 0.26."""

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated or truncated, info


@defect("GK311")
class AListOfFive(Grid):
    """An environment whose step returns a list instead of a tuple, without the info."""

    def step(self, action: Any) -> Any:
        return super().step(action)[:3]


@defect("GK312")
class RewardInAnArray(Cart):
    """An environment whose reward is an array instead of a number."""

    def reward(self) -> Any:
        return np.array([1.0])


@defect("GK312")
class NoReward(Grid):
    """An environment whose reward is None until the end of the episode."""

    def reward(self) -> Any:
        return 1.0 if self.terminated() else None


@defect("GK313")
class NanLate(Cart):
    """An environment whose reward, late in an episode, is the logarithm of zero."""

    def reward(self) -> Any:
        with np.errstate(all="ignore"):
            return float(np.log(np.float64(max(0, 15 - self.time))))


@defect("GK313")
class DividesByZero(Grid):
    """An environment whose reward is divided by a distance that is 0 at the goal."""

    def reward(self) -> Any:
        with np.errstate(all="ignore"):
            return float(1 / np.float64(np.abs(self.goal - self.place).sum()))


@defect("GK314")
class FlagsAreNumbers(Cart):
    """An environment whose flag `terminated` is 0 or 1."""

    def terminated(self) -> Any:
        return int(super().terminated())


@defect("GK314")
class FlagsAreArrays(Grid):
    """An environment whose flag `terminated` is an array."""

    def terminated(self) -> Any:
        return np.array([(self.place == self.goal).all()])

    def reward(self) -> Any:
        return 0.0


@defect("GK315")
class NoInfoAtTheEnd(Cart):
    """An environment whose info is None in the last step of an episode."""

    def info(self) -> Any:
        return None if self.time and (self.terminated() or self.truncated()) else {}


@defect("GK316")
class LegacyKey(Swing):
    """An environment whose info reports the time limit under the key that Gym used before version 0.26."""

    def info(self) -> Any:
        return {"TimeLimit.truncated": True} if self.truncated() else {}


@defect("GK316")
class LimitTerminates(Swing):
    """An environment whose time limit terminates the episode."""

    max_steps = 50

    def terminated(self) -> Any:
        return self.time >= self.max_steps

    def truncated(self) -> Any:
        return False


@defect("GK317")
class OffTheBoard(Grid):
    """An environment in which a robot can walk off the board, although no cells exist there."""

    def prepare(self) -> None:
        super().prepare()
        self.cells = np.arange(self.size**2).reshape(self.size, self.size)

    def act(self, action: Any) -> None:
        self.place = self.place + self.moves[int(action)]
        self.cells[tuple(np.abs(self.place))]

    def observe(self) -> Any:
        return np.int64(self.cells[tuple(np.clip(self.place, 0, 4))])


@defect("GK317")
class FailsFarOut(Robot):
    """An environment whose step fails after a joint has been turned in the same direction for a long time."""

    def act(self, action: Any) -> None:
        super().act(action)
        if self.joints[0] > 3.5:
            raise RuntimeError("joint 0 is out of range")


@defect("GK318")
class ResetsItself(Cart):
    """An environment whose step resets at the end of an episode and returns the next episode's observation."""

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        if terminated or truncated:
            observation, _ = self.reset()
        return observation, reward, terminated, truncated, info


@defect("GK320", severity="warning")
class InfoGrows(Robot):
    """An environment whose info contains an array that grows during the episode."""

    def info(self) -> Any:
        return {"path": np.zeros((self.time, 3))}


@defect("GK320")
class NumberOrText(Grid):
    """An environment whose info contains a number that becomes a word at the end of the episode."""

    def info(self) -> Any:
        return {"left": "none" if self.terminated() else int(np.abs(self.goal - self.place).sum())}


@defect("GK321")
class ShortMask(Cards):
    """An environment whose action mask has one element too few."""

    def info(self) -> Any:
        return {"action_mask": self.hand[:9].copy()}

    def act(self, action: Any) -> None:
        self.hand = self.hand.copy()
        self.hand[int(action)] = 0


@defect("GK321")
class MaskOfZeros(Cards):
    """An environment whose episode continues after three cards, although no action is legal any more."""

    def info(self) -> Any:
        return {"action_mask": self.hand * np.int8(self.time < 3)}


@defect("GK321")
class MaskOfFloats(Cards):
    """An environment whose action mask contains probabilities."""

    def info(self) -> Any:
        return {"action_mask": self.hand / max(1, self.hand.sum())}


@defect("GK401")
class LeavesLate(Cart):
    """An environment whose state leaves the observation space after some time."""

    def observe(self) -> Any:
        observation = super().observe()
        return observation + np.float32(11 if self.time > 25 else 0)

    def terminated(self) -> Any:
        return False


@defect("GK401")
class RoundsUp(Swing):
    """An environment whose observed angle can be slightly larger than pi."""

    def prepare(self) -> None:
        from gymkernel.spaces import Box

        super().prepare()
        self.observation_space = Box(-3.1415926, 3.1415926, (2,), np.float32)

    def observe(self) -> Any:
        angle = (self.angle + np.pi) % (2 * np.pi) - np.pi
        angle = np.pi if abs(abs(angle) - np.pi) < 0.3 else angle
        return np.array([np.nextafter(np.float32(angle), np.float32(4)), np.clip(self.speed, -3, 3)], np.float32)


@defect("GK401")
class CountsFromOne(Grid):
    """An environment that numbers its cells from 1 to 25, although the space allows 0 to 24."""

    def observe(self) -> Any:
        return super().observe() + 1


@defect("GK401")
class NegativeKey(Robot):
    """An environment whose observation contains a nested value that is outside its space."""

    def observe(self) -> Any:
        observation = super().observe()
        observation["arm"]["touch"] -= self.distance() > 1.2
        return observation


@defect("GK401")
class NormalisedPixels(Screen):
    """An environment whose dark pixels have the value -1."""

    def prepare(self) -> None:
        from gymkernel.spaces import Box

        super().prepare()
        self.observation_space = Box(0.0, 1.0, (24, 24, 3), np.float32)

    def observe(self) -> Any:
        return (self.picture() / np.float32(127.5) - 1).astype(np.float32)


@defect("GK322", severity="warning")
class HiddenLimit(Swing):
    """An environment that terminates at the hundredth step because of a hard-coded limit."""

    def terminated(self) -> Any:
        return self.time >= 100

    def truncated(self) -> Any:
        return False


@defect("GK322", severity="warning")
class HiddenLimitOnABoard(Grid):
    """An environment that terminates at the thirtieth step, wherever the robot is."""

    def terminated(self) -> Any:
        return self.time >= 30

    def truncated(self) -> Any:
        return False


@defect("GK322", severity="warning")
class HiddenLimitOfAnArm(Robot):
    """An environment with dictionaries as observations that terminates at the sixtieth step."""

    def terminated(self) -> Any:
        return self.time >= 60

    def truncated(self) -> Any:
        return False


@defect("GK322", severity="warning")
class HiddenLimitInPictures(Screen):
    """An environment that terminates at the fortieth step, although the image looks like the others."""

    def act(self, action: Any) -> None:
        super().act(action)
        self.y = int(self.np_random.integers(20))

    def terminated(self) -> Any:
        return self.time >= 40

    def truncated(self) -> Any:
        return False


@defect("GK322", severity="warning")
class HiddenLimitOfADrift(Swing):
    """An environment with a hidden time limit, whose observed value grows at a different rate in each episode."""

    drift = 0.0

    def start(self) -> None:
        super().start()
        self.drift = float(self.np_random.uniform(-1, 1))

    def act(self, action: Any) -> None:
        super().act(action)
        self.drift += self.np_random.uniform(-0.05, 0.1)

    def observe(self) -> Any:
        return np.array([np.cos(self.angle), np.sin(self.angle), np.clip(self.drift, -8, 8)], np.float32)

    def terminated(self) -> Any:
        return self.time >= 50

    def truncated(self) -> Any:
        return False
