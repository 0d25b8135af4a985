"""Define more unusual but correct environments, for example with a fixed episode length, or with open files."""

from __future__ import annotations

import datetime as dt
import decimal
import pathlib
import tempfile
import threading
import types
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gymkernel.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Sequence, Text, Tuple
from gymkernel.specs import EnvSpec
from gymkernel.utils import EzPickle

from .bases import Base, Cart, Grid, Robot, Swing
from .legal import LEGAL, free, legal

__all__ = ["LEGAL"]

PAIR = Box(-1.0, 1.0, (2,), np.float32)

free("EmptyArray", Dict({"a": PAIR, "none": Box(0, 1, (0,), np.float32)}))
free("EmptyDict", Dict({"a": PAIR, "none": Dict({})}))
free("EmptyTuple", Tuple((PAIR, Tuple(()), Box(0, 1, (3, 0), np.float32))))
free("EmptyDeepInside", Dict({"a": PAIR, "none": Dict({"deep": Box(0, 1, (2, 0), np.uint8)})}))
free("EmptyInActions", PAIR, Dict({"a": Discrete(3), "none": Box(0, 1, (0,), np.float32)}))
free("EmptyTupleInActions", PAIR, Tuple((Discrete(3), Tuple(()))))
free("WideNegative", PAIR, Discrete(2**40, start=-(2**39)))
free("WidePositive", PAIR, Discrete(2**62))
free("WideKnobs", PAIR, MultiDiscrete([2**40, 2**50]))
free("WideWhole", PAIR, Box(np.iinfo(np.int64).min, np.iinfo(np.int64).max, (2,), np.int64))
free("WideUnsigned", PAIR, Box(0, np.iinfo(np.uint64).max, (2,), np.uint64))


@dataclass
class Point:
    """A data class whose instances are used as info values."""

    x: int
    y: int


class Pair(NamedTuple):
    """A named tuple that is used as an info value."""

    left: Any
    right: Any


@legal
class InfoOfObjects(Grid):
    """An environment whose infos contain objects that are not numbers."""

    def info(self) -> Any:
        x, y = (int(item) for item in self.place)
        when, money = dt.datetime(2020, 1, 1 + x, tzinfo=dt.UTC), decimal.Decimal(x)
        found = {"point": Point(x, y), "pair": Pair(x, y), "set": {x, y}, "bytes": bytes([x]), "when": when}
        return {**found, "path": pathlib.PurePosixPath(f"/{x}"), "money": money, "class": Point, "function": abs}


@legal
class InfoOfContainers(Robot):
    """An environment whose infos contain containers of many types."""

    def info(self) -> Any:
        counted = {"counter": Counter("aab"), "ordered": OrderedDict(x=1), "default": defaultdict(int, {"k": 2})}
        deep = {"b": {"c": [np.zeros(2), {"d": (1, "x")}]}}
        return {**counted, "a": deep, "queue": deque([1, 2]), "space": types.SimpleNamespace(a=1), "range": range(3)}


@legal
class InfoOfChangingLength(Grid):
    """An environment whose infos contain lists and dictionaries of varying length, or None for a missing value."""

    def info(self) -> Any:
        n = int(self.place[0])
        maybe = {"name": "x", "n": n} if n % 2 else None
        return {"path": [[i, i] for i in range(n)], "by": {str(i): i for i in range(n)}, "maybe": maybe}


@legal
class FileOfEzPickle(Cart, EzPickle):
    """An environment that holds a file, which EzPickle reopens for a copy."""

    def __init__(self, render_mode: str | None = None) -> None:
        EzPickle.__init__(self, render_mode=render_mode)
        super().__init__(render_mode)

    def prepare(self) -> None:
        super().prepare()
        self.file = tempfile.TemporaryFile()  # noqa: SIM115

    def close(self) -> None:
        self.file.close()


@legal
class LockOfEzPickle(Swing, EzPickle):
    """An environment that holds a lock, which EzPickle replaces with a new lock in a copy."""

    def __init__(self) -> None:
        EzPickle.__init__(self)
        super().__init__()
        self.lock = threading.Lock()


