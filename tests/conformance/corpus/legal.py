"""Define unusual but correct environments, for which no rule may report an error or a warning."""

from __future__ import annotations

import enum
import time
from typing import Any, ClassVar

import numpy as np

from gymkernel import Env, Wrapper
from gymkernel.spaces import (
    Box,
    Dict,
    Discrete,
    Graph,
    GraphInstance,
    MultiBinary,
    MultiDiscrete,
    OneOf,
    Sequence,
    Text,
    Tuple,
)
from gymkernel.specs import EnvSpec

from .bases import Base, Cards, Cart, Grid, Robot, Screen, Swing

__all__ = ["LEGAL"]

LEGAL: dict[str, Any] = {item.__name__: item for item in (Cart, Swing, Grid, Robot, Screen, Cards)}


def legal(cls: type[Any]) -> type[Any]:
    """Add a class to the list of legal environments."""
    LEGAL[cls.__name__] = cls
    return cls


def weight(action: Any) -> float:
    """Return a number that depends on an action's value but not on its type."""
    if isinstance(action, dict):
        return sum(map(weight, action.values()))
    if isinstance(action, tuple | list):
        return len(action) + sum(map(weight, action))
    return float(len(action)) if isinstance(action, str) else float(np.sum(np.asarray(action, np.float64)))


class Free(Base):
    """An environment whose observations are random elements of a given space, determined by the seed."""

    space: Any = Box(-1.0, 1.0, (2,), np.float32)
    actions: Any = Discrete(3)

    def prepare(self) -> None:
        import copy

        self.observation_space, self.action_space = copy.deepcopy(self.space), copy.deepcopy(self.actions)
        self.source = copy.deepcopy(self.space)
        self.last = 0.0

    def start(self) -> None:
        self.source.seed(int(self.np_random.integers(2**31)))
        self.last = 0.0

    def act(self, action: Any) -> None:
        self.last = weight(action)

    def reward(self) -> Any:
        return self.last

    def observe(self) -> Any:
        return self.source.sample()


def free(name: str, space: Any = Free.space, actions: Any = Free.actions) -> None:
    LEGAL[name] = type(name, (Free,), {"space": space, "actions": actions, "__module__": __name__})
    globals()[name] = LEGAL[name]


free("Words", Text(6), Text(3))
free("Graphs", Graph(Box(-1.0, 1.0, (2,), np.float32), Discrete(3)))
free("Lists", Sequence(Box(0.0, 1.0, (2,), np.float32)), Sequence(Discrete(3)))
free("Stacks", Sequence(Box(0.0, 1.0, (2,), np.float32), stack=True))
free("Either", OneOf((Discrete(3), Box(-1.0, 1.0, (2,), np.float32))), OneOf((Discrete(3), Discrete(2))))
free("Pairs", Tuple((Discrete(3), Box(-1.0, 1.0, (2,), np.float32))), Tuple((Discrete(3), MultiBinary(2))))
free("Nested", Dict({"a": Dict({"b": Tuple((Discrete(2), Discrete(3)))}), "c": MultiDiscrete([2, 3])}))
free("Keyed", actions=Dict({"move": Box(-1.0, 1.0, (2,), np.float32), "grip": Discrete(2)}))
free("Switches", MultiBinary((2, 3)), MultiBinary(4))
free("Knobs", MultiDiscrete([3, 4]), MultiDiscrete([3, 4]))
free("Matrix", MultiDiscrete([[2, 3], [4, 5]]), MultiDiscrete([[2, 3], [4, 5]]))
free("Scalars", Box(-1.0, 1.0, (), np.float32), Box(-1.0, 1.0, (), np.float32))
free("Whole", Box(-5, 5, (3,), np.int64), Box(-5, 5, (3,), np.int32))
free("Unbounded", Box(-np.inf, np.inf, (3,), np.float32), Box(-np.inf, np.inf, (2,), np.float32))
free(
    "HalfBounded",
    Box(0.0, np.inf, (3,), np.float64),
    Box(np.array([-1.0, 0.0]), np.array([1.0, 100.0]), dtype=np.float64),
)
free("Shifted", Discrete(5, start=-2), Discrete(3, start=10))
free("Many", Discrete(100_000), Discrete(100_000))
free("OneChoice", Discrete(7), Discrete(1))
free("Grey", Box(0, 255, (20, 20), np.uint8))
free("ChannelFirst", Box(0, 255, (3, 20, 20), np.uint8))
free("Halfs", Box(-1.0, 1.0, (4,), np.float16), Box(-1.0, 1.0, (4,), np.float64))
free("Flags", Box(0, 1, (4,), np.bool_))


