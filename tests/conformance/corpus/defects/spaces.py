"""Making environments, and their spaces."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymkernel.spaces import Box, Dict, Discrete

from ..bases import Cart, Grid, Robot, Swing
from ..registry import defect


@defect("GK001")
class NeedsALevel(Grid):
    """The constructor has an argument without a default."""

    def __init__(self, level: str) -> None:
        super().__init__()
        self.level = level


@defect("GK001")
class NeedsASimulator(Cart):
    """What it imports is not installed."""

    def prepare(self) -> None:
        import absent_physics_engine  # type: ignore[import-not-found]  # noqa: F401

        super().prepare()


@defect("GK001")
class ReadsAFile(Cart):
    """A file that only its author has."""

    def prepare(self) -> None:
        from pathlib import Path

        Path("levels/level_1.txt").read_text(encoding="utf-8")


@defect("GK002", "GK617")
class NoEnvironment:
    """Has a reset and a step, and nothing else."""

    observation_space: Any = Box(-1.0, 1.0, (2,), np.float32)
    action_space: Any = Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(2, np.float32), 0.0, True, False, {}


@defect("GK101")
class SpaceInReset(Grid):
    """The action space comes with the first reset."""

    def prepare(self) -> None:
        super().prepare()
        del self.action_space

    def start(self) -> None:
        self.action_space = Discrete(4)
        super().start()


@defect("GK101")
class OneSpace(Cart):
    """The observation space is None."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = None


@defect("GK102")
class ShapeForASpace(Cart):
    """The observation space is a shape."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = (4,)


@defect("GK102")
class ClassForASpace(Grid):
    """The action space is the class, not an instance."""

    def prepare(self) -> None:
        super().prepare()
        self.action_space = Discrete


@defect("GK102")
class DictOfSpaces(Robot):
    """A dictionary of spaces, which is no Dict."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = dict(self.observation_space.spaces)


@defect("GK103")
class SpaceByProperty(Grid):
    """A property makes the action space anew at each access."""

    action_space = property(lambda self: Discrete(4), lambda self, value: None)


@defect("GK104")
class GrowingSpace(Grid):
    """Each reset has one action more."""

    actions: ClassVar[int] = 4

    def start(self) -> None:
        super().start()
        self.action_space = Discrete(self.action_space.n + 1)

    def act(self, action: Any) -> None:
        super().act(int(action) % 4)


class Halves(Box):
    """Samples are of another dtype than the space."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return super().sample().astype(np.float64)


@defect("GK105")
class RejectsItsSamples(Swing):
    """Actions that the space draws are no elements of it."""

    def prepare(self) -> None:
        super().prepare()
        self.action_space = Halves(-2.0, 2.0, (1,), np.float32)


@defect("GK201")
class OldSeed(Cart):
    """The method `seed` of old, and a reset that takes none."""

    def seed(self, seed: int | None = None) -> None:
        super().reset(seed=seed)

    def reset(self, *, options: dict[str, Any] | None = None) -> Any:  # type: ignore[override]
        return super().reset()


@defect("GK201", "GK202")
class BareReset(Grid):
    """A reset without arguments."""

    def reset(self) -> Any:  # type: ignore[override]
        return super().reset()


@defect("GK202")
class NoOptions(Cart):
    """A reset without options."""

    def reset(self, *, seed: int | None = None) -> Any:  # type: ignore[override]
        return super().reset(seed=seed)


@defect("GK203")
class ObservationAlone(Cart):
    """Reset returns the observation only, as of old."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)[0]


@defect("GK203")
class ResetFails(Grid):
    """An attribute that nobody sets."""

    def start(self) -> None:
        super().start()
        self.place = self.place + self.offset  # type: ignore[attr-defined]


@defect("GK204")
class NoneForAnInfo(Grid):
    """The info of reset is None."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)[0], None


@defect("GK204")
class InfoOfPairs(Cart):
    """The info of reset is a list of pairs."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)[0], [("time", self.time)]


@defect("GK206")
class SeedOf42(Cart):
    """The seed is 42 by default."""

    def reset(self, *, seed: int | None = 42, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)


@defect("GK212")
class PopsOptions(Grid):
    """Takes its option out of the caller's dictionary."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        result = super().reset(seed=seed)
        if options is not None:
            self.goal = np.asarray(options.pop("goal", (4, 4)))
        return result


@defect("GK212")
class FillsOptions(Cart):
    """Writes its defaults into the caller's dictionary."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if options is not None:
            options.setdefault("low", -0.05)
        return super().reset(seed=seed)


@defect("GK213")
class RequiresAnOption(Grid):
    """An option is required where there are any."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        result = super().reset(seed=seed)
        if options is not None:
            self.goal = np.asarray(options["goal"])
        return result


@defect("GK301")
class OneActionTooMany(Grid):
    """The space has an action more than there are moves."""

    def prepare(self) -> None:
        super().prepare()
        self.action_space = Discrete(5)


@defect("GK301")
class AssertsInside(Swing):
    """The bounds are no legal actions."""

    def act(self, action: Any) -> None:
        if not -2 < float(action[0]) < 2:
            raise ValueError("the torque is too large")
        super().act(action)


@defect("GK302")
class NanAtTheCorner(Swing):
    """A square root that is of nothing at the bound, and of less beyond a rounding."""

    def reward(self) -> Any:
        return (
            super().reward() + float(np.log(np.float64(1.0) - abs(self.torque) / 2)) if abs(self.torque) < 2 else np.nan
        )


@defect("GK302")
class DividesByTheAction(Robot):
    """Divides by the length of the action."""

    def act(self, action: Any) -> None:
        with np.errstate(all="ignore"):
            super().act(np.asarray(action) / np.linalg.norm(action))

    def prepare(self) -> None:
        super().prepare()
        whole = {"joints": Box(-np.inf, np.inf, (3,), np.float32), "touch": Discrete(2)}
        self.observation_space = Dict({"arm": Dict(whole), "target": Box(-1.0, 1.0, (2,), np.float32)})


@defect("GK303")
class WantsAnItem(Grid):
    """Takes NumPy's integers only."""

    def act(self, action: Any) -> None:
        super().act(action.item())


@defect("GK303")
class WantsAnInt(Cart):
    """Takes Python's integers only."""

    def act(self, action: Any) -> None:
        if not isinstance(action, int):
            raise TypeError(f"expected an int, got {type(action)}")
        super().act(action)
