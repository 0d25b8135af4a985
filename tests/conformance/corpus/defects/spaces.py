"""Environments with faulty constructors, spaces, or arguments and results of reset."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymkernel.spaces import Box, Dict, Discrete

from ..bases import Cart, Grid, Robot, Swing
from ..registry import defect


@defect("GK001")
class NeedsALevel(Grid):
    """An environment whose constructor has an argument without a default."""

    def __init__(self, level: str) -> None:
        super().__init__()
        self.level = level


@defect("GK001")
class NeedsASimulator(Cart):
    """An environment whose constructor imports a package that is not installed."""

    def prepare(self) -> None:
        import absent_physics_engine  # type: ignore[import-not-found]  # noqa: F401

        super().prepare()


@defect("GK001")
class ReadsAFile(Cart):
    """An environment whose constructor reads a file that exists only on its author's machine."""

    def prepare(self) -> None:
        from pathlib import Path

        Path("levels/level_1.txt").read_text(encoding="utf-8")


@defect("GK002", "GK617")
class NoEnvironment:
    """A class that has only reset and step, and does not inherit from Env."""

    observation_space: Any = Box(-1.0, 1.0, (2,), np.float32)
    action_space: Any = Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(2, np.float32), 0.0, True, False, {}


@defect("GK101")
class SpaceInReset(Grid):
    """An environment that creates its action space in the first reset."""

    def prepare(self) -> None:
        super().prepare()
        del self.action_space

    def start(self) -> None:
        self.action_space = Discrete(4)
        super().start()


@defect("GK101")
class OneSpace(Cart):
    """An environment whose observation space is None."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = None


@defect("GK102")
class ShapeForASpace(Cart):
    """An environment whose observation space is a shape (a tuple) instead of a space."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = (4,)


@defect("GK102")
class ClassForASpace(Grid):
    """An environment whose action space is a class instead of an instance."""

    def prepare(self) -> None:
        super().prepare()
        self.action_space = Discrete


@defect("GK102")
class DictOfSpaces(Robot):
    """An environment whose observation space is a plain dictionary of spaces instead of a Dict."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = dict(self.observation_space.spaces)


@defect("GK103")
class SpaceByProperty(Grid):
    """An environment with a property that creates the action space on each access."""

    action_space = property(lambda self: Discrete(4), lambda self, value: None)


@defect("GK104")
class GrowingSpace(Grid):
    """An environment whose reset adds an action to the action space."""

    actions: ClassVar[int] = 4

    def start(self) -> None:
        super().start()
        self.action_space = Discrete(self.action_space.n + 1)

    def act(self, action: Any) -> None:
        super().act(int(action) % 4)


class Halves(Box):
    """A space whose samples have a different dtype from the space."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return super().sample().astype(np.float64)


@defect("GK105")
class RejectsItsSamples(Swing):
    """An environment whose action space does not contain its own samples."""

    def prepare(self) -> None:
        super().prepare()
        self.action_space = Halves(-2.0, 2.0, (1,), np.float32)


@defect("GK201")
class OldSeed(Cart):
    """An environment that has the old method `seed` and whose reset accepts no seed."""

    def seed(self, seed: int | None = None) -> None:
        super().reset(seed=seed)

    def reset(self, *, options: dict[str, Any] | None = None) -> Any:  # type: ignore[override]
        return super().reset()


@defect("GK201", "GK202")
class BareReset(Grid):
    """An environment whose reset accepts no arguments."""

    def reset(self) -> Any:  # type: ignore[override]
        return super().reset()


@defect("GK202")
class NoOptions(Cart):
    """An environment whose reset accepts no options."""

    def reset(self, *, seed: int | None = None) -> Any:  # type: ignore[override]
        return super().reset(seed=seed)


@defect("GK203")
class ObservationAlone(Cart):
    """An environment whose reset returns only the observation, as in Gym before version 0.26."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)[0]


@defect("GK203")
class ResetFails(Grid):
    """An environment whose reset reads an attribute that is never set."""

    def start(self) -> None:
        super().start()
        self.place = self.place + self.offset  # type: ignore[attr-defined]


@defect("GK204")
class NoneForAnInfo(Grid):
    """An environment whose reset returns None as the info."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)[0], None


@defect("GK204")
class InfoOfPairs(Cart):
    """An environment whose reset returns a list of pairs as the info."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)[0], [("time", self.time)]


@defect("GK206")
class SeedOf42(Cart):
    """An environment whose reset has the default seed 42."""

    def reset(self, *, seed: int | None = 42, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)


@defect("GK212")
class PopsOptions(Grid):
    """An environment whose reset removes an option from the caller's dictionary."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        result = super().reset(seed=seed)
        if options is not None:
            self.goal = np.asarray(options.pop("goal", (4, 4)))
        return result


@defect("GK212")
class FillsOptions(Cart):
    """An environment whose reset writes its defaults into the caller's dictionary."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if options is not None:
            options.setdefault("low", -0.05)
        return super().reset(seed=seed)


@defect("GK213")
class RequiresAnOption(Grid):
    """An environment whose reset requires a certain option whenever options are passed."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        result = super().reset(seed=seed)
        if options is not None:
            self.goal = np.asarray(options["goal"])
        return result


@defect("GK301")
class OneActionTooMany(Grid):
    """An environment whose action space contains one more action than there are moves."""

    def prepare(self) -> None:
        super().prepare()
        self.action_space = Discrete(5)


@defect("GK301")
class AssertsInside(Swing):
    """An environment whose step rejects the bounds of the action space."""

    def act(self, action: Any) -> None:
        if not -2 < float(action[0]) < 2:
            raise ValueError("the torque is too large")
        super().act(action)


@defect("GK302")
class NanAtTheCorner(Swing):
    """An environment that, at the bounds, takes the square root of a number that rounding has made negative."""

    def reward(self) -> Any:
        return (
            super().reward() + float(np.log(np.float64(1.0) - abs(self.torque) / 2)) if abs(self.torque) < 2 else np.nan
        )


@defect("GK302")
class DividesByTheAction(Robot):
    """An environment whose step divides by the length of the action."""

    def act(self, action: Any) -> None:
        with np.errstate(all="ignore"):
            super().act(np.asarray(action) / np.linalg.norm(action))

    def prepare(self) -> None:
        super().prepare()
        whole = {"joints": Box(-np.inf, np.inf, (3,), np.float32), "touch": Discrete(2)}
        self.observation_space = Dict({"arm": Dict(whole), "target": Box(-1.0, 1.0, (2,), np.float32)})


@defect("GK303")
class WantsAnItem(Grid):
    """An environment whose step accepts only NumPy integers."""

    def act(self, action: Any) -> None:
        super().act(action.item())


@defect("GK303")
class WantsAnInt(Cart):
    """An environment whose step accepts only Python integers."""

    def act(self, action: Any) -> None:
        if not isinstance(action, int):
            raise TypeError(f"expected an int, got {type(action)}")
        super().act(action)