@legal
class OneStep(Cart):
    """An environment with one-step episodes, as in a contextual bandit."""

    def terminated(self) -> Any:
        return True


@legal
class OneTruncatedStep(Cart):
    """An environment whose every episode is truncated after one step."""

    limit = 1

    def terminated(self) -> Any:
        return False


@legal
class Endless(Swing):
    """An environment whose episodes never end."""

    limit = 10**9


@legal
class Bandit(Base):
    """An environment whose observations contain no information."""

    limit = 1

    def prepare(self) -> None:
        self.observation_space, self.action_space = Discrete(1), Discrete(10)
        self.won = 0.0

    def act(self, action: Any) -> None:
        self.won = float(self.np_random.normal(int(action)))

    def reward(self) -> Any:
        return self.won

    def observe(self) -> Any:
        return 0


@legal
class NanInTheInfo(Robot):
    """An environment whose info contains NaN until a value is known."""

    def info(self) -> Any:
        return {"score": np.nan, "best": {"score": float("nan")}, "all": np.array([np.nan, 1.0])}


@legal
class TimingInTheInfo(Cart):
    """An environment whose info contains the duration of the step."""

    def info(self) -> Any:
        return {"wall_clock": time.time(), "episode": {"t": time.perf_counter(), "l": self.time}, "speed": time.time()}


@legal
class ClockInTheInfo(Grid):
    """An environment whose info contains the clock time, under a key that does not mention time."""

    def info(self) -> Any:
        return {"lag": time.perf_counter() % 1}


@legal
class Float32Reward(Cart):
    """An environment whose rewards are single-precision NumPy numbers."""

    def reward(self) -> Any:
        return np.float32(1.0)


@legal
class Float64Reward(Swing):
    """An environment whose rewards are double-precision NumPy numbers."""

    def reward(self) -> Any:
        return np.float64(super().reward())


@legal
class IntegerReward(Grid):
    """An environment whose rewards are integers."""

    def reward(self) -> Any:
        return int(self.terminated())


@legal
class NumpyFlags(Cart):
    """An environment whose flags are NumPy booleans."""

    def terminated(self) -> Any:
        return np.abs(self.state[0]) > 2.4

    def truncated(self) -> Any:
        return np.bool_(self.time >= self.limit)


@legal
class HoldsAFile(Cart):
    """An environment that holds a resource that cannot be copied, and releases the resource in close."""

    def prepare(self) -> None:
        import tempfile

        super().prepare()
        self.file = tempfile.TemporaryFile()  # noqa: SIM115

    def close(self) -> None:
        self.file.close()


@legal
class OneAtATime(Grid):
    """An environment with a robot that only one instance can use at a time."""

    taken: ClassVar[list[bool]] = []

    def prepare(self) -> None:
        if self.taken:
            raise OSError("the port is taken")
        self.taken.append(True)
        super().prepare()

    def close(self) -> None:
        self.taken.clear()


@legal
class Slow(Cart):
    """An environment whose steps take two milliseconds."""

    def act(self, action: Any) -> None:
        time.sleep(0.002)
        super().act(action)


@legal
class SlowReset(Grid):
    """An environment whose resets take a tenth of a second."""

    def start(self) -> None:
        time.sleep(0.1)
        super().start()


@legal
class FixedStart(Swing):
    """An environment whose episodes all start in the same state and whose dynamics have no noise."""

    def start(self) -> None:
        self.angle, self.speed, self.torque = 0.5, 0.0, 0.0

    def act(self, action: Any) -> None:
        self.torque = float(action[0])
        self.speed = float(np.clip(self.speed + 0.05 * (15 * np.sin(self.angle) + 3 * self.torque), -8, 8))
        self.angle += self.speed * 0.05


@legal
class OwnGenerator(Cart):
    """An environment with its own generator, which reset seeds."""

    own: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None or self.own is None:
            self.own = np.random.RandomState(None if seed is None else seed % 2**32)
        return super().reset(seed=seed)

    def start(self) -> None:
        self.state = self.own.uniform(-0.05, 0.05, 4)


@legal
class ObservedMask(Cards):
    """An environment whose observation contains the action mask."""

    def prepare(self) -> None:
        super().prepare()
        parts = {"last": Discrete(10), "action_mask": Box(0, 1, (10,), np.int8)}
        self.observation_space = Dict(parts)

    def observe(self) -> Any:
        return {"last": self.last, "action_mask": self.hand.copy()}

    def info(self) -> Any:
        return {}


@legal
class MaskByMethod(Cards):
    """An environment with a method that returns the action mask as booleans."""

    def action_masks(self) -> Any:
        return self.hand.astype(bool)

    def info(self) -> Any:
        return {}


