"""Environments whose attributes raise exceptions, have wrong types, are recreated, or are forwarded endlessly."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymkernel.spaces import Box, Dict, Discrete

from ..bases import Cart, Grid, Robot, Swing
from ..registry import defect


def _get(error: Exception) -> Any:
    """Return a property that raises an exception of the given type."""

    def get(self: Any) -> Any:
        raise type(error)(*error.args)

    return property(get, lambda self, value: None)


@defect("GK007")
class SpaceBeforeReset(Grid):
    """An environment whose action space cannot be read before the first reset."""

    ready = False
    known: Any = None

    @property
    def action_space(self) -> Any:
        if not self.ready:
            raise RuntimeError("call reset first")
        return self.known

    @action_space.setter
    def action_space(self, value: Any) -> None:
        self.known = value

    def start(self) -> None:
        self.ready = True
        super().start()


@defect("GK007")
class SpaceOfNothing(Cart):
    """An environment that reads its observation space from an attribute that does not exist."""

    observation_space = _get(AttributeError("'NoneType' object has no attribute 'space'"))


@defect("GK007")
class SpaceInAnEpisode(Grid):
    """An environment whose observation space cannot be read during an episode."""

    known: Any = None

    @property
    def observation_space(self) -> Any:
        if self.time:
            raise OSError("the simulator is busy")
        return self.known

    @observation_space.setter
    def observation_space(self, value: Any) -> None:
        self.known = value


@defect("GK007")
class MetadataAreAsked(Swing):
    """An environment that reads its metadata from a simulator that has not been created yet."""

    metadata = _get(ConnectionError("no simulator"))


@defect("GK007")
class NoRenderMode(Cart):
    """An environment whose property `render_mode` looks up a key that does not exist."""

    render_mode = _get(KeyError("mode"))


@defect("GK007")
class NoSpec(Robot):
    """An environment whose property `spec` raises an exception."""

    spec = _get(NotImplementedError())


@defect("GK007")
class NothingInside(Grid):
    """An environment whose property `unwrapped` reads an attribute that does not exist."""

    unwrapped = _get(ValueError("no environment inside"))


@defect("GK007")
class NoRange(Swing):
    """An environment whose property `reward_range`, from the old API, divides by zero."""

    reward_range = _get(ZeroDivisionError("division by zero"))


@defect("GK007", "GK203", "GK2")
class NoGenerator(Cart):
    """An environment that reads its generator from a simulator that does not exist."""

    np_random = _get(RuntimeError("no simulator"))


@defect("GK007", "GK901")
class EverythingIsAKey(Grid):
    """An environment whose `__getattr__` raises KeyError, so that `hasattr` also raises an exception."""

    table: ClassVar[dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return self.table[name]


@defect("GK801")
class NoMetadata(Grid):
    """An environment whose metadata is None."""

    metadata: Any = None


@defect("GK801")
class MetadataAreAList(Cart):
    """An environment whose metadata is the list of render modes."""

    metadata: Any = ["rgb_array"]  # noqa: RUF012


@defect("GK103")
class NewInReset(Grid):
    """An environment that replaces the action space with an equal one in each reset."""

    def start(self) -> None:
        self.action_space = Discrete(4)
        super().start()


@defect("GK103")
class NewObservations(Cart):
    """An environment that replaces the observation space with an equal one in each reset."""

    def start(self) -> None:
        self.observation_space = Box(-10.0, 10.0, (4,), np.float32)
        super().start()


@defect("GK103")
class MadeAnew(Robot):
    """An environment whose reset calls `__init__` again."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.__init__()  # type: ignore[misc]
        return super().reset(seed=seed)


@defect("GK103")
class NewWithASeed(Swing):
    """An environment that creates a new action space and seeds it in each reset."""

    def start(self) -> None:
        self.action_space = Box(-2.0, 2.0, (1,), np.float32, seed=0)
        super().start()


@defect("GK103")
class NewInStep(Cart):
    """An environment that replaces the action space with an equal one in each step."""

    def act(self, action: Any) -> None:
        super().act(action)
        self.action_space = Discrete(2)


@defect("GK103")
class NewEverySecondTime(Grid):
    """An environment that replaces the action space with an equal one on every second reset."""

    count = 0

    def start(self) -> None:
        self.count += 1
        if self.count % 2 == 0:
            self.action_space = Discrete(4)
        super().start()


@defect("GK103")
class NewPart(Swing):
    """An environment that recreates one inner space of the action space."""

    def prepare(self) -> None:
        super().prepare()
        self.action_space = Dict({"torque": self.action_space, "brake": Discrete(2)})

    def start(self) -> None:
        self.action_space.spaces["brake"] = Discrete(2)
        super().start()

    def act(self, action: Any) -> None:
        super().act(action["torque"] * (1 - 0.5 * float(action["brake"])))


@defect("GK103")
class KeptForAnEpisode(Grid):
    """An environment whose action space is a property that creates a new space after each reset."""

    known: Any = None

    @property
    def action_space(self) -> Any:
        self.known = self.known or Discrete(4)
        return self.known

    @action_space.setter
    def action_space(self, value: Any) -> None:
        pass

    def start(self) -> None:
        self.known = None
        super().start()


class Simulator:
    """A simulator to which an environment's `__getattr__` forwards attribute access."""

    gravity = 9.81


class Forwarding(Simulator):
    """A simulator whose `__getattr__` forwards to an attribute that does not exist until the constructor sets it."""

    def __init__(self) -> None:
        self.engine = Simulator()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)


@defect("GK901")
class ForwardsToASimulator(Grid):
    """An environment whose `__getattr__` forwards to an attribute that a new copy does not have yet."""

    def __init__(self) -> None:
        self.simulator = Simulator()
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.simulator, name)


@defect("GK901")
class LooksIntoATable(Cart):
    """An environment whose `__getattr__` reads a dictionary that a new copy does not have yet."""

    def __init__(self) -> None:
        self.table = {"gravity": 9.81}
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        if name in self.table:
            return self.table[name]
        raise AttributeError(name)


@defect("GK901")
class AsksAllParts(Swing):
    """An environment whose `__getattr__` searches a list of parts that a new copy does not have yet."""

    def __init__(self) -> None:
        self.members = [Simulator()]
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        for member in self.members:
            if hasattr(member, name):
                return getattr(member, name)
        raise AttributeError(name)


@defect("GK901")
class HoldsWhatForwards(Grid):
    """An environment that holds a simulator whose `__getattr__` calls itself endlessly."""

    def prepare(self) -> None:
        super().prepare()
        self.simulator = Forwarding()


@defect("GK901")
class ForwardsBesideAFile(Grid):
    """An environment with endless forwarding that also holds a file, which cannot be pickled."""

    def __init__(self) -> None:
        self.simulator = Simulator()
        super().__init__()
        self.file = open(__file__, encoding="utf-8")  # noqa: PTH123, SIM115

    def __getattr__(self, name: str) -> Any:
        return getattr(self.simulator, name)

    def close(self) -> None:
        self.file.close()


@defect("GK901")
class ForwardsWithAState(Robot):
    """An environment with `__getstate__`, whose `__getattr__` recurses when pickle looks up `__setstate__`."""

    def __init__(self) -> None:
        self.simulator = Simulator()
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.simulator, name)

    def __getstate__(self) -> Any:
        return self.__dict__.copy()
