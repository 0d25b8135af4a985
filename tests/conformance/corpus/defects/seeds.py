"""Environments with faulty seeding: random numbers and other values that the seed does not determine."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from gymkernel.spaces import Box, Discrete

from ..bases import Base, Cards, Cart, Grid, Robot, Screen, Swing
from ..registry import defect


@defect("GK205")
class ForgetsSuper(Cart):
    """An environment whose reset does not pass the seed to super().reset."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset()


@defect("GK205", "GK613")
class PythonsRandom(Grid):
    """An environment that samples the initial position with the random module."""

    def start(self) -> None:
        self.place = np.array([random.randrange(4), random.randrange(4)])  # noqa: S311


@defect("GK205", "GK613")
class NumpysRandom(Robot):
    """An environment that samples the target with numpy.random."""

    def start(self) -> None:
        super().start()
        self.target = np.random.uniform(-1, 1, 2)  # noqa: NPY002


@defect("GK207")
class IfSeed(Cart):
    """An environment that tests `if seed` instead of `if seed is not None`."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed or None)


@defect("GK208")
class SeedsOnce(Cart):
    """An environment that creates its generator from the first seed and ignores all later seeds."""

    generator: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if self.generator is None:
            self.generator = np.random.default_rng(seed)
        return super().reset(seed=seed)

    def start(self) -> None:
        self.state = self.generator.uniform(-0.05, 0.05, 4)


@defect("GK208")
class SeedsOnceByFlag(Grid):
    """An environment with a flag that prevents it from being seeded a second time."""

    seeded = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        first, self.seeded = not self.seeded, True
        return super().reset(seed=seed if first else None)


@defect("GK209")
class Rewinds(Cart):
    """An environment whose every reset starts again from the stored seed."""

    last: int | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.last = self.last if seed is None else seed
        return super().reset(seed=self.last)


@defect("GK209")
class FallsBackTo0(Grid):
    """An environment whose reset, if no seed is given, uses the previous seed or 0."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=self._np_random_seed if seed is None and self._np_random_seed else seed)


@defect("GK210")
class FreshEntropy(Cart):
    """An environment whose reset, if no seed is given, creates a new generator."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is None:
            self._np_random = np.random.default_rng()
        return super().reset(seed=seed)


@defect("GK211")
class CountsEpisodes(Grid):
    """An environment that combines the seed with the number of the episode."""

    episodes = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.episodes += 1
        return super().reset(seed=None if seed is None else seed + self.episodes)


@defect("GK211")
class MixesTheState(Cart):
    """An environment that combines the seed with the old generator's next random number."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None and self._np_random is not None:
            seed += int(self.np_random.integers(1000))
        return super().reset(seed=seed)


@defect("GK215")
class ObservesFirst(Cart):
    """An environment that computes the observation before it sets the state."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation = self.observe()
        super().reset(seed=seed)
        return observation, {}


@defect("GK215")
class CachedObservation(Robot):
    """An environment whose reset returns the cached observation of the last step."""

    cache: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = super().reset(seed=seed)
        return (self.cache or observation), info

    def step(self, action: Any) -> Any:
        result = super().step(action)
        self.cache = result[0]
        return result


@defect("GK216", "GK613", severity="warning")
class SeedsNumpy(Cart):
    """An environment whose reset passes the seed to numpy.random.seed, which accepts only seeds of 32 bits."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed=seed)


@defect("GK216", severity="warning")
class SeedsAState(Grid):
    """An environment with its own RandomState, which accepts only seeds of 32 bits."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        if seed is not None:
            self.state = np.random.RandomState(seed)
        self.place = self.state.randint(0, 4, 2)
        return self.observe(), {}


@defect("GK216")
class SeedInAnInt32(Screen):
    """An environment that stores the seed in a C int."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            self.packed = np.array([seed], dtype=np.int32)
        return super().reset(seed=seed)


@defect("GK217")
class NeverFindsAPlace(Grid):
    """An environment whose reset samples until the start is on the diagonal, which never happens for some seeds."""

    def start(self) -> None:
        rows = set(self.np_random.integers(0, 5, 3).tolist())
        columns = set(self.np_random.integers(0, 5, 4).tolist())
        while not rows & columns:
            columns = set(sorted(columns)[:])
        self.place = np.array([min(rows & columns)] * 2) % 4


@defect("GK217")
class RejectsForEver(Cart):
    """An environment that samples by rejection from a region that is empty for a few seeds."""

    def start(self) -> None:
        bound = self.np_random.uniform(-0.001, 0.05)
        while True:
            self.state = self.np_random.uniform(0, 0.05, 4)
            if self.state[0] <= bound:
                return