@legal
class MaskOfTwo(Base):
    """An environment whose actions consist of two choices, with an action mask for each."""

    def prepare(self) -> None:
        self.observation_space, self.action_space = Discrete(3), MultiDiscrete([3, 2])
        self.place = 0

    def start(self) -> None:
        self.place = int(self.np_random.integers(3))

    def act(self, action: Any) -> None:
        if int(action[0]) == self.place:
            raise ValueError("there is no way")
        self.place = int(action[0])

    def observe(self) -> Any:
        return self.place

    def info(self) -> Any:
        mask = np.ones(3, np.int8)
        mask[self.place] = 0
        return {"action_mask": (mask, np.ones(2, np.int8))}


class Colour(enum.Enum):
    """An enumeration whose members are used as info values."""

    RED = 1


@legal
class RichInfo(Grid):
    """An environment whose infos contain values of many types."""

    def info(self) -> Any:
        place = [int(x) for x in self.place]
        return {"place": place, "colour": Colour.RED, "text": f"{place}", "none": None, "deep": {"er": {"x": 1}}, 3: 4}


@legal
class InfoAtTheEnd(Robot):
    """An environment that adds an info key in the last step of an episode only."""

    def info(self) -> Any:
        return {"success": self.distance() < 0.5} if self.time and (self.terminated() or self.truncated()) else {}


@legal
class OptionsOfItsOwn(Grid):
    """An environment whose reset supports one option and rejects all others."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if unknown := set(options or {}) - {"goal"}:
            raise ValueError(f"unknown options {unknown}")
        self.goal = np.asarray((options or {}).get("goal", (4, 4)))
        return super().reset(seed=seed)


@legal
class Levels(Grid):
    """An environment whose reset generates a board with a search that always ends."""

    def start(self) -> None:
        while True:
            self.place = self.np_random.integers(0, 5, 2)
            if not self.terminated():
                return


@legal
class ConstantPart(Robot):
    """An environment whose observation has a part that never changes."""

    def start(self) -> None:
        super().start()
        self.target = np.array([0.5, 0.5])


@legal
class HorizonInSight(Cart):
    """An environment with episodes of fixed length whose observation contains the remaining time."""

    max_steps = 30

    def observe(self) -> Any:
        observation = super().observe()
        observation[3] = self.time / self.max_steps
        return observation

    def terminated(self) -> Any:
        return self.time >= self.max_steps


@legal
class BangBang(Swing):
    """An environment in which only the sign of each action matters."""

    def act(self, action: Any) -> None:
        super().act(np.sign(action))


@legal
class Saturates(Swing):
    """An environment whose steps are so large that they reach the walls."""

    def act(self, action: Any) -> None:
        self.torque = float(action[0])
        self.speed = float(np.clip(self.speed + 8 * self.torque, -8, 8))
        self.angle += self.speed * 0.05


@legal
class Slotted(Env[Any, Any]):
    """An environment that stores its state in slots."""

    __slots__ = ("action_space", "observation_space", "place")

    def __init__(self) -> None:
        self.observation_space, self.action_space = Discrete(9), Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(3, 6))
        return self.place, {}

    def step(self, action: Any) -> Any:
        self.place += 2 * int(action) - 1
        return self.place, float(self.place), self.place in {0, 8}, False, {}


@legal
class Warns(Grid):
    """An environment that occasionally emits a warning."""

    def act(self, action: Any) -> None:
        if self.time == 3:
            import warnings

            warnings.warn("it is getting late", stacklevel=2)
        super().act(action)


class Scaled(Wrapper[Any, Any, Any, Any]):
    """A wrapper that scales observations."""

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, 0.1 * float(reward), terminated, truncated, info


@legal
class Stochastic(Swing):
    """An environment with noise that no seed determines, as its spec declares."""

    def act(self, action: Any) -> None:
        super().act(action)
        self.speed = float(np.clip(self.speed + np.random.default_rng().normal(0, 0.1), -8, 8))


def wrapped() -> Any:
    return Scaled(Cart())


class Drawing(Free):
    """An environment whose observations are graphs without edges, although its space allows edges."""

    space = Graph(Box(-1.0, 1.0, (2,), np.float32), Discrete(3))

    def observe(self) -> Any:
        nodes = self.np_random.uniform(-1, 1, (2, 2)).astype(np.float32)
        return GraphInstance(nodes, None, None)


LEGAL["Drawing"] = Drawing
LEGAL["Scaled"] = wrapped
LEGAL["Stochastic"] = EnvSpec("Stochastic-v0", Stochastic, nondeterministic=True, order_enforce=False)
LEGAL["Limited"] = EnvSpec("Limited-v0", Endless, max_episode_steps=20)
