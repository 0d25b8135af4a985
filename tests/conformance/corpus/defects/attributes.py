"""Defects of attributes: exceptions, wrong types, objects that are created again, and endless forwarding."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gymkernel.spaces import Box, Dict, Discrete

from ..bases import Cart, Grid, Robot, Swing
from ..registry import defect


def _get(error: Exception) -> Any:
    """Return a property that raises an exception of this kind."""

    def get(self: Any) -> Any:
        raise type(error)(*error.args)

    return property(get, lambda self, value: None)


@defect("GK007")
class SpaceBeforeReset(Grid):
    """The action space cannot be read before the first reset."""

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
    """The observation space is read from an attribute that does not exist."""

    observation_space = _get(AttributeError("'NoneType' object has no attribute 'space'"))


@defect("GK007")
class SpaceInAnEpisode(Grid):
    """The observation space cannot be read during an episode."""

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
    """The metadata is read from a simulator that does not exist yet."""

    metadata = _get(ConnectionError("no simulator"))


@defect("GK007")
class NoRenderMode(Cart):
    """The render mode is looked up in a table that does not contain it."""

    render_mode = _get(KeyError("mode"))


@defect("GK007")
class NoSpec(Robot):
    """The property that computes the spec raises an exception."""

    spec = _get(NotImplementedError())


@defect("GK007")
class NothingInside(Grid):
    """The property `unwrapped` reads an attribute that does not exist."""

    unwrapped = _get(ValueError("no environment inside"))


@defect("GK007")
class NoRange(Swing):
    """The property for the old reward range divides by zero."""

    reward_range = _get(ZeroDivisionError("division by zero"))


@defect("GK007", "GK203", "GK2")
class NoGenerator(Cart):
    """The generator is read from a simulator that does not exist."""

    np_random = _get(RuntimeError("no simulator"))


@defect("GK007", "GK901")
class EverythingIsAKey(Grid):
    """`__getattr__` raises KeyError, so hasattr raises an exception, too."""

    table: ClassVar[dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return self.table[name]


@defect("GK801")
class NoMetadata(Grid):
    """The metadata is None."""

    metadata: Any = None


@defect("GK801")
class MetadataAreAList(Cart):
    """The metadata is the list of the render modes."""

    metadata: Any = ["rgb_array"]  # noqa: RUF012


@defect("GK103")
class NewInReset(Grid):
    """Each reset creates an equal action space."""

    def start(self) -> None:
        self.action_space = Discrete(4)
        super().start()


@defect("GK103")
class NewObservations(Cart):
    """Each reset creates an equal observation space."""

    def start(self) -> None:
        self.observation_space = Box(-10.0, 10.0, (4,), np.float32)
        super().start()


@defect("GK103")
class MadeAnew(Robot):
    """reset calls the constructor."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.__init__()  # type: ignore[misc]
        return super().reset(seed=seed)


@defect("GK103")
class NewWithASeed(Swing):
    """Each new action space has its own seed."""

    def start(self) -> None:
        self.action_space = Box(-2.0, 2.0, (1,), np.float32, seed=0)
        super().start()


@defect("GK103")
class NewInStep(Cart):
    """Each step creates an equal action space."""

    def act(self, action: Any) -> None:
        super().act(action)
        self.action_space = Discrete(2)


@defect("GK103")
class NewEverySecondTime(Grid):
    """Every second reset creates an equal action space."""

    count = 0

    def start(self) -> None:
        self.count += 1
        if self.count % 2 == 0:
            self.action_space = Discrete(4)
        super().start()


@defect("GK103")
class NewPart(Swing):
    """A part of the action space is created again."""

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
    """A property keeps the action space only until the next reset."""

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
    """A simulator to which `__getattr__` forwards."""

    gravity = 9.81


class Forwarding(Simulator):
    """An environment whose `__getattr__` forwards to an attribute that an empty object does not have."""

    def __init__(self) -> None:
        self.engine = Simulator()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)


@defect("GK901")
class ForwardsToASimulator(Grid):
    """`__getattr__` forwards to an attribute that a copy does not have yet."""

    def __init__(self) -> None:
        self.simulator = Simulator()
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.simulator, name)


@defect("GK901")
class LooksIntoATable(Cart):
    """`__getattr__` reads a dictionary that a copy does not have yet."""

    def __init__(self) -> None:
        self.table = {"gravity": 9.81}
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        if name in self.table:
            return self.table[name]
        raise AttributeError(name)


@defect("GK901")
class AsksAllParts(Swing):
    """`__getattr__` reads a list of parts that a copy does not have yet."""

    def __init__(self) -> None:
        self.members = [Simulator()]
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        for one in self.members:
            if hasattr(one, name):
                return getattr(one, name)
        raise AttributeError(name)


@defect("GK901")
class HoldsWhatForwards(Grid):
    """The simulator inside the environment forwards to itself without end."""

    def prepare(self) -> None:
        super().prepare()
        self.simulator = Forwarding()


@defect("GK901")
class ForwardsBesideAFile(Grid):
    """The environment also holds a file, which cannot be pickled for another reason."""

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
    """The class defines `__getstate__`, and `__getattr__` recurses when pickle looks up `__setstate__`."""

    def __init__(self) -> None:
        self.simulator = Simulator()
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.simulator, name)

    def __getstate__(self) -> Any:
        return self.__dict__.copy()