@legal
class FileOfItsState(Cart):
    """An environment that excludes its file from the pickled state and reopens it in the copy."""

    def prepare(self) -> None:
        super().prepare()
        self.file = open(__file__, encoding="utf-8")  # noqa: PTH123, SIM115

    def __getstate__(self) -> Any:
        return {name: value for name, value in self.__dict__.items() if name != "file"}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self.file = open(__file__, encoding="utf-8")  # noqa: PTH123, SIM115

    def close(self) -> None:
        self.file.close()


class Single:
    """A resource that can be open only once at a time."""

    alive: ClassVar[set[type]] = set()

    def take(self) -> None:
        if type(self) in self.alive:
            raise RuntimeError("only one emulator can exist per process")
        self.alive.add(type(self))


@legal
class OneEmulator(Single, Grid):
    """An environment whose emulator can exist only once per process, but can be opened again after it was closed."""

    def prepare(self) -> None:
        self.take()
        super().prepare()

    def close(self) -> None:
        self.alive.discard(type(self))


@legal
class OneEmulatorOfEzPickle(Single, Grid, EzPickle):
    """An environment that cannot be copied, because a process cannot have a second instance of its emulator."""

    def __init__(self) -> None:
        self.take()
        EzPickle.__init__(self)
        super().__init__()

    def close(self) -> None:
        self.alive.discard(type(self))


@legal
class FillsABoard(Base):
    """A game that shows the board as the observation and ends when the last free cell is filled."""

    limit = 10**9

    def prepare(self) -> None:
        self.observation_space, self.action_space = Box(0, 2, (12,), np.int8), Discrete(12)
        self.board = np.zeros(12, np.int8)

    def start(self) -> None:
        self.board = np.zeros(12, np.int8)

    def act(self, action: Any) -> None:
        free_cells = np.flatnonzero(self.board == 0)
        self.board = self.board.copy()
        self.board[free_cells[int(action) % len(free_cells)]] = 1 + self.time % 2

    def observe(self) -> Any:
        return self.board.copy()

    def terminated(self) -> Any:
        return bool(self.board.all())


@legal
class DeepSea(Base):
    """A dive through a fixed number of rows. The observed image shows the current row."""

    limit, rows = 10**9, 12

    def prepare(self) -> None:
        self.observation_space: Any = Box(0, 1, (self.rows + 1, self.rows), np.float32)
        self.action_space: Any = Discrete(2)
        self.column = 0

    def start(self) -> None:
        self.column = 0

    def act(self, action: Any) -> None:
        self.column = int(np.clip(self.column + 2 * int(action) - 1, 0, self.rows - 1))

    def observe(self) -> Any:
        picture = np.zeros((self.rows + 1, self.rows), np.float32)
        picture[self.time, self.column] = 1
        return picture

    def terminated(self) -> Any:
        return self.time >= self.rows


ORDER = np.random.default_rng(5).permutation((DeepSea.rows + 1) * DeepSea.rows)


@legal
class NumberedSea(DeepSea):
    """A variant of `DeepSea` with unordered cell numbers. The numbers of the last row are observed only at the end."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = Discrete(len(ORDER))

    def observe(self) -> Any:
        return int(ORDER[self.time * self.rows + self.column])


@legal
class Spelling(Base):
    """A spelling game in which the length of the observed text shows when the game ends."""

    limit = 10**9

    def prepare(self) -> None:
        self.observation_space, self.action_space = Text(20, charset="abc"), Discrete(3)
        self.word = "a"

    def start(self) -> None:
        self.word = "a"

    def act(self, action: Any) -> None:
        self.word += "abc"[int(action)]

    def observe(self) -> Any:
        return self.word

    def terminated(self) -> Any:
        return len(self.word) >= 15


@legal
class Listing(Spelling):
    """An environment whose observed list has the same length at the end of every episode."""

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = Sequence(Discrete(3))

    def observe(self) -> Any:
        return tuple("abc".index(letter) for letter in self.word)


@legal
class TimeLeft(Cart):
    """An environment whose observation contains the remaining time."""

    limit = 10**9

    def prepare(self) -> None:
        super().prepare()
        self.observation_space = Dict({"state": self.observation_space, "left": Discrete(41)})

    def observe(self) -> Any:
        return {"state": super().observe(), "left": 40 - self.time}

    def terminated(self) -> Any:
        return self.time >= 40


@legal
class TimeAsOneOfMany(Base):
    """An environment in which the time is encoded in one of the observation's many bits."""

    limit = 10**9

    def prepare(self) -> None:
        self.observation_space, self.action_space = MultiBinary(21), Discrete(2)

    def observe(self) -> Any:
        return (np.arange(21) == self.time).astype(np.int8)

    def terminated(self) -> Any:
        return self.time >= 20