@defect("GK501", "GK613")
class NoiseFromNumpy(Swing):
    """An environment that uses numpy.random only for the noise in step."""

    def act(self, action: Any) -> None:
        super().act(action)
        self.speed = float(np.clip(self.speed + np.random.normal(0, 0.01), -8, 8))  # noqa: NPY002


@defect("GK501", "GK613")
class SpawnsByRandom(Screen):
    """An environment that moves the dot with the random module."""

    def act(self, action: Any) -> None:
        super().act(action)
        self.x = min(23, self.x + random.choice((0, 1)))  # noqa: S311


@defect("GK502")
class PrivateGenerator(Swing):
    """An environment whose constructor creates a separate generator for the noise."""

    def prepare(self) -> None:
        super().prepare()
        self.noise = np.random.default_rng()

    def act(self, action: Any) -> None:
        super().act(action)
        self.speed = float(np.clip(self.speed + self.noise.normal(0, 0.05), -8, 8))


@defect("GK502", "GK612")
class ModuleGenerator(Grid):
    """An environment whose class has one generator for all instances."""

    wind = np.random.default_rng()

    def act(self, action: Any) -> None:
        super().act(self.wind.integers(4) if self.wind.random() < 0.1 else action)


class Deck:
    """A helper object with its own random number generator."""

    def __init__(self) -> None:
        self.random = random.Random()  # noqa: S311


@defect("GK502")
class HelperWithGenerator(Cards):
    """An environment whose helper object has a generator that reset does not seed."""

    def prepare(self) -> None:
        super().prepare()
        self.deck = Deck()

    def start(self) -> None:
        super().start()
        self.hand = np.roll(self.hand, self.deck.random.randrange(10))


@defect("GK502")
class FixedGenerator(Robot):
    """An environment with a generator that has a fixed seed and that reset does not seed."""

    def prepare(self) -> None:
        super().prepare()
        self.noise = np.random.default_rng(0)

    def act(self, action: Any) -> None:
        super().act(np.asarray(action) + self.noise.normal(0, 0.05, 3))


@defect("GK502", "GK506")
class SamplesItsActions(Cart):
    """An environment that sometimes replaces the action with a sample from the action space."""

    def act(self, action: Any) -> None:
        super().act(self.action_space.sample() if self.np_random.random() < 0.2 else action)


@defect("GK503")
class LastsSeconds(Cart):
    """An environment whose episodes end after a certain time in seconds, however many steps were taken."""

    def start(self) -> None:
        super().start()
        self.begin = time.monotonic()

    def truncated(self) -> Any:
        return super().truncated() or time.monotonic() - self.begin > 5


@defect("GK503")
class RewardsSpeed(Grid):
    """An environment whose reward depends on how long the agent thinks."""

    def start(self) -> None:
        super().start()
        self.before = time.perf_counter()

    def reward(self) -> Any:
        now = time.perf_counter()
        self.before, passed = now, now - self.before
        return super().reward() - passed


@defect("GK503")
class RealTimePhysics(Swing):
    """An environment that integrates its physics over the real time between steps."""

    def start(self) -> None:
        super().start()
        self.before = time.time()

    def act(self, action: Any) -> None:
        now = time.time()
        super().act(np.asarray(action) * min(1.0, (now - self.before) * 1000))
        self.before = now


@defect("GK503")
class TimeOfDay(Base):
    """An environment whose observation contains the time of day."""

    def prepare(self) -> None:
        self.observation_space = Box(0.0, 100.0, (2,), np.float64)
        self.action_space = Discrete(2)

    def observe(self) -> Any:
        import datetime as dt

        return np.array([dt.datetime.now().second, self.time], np.float64)  # noqa: DTZ005


@defect("GK504", apart=True)
class SetOfNames(Grid):
    """An environment in which an action's effect depends on the order of a set of strings."""

    names = frozenset({"north", "east", "south", "west"})

    def act(self, action: Any) -> None:
        order = [*self.names]
        super().act(("north", "east", "south", "west").index(order[int(action)]))


@defect("GK504", apart=True)
class HashOfAName(Cart):
    """An environment that combines the seed with the hash of a string."""

    def start(self) -> None:
        super().start()
        self.state = self.state * (1 + hash("easy") % 100 / 100)


@defect("GK505")
class RandomLength(Cart):
    """An environment whose constructor samples the length of the pole."""

    def prepare(self) -> None:
        super().prepare()
        self.scale = float(np.random.default_rng().uniform(0.5, 1.5))

    def observe(self) -> Any:
        return (super().observe() * self.scale).astype(np.float32)


@defect("GK505")
class RandomGoal(Grid):
    """An environment whose constructor samples the goal."""

    def prepare(self) -> None:
        super().prepare()
        self.goal = np.array([random.SystemRandom().randrange(5) for _ in range(2)])

    def observe(self) -> Any:
        return np.int64((super().observe() + self.goal[0] * 5 + self.goal[1]) % 25)