@legal
class Corridor(Base):
    """A memory task in which the agent sees a cue, then a corridor, and finally a junction."""

    limit = 10**9

    def prepare(self) -> None:
        self.observation_space, self.action_space = Discrete(4), Discrete(2)
        self.cue = 0

    def start(self) -> None:
        self.cue = int(self.np_random.integers(2))

    def observe(self) -> Any:
        return self.cue if self.time == 0 else 3 if self.time >= 19 else 2

    def terminated(self) -> Any:
        return self.time >= 20

    def reward(self) -> Any:
        return float(self.time >= 20)


PRICES = np.random.default_rng(0).normal(size=44).astype(np.float32)


@legal
class Prices(Base):
    """A trading environment that shows windows over a price series, all of which are different until the last day."""

    limit = 10**9

    def prepare(self) -> None:
        self.observation_space, self.action_space = Box(-np.inf, np.inf, (5,), np.float32), Discrete(3)
        self.own = 0

    def start(self) -> None:
        self.own = 0

    def act(self, action: Any) -> None:
        self.own = int(action)

    def observe(self) -> Any:
        return np.append(PRICES[self.time : self.time + 4], np.float32(self.own))

    def terminated(self) -> Any:
        return self.time >= 40


@legal
class SixGuesses(Base):
    """A game that ends after a fixed number of guesses."""

    limit = 10**9

    def prepare(self) -> None:
        self.observation_space, self.action_space = Discrete(3), Discrete(50)
        self.code = self.hint = 0

    def start(self) -> None:
        self.code, self.hint = int(self.np_random.integers(50)), 0

    def act(self, action: Any) -> None:
        self.hint = 1 + int(int(action) > self.code)

    def observe(self) -> Any:
        return self.hint

    def terminated(self) -> Any:
        return self.time >= 6


@legal
class KeepsItsGenerator(Grid):
    """An environment whose reset recreates the action space but keeps the space's generator."""

    def start(self) -> None:
        before, self.action_space = self.action_space, Discrete(4)
        self.action_space._np_random = before._np_random
        super().start()


@legal
class SetsItAgain(Cart):
    """An environment whose reset assigns the same action space again."""

    def start(self) -> None:
        self.action_space = self.action_space
        super().start()


@legal
class ForwardsWithCare(Grid):
    """An environment whose `__getattr__` forwards only public names, so that copying works."""

    def __init__(self) -> None:
        self._simulator = Point(1, 2)
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._simulator, name)


@legal
class ConstantMetadata(Grid):
    """An environment with immutable metadata."""

    metadata: Any = types.MappingProxyType({"render_modes": []})


@legal
class ComputedAttributes(Cart):
    """An environment whose metadata and spaces are properties."""

    observed: Any = None

    @property
    def metadata(self) -> Any:  # type: ignore[override]
        return {"render_modes": []}

    @property
    def observation_space(self) -> Any:
        return self.observed

    @observation_space.setter
    def observation_space(self, value: Any) -> None:
        self.observed = value


LEGAL["FillsInTwelve"] = EnvSpec("FillsInTwelve-v0", FillsABoard, max_episode_steps=12)
