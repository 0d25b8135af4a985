"""Tests of GK60x and GK61x: the rules report environments that break them, but not similar correct environments."""

from __future__ import annotations

import functools
import logging
import os
import random
import warnings
from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from rendered_walks import Walk

from gymkernel.specs import EnvSpec
from gymkernel_space_box import Box
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.checks import Report

pytestmark = pytest.mark.slow  # each test creates many environments or processes


class Hook(Walk):
    """A random walk with methods that subclasses override to do something additional in each call."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode=render_mode)
        self.prepare()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        returned = super().reset(seed=seed)
        self.begin()
        return self.observe(), returned[1] | self.info()

    def step(self, action: Any) -> Any:
        self.act()
        observation, reward, terminated, truncated, _ = super().step(action)
        return observation, reward, terminated or self.over(), truncated, self.info()

    def prepare(self) -> None: ...

    def begin(self) -> None: ...

    def act(self) -> None: ...

    def over(self) -> bool:
        return False

    def info(self) -> dict[str, Any]:
        return {}


# --- GK601, GK602: state that one episode leaves for the next


class CounterRunsOn(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        time = self.time
        returned = super().reset(seed=seed)
        self.time = time
        return returned


class FlagStays(Hook):
    fallen = False

    def act(self) -> None:
        self.fallen = self.fallen or self.time == 6

    def over(self) -> bool:
        return self.fallen


class LimitOfAll(Hook):
    """An environment that limits the total number of steps, so that later episodes become very short."""

    total = 0

    def begin(self) -> None:
        self.time = int(self.np_random.integers(0, 5))

    def over(self) -> bool:
        self.total += 1
        return self.total >= 30


class Tires(Hook):
    strength = 1.0

    def act(self) -> None:
        self.strength *= 0.99
        self.place = self.place * self.strength


class RemembersWalls(Hook):
    def prepare(self) -> None:
        self.walls: list[Any] = []

    def act(self) -> None:
        self.walls.append(self.place.copy())

    def reward(self) -> Any:
        return -float(len(self.walls))


class Curriculum(Hook):
    """An environment whose episodes become shorter only because of the seed."""

    def begin(self) -> None:
        self.time = int(self.np_random.integers(0, 8))


class MostlyShort(Hook):
    """An environment whose episodes often have one step, so a long first episode is a coincidence."""

    def over(self) -> bool:
        return bool(self.np_random.random() < 0.6)


# --- GK611, GK612: data shared by instances


class SharedWalls(Hook):
    walls: ClassVar[list[Any]] = []

    def act(self) -> None:
        self.walls.append(1)

    def reward(self) -> Any:
        return float(len(self.walls))


class SharedPlace(Hook):
    """An environment whose state is an array that is stored in the class."""

    grid: Any = np.zeros(2)

    def begin(self) -> None:
        self.grid[:] = self.place

    def act(self) -> None:
        self.grid += 1

    def reward(self) -> Any:
        return float(self.grid.sum())


CONFIG = {"gravity": 1.0}


class SharedDefault(Hook):
    """An environment whose instances share a mutable default argument."""

    def __init__(self, log: list[float] = []) -> None:  # noqa: B006
        super().__init__()
        self.log = log

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def act(self) -> None:
        self.log.append(self.time)

    def reward(self) -> Any:
        return float(len(self.log))


class SharedConfig(Hook):
    """An environment that changes a module-level dictionary in each episode."""

    def begin(self) -> None:
        CONFIG["gravity"] = float(self.np_random.uniform(0, 1))

    def reward(self) -> Any:
        return CONFIG["gravity"]


class SharedGenerator(Hook):
    noise: ClassVar[Any] = np.random.default_rng(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            self.noise.bit_generator.state = np.random.default_rng(seed).bit_generator.state
        return super().reset(seed=seed)

    def act(self) -> None:
        self.place = self.place + self.noise.normal()


DICE = random.Random(0)  # noqa: S311


class SharedDice(Hook):
    dice = DICE

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            self.dice.seed(int(seed))
        return super().reset(seed=seed)

    def act(self) -> None:
        self.place = self.place + self.dice.random()


@functools.lru_cache
def table() -> Any:
    return np.arange(100.0)


class CachedTable(Hook):
    """An environment whose instances share data without changing it, except to fill a cache."""

    seen: ClassVar[dict[int, float]] = {}

    def reward(self) -> Any:
        return self.seen.setdefault(self.time, float(table()[self.time]))


class CountsInstances(Hook):
    count: ClassVar[int] = 0

    def prepare(self) -> None:
        CountsInstances.count += 1


class SpareGenerator(Hook):
    """An environment with a class-level generator that is never used."""

    spare = np.random.default_rng()

    def act(self) -> None:
        self.place = self.place + self.np_random.normal()


# --- GK613: global generators


class SeedsNumpy(Hook):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            np.random.seed(seed % 2**32)  # noqa: NPY002
        return super().reset(seed=seed)

    def act(self) -> None:
        self.place = self.place + np.random.normal()  # noqa: NPY002


class SeedsRandom(Hook):
    def begin(self) -> None:
        random.seed(int(self.np_random.integers(1000)))


class DrawsAside(Hook):
    """An environment that draws global random numbers that do not affect its results."""

    def act(self) -> None:
        self.colour = random.randrange(256)  # noqa: S311


class OwnGenerators(Hook):
    def begin(self) -> None:
        self.dice = random.Random(int(self.np_random.integers(1000)))  # noqa: S311
        self.legacy = np.random.RandomState(int(self.np_random.integers(1000)))

    def act(self) -> None:
        self.place = self.place + self.dice.random() + self.legacy.rand()


class PutsBack(Hook):
    """An environment that uses the global generator and then restores its state."""

    def act(self) -> None:
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(int(self.np_random.integers(1000)))  # noqa: NPY002
        self.place = self.place + np.random.normal()  # noqa: NPY002
        np.random.set_state(state)  # noqa: NPY002


class DiceBox(Box[Any]):
    def sample(self, mask: None = None, probability: None = None) -> Any:
        random.random()  # noqa: S311
        return super().sample(mask, probability)


class SpaceDraws(Hook):
    """An environment whose action space, but not the environment itself, changes a global generator."""

    def prepare(self) -> None:
        self.action_space = DiceBox(-1, 1, (2,))


# --- GK614 to GK616: settings of the caller


class CentresInPlace(Hook):
    def step(self, action: Any) -> Any:
        np.subtract(action, action.mean(), out=action)
        return super().step(action)


class ScalesInPlace(Hook):
    def step(self, action: Any) -> Any:
        action *= 0.5
        return super().step(action)


class ScalesACopy(Hook):
    def step(self, action: Any) -> Any:
        action = action * 0.5
        action += 1
        return super().step(action)


class ChangesFolder(Hook):
    def begin(self) -> None:
        os.chdir("/")


class SetsVariable(Hook):
    def prepare(self) -> None:
        os.environ["WALK_LEVEL"] = "3"


class ReturnsToFolder(Hook):
    def begin(self) -> None:
        before = os.getcwd()  # noqa: PTH109
        os.chdir("/")
        os.chdir(before)


class SilencesWarnings(Hook):
    def prepare(self) -> None:
        warnings.filterwarnings("ignore", message="walks")


class SilencesNumpy(Hook):
    def begin(self) -> None:
        np.seterr(divide="ignore")


class ConfiguresLogs(Hook):
    def prepare(self) -> None:
        logging.root.setLevel("DEBUG")


class SilencesForAMoment(Hook):
    log = logging.getLogger("walk")

    def act(self) -> None:
        self.log.setLevel("DEBUG")
        with warnings.catch_warnings(), np.errstate(divide="ignore"):
            warnings.simplefilter("ignore")


# --- GK617, GK618: data shared by instances and calls


class SpacesOfTheClass(Walk):
    observation_space = Box(-100, 100, (2,))
    action_space = Box(-1, 1, (2,))

    def __init__(self) -> None:
        self.place, self.time, self.length, self.render_mode = np.zeros(2), 0, 9, None

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]


SPACE = Box(-1, 1, (2,))


class SpaceOfTheModule(Hook):
    def prepare(self) -> None:
        self.action_space = SPACE


class ObservationSpaceOfTheModule(Hook):
    """An environment whose instances share an observation space that is never sampled."""

    def prepare(self) -> None:
        self.observation_space = BOUNDS


BOUNDS = Box(-100, 100, (2,))


class OneInfo(Hook):
    def prepare(self) -> None:
        self.shared: dict[str, Any] = {"time": 0}

    def step(self, action: Any) -> Any:
        returned = super().step(action)
        self.shared["time"] = self.time
        return (*returned[:4], self.shared)


class OneList(Hook):
    def prepare(self) -> None:
        self.path: list[float] = []

    def begin(self) -> None:
        self.path = []

    def act(self) -> None:
        self.path.append(float(self.place[0]))

    def info(self) -> dict[str, Any]:
        return {"path": self.path}


class OneArray(Hook):
    def prepare(self) -> None:
        self.velocity = np.zeros(2)

    def act(self) -> None:
        self.velocity += 1

    def begin(self) -> None:
        self.velocity[:] = 0

    def info(self) -> dict[str, Any]:
        return {"physics": {"velocity": self.velocity}}


class SameConstant(Hook):
    """An environment whose infos are always the same dictionary, which never changes."""

    constant: ClassVar[dict[str, Any]] = {"level": 3, "map": np.zeros(3)}

    def step(self, action: Any) -> Any:
        return (*super().step(action)[:4], self.constant)


class LiveObject(Hook):
    """An environment whose infos contain objects that continue to change."""

    def prepare(self) -> None:
        self.recent: deque[float] = deque(maxlen=3)

    def act(self) -> None:
        self.recent.append(0.5)

    def info(self) -> dict[str, Any]:
        return {"env": self, "recent": tuple(self.recent)}


class InfoRepeatsObservation(Hook):
    """An environment whose infos contain the array that all observations share, which GK404 reports."""

    def prepare(self) -> None:
        self.array = np.zeros(2, np.float32)

    def observe(self) -> Any:
        self.array[:] = self.place
        return self.array

    def info(self) -> dict[str, Any]:
        return {"observation": self.array}


BROKEN: dict[str, list[Any]] = {
    "GK404": [InfoRepeatsObservation],
    "GK601": [CounterRunsOn, FlagStays, LimitOfAll],
    "GK602": [Tires, RemembersWalls],
    "GK611": [SharedWalls, SharedPlace, SharedConfig, SharedDefault],
    "GK612": [SharedGenerator, SharedDice],
    "GK613": [SeedsNumpy, SeedsRandom, DrawsAside],
    "GK614": [CentresInPlace, ScalesInPlace],
    "GK615": [ChangesFolder, SetsVariable],
    "GK616": [SilencesWarnings, SilencesNumpy, ConfiguresLogs],
    "GK617": [SpacesOfTheClass, SpaceOfTheModule],
    "GK618": [OneInfo, OneList, OneArray],
}
CONSEQUENCES = {RemembersWalls: {"GK951"}, SharedWalls: {"GK951"}, SharedDefault: {"GK951"}}
"""Other rules that also report an environment, because it contains a list that keeps growing."""
LEGAL: list[Any] = [
    Curriculum,
    MostlyShort,
    CachedTable,
    CountsInstances,
    SpareGenerator,
    OwnGenerators,
    PutsBack,
    SpaceDraws,
    ScalesACopy,
]
LEGAL += [ReturnsToFolder, SilencesForAMoment, ObservationSpaceOfTheModule, SameConstant, LiveObject, Walk]
CASES = [pytest.param(code, env, id=f"{code}-{env.__name__}") for code, several in BROKEN.items() for env in several]


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    """Restore the process-wide settings that an environment has changed."""
    before = Settings.now()
    yield
    before.restore()


@functools.cache
def checked(env: Any) -> Report:
    return check(env, steps=60, measure=False)


@pytest.mark.parametrize("code, env", CASES)
def test_rule_reports_the_defect(code: str, env: Any) -> None:
    report = checked(env)
    assert {finding.code for finding in report.findings} == {code} | CONSEQUENCES.get(env, set()), list(
        map(str, report.findings)
    )


@pytest.mark.parametrize("code, env", CASES)
def test_program_of_a_finding_runs(code: str, env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for finding in checked(env).findings:
        exec(compile(finding.reproducer, "reproducer", "exec"), {env.__name__: env})  # noqa: S102
        assert capsys.readouterr().out


@pytest.mark.parametrize("env", LEGAL)
def test_legal_targets_have_no_findings(env: Any) -> None:
    report = checked(env)
    assert not report.at_least("warning"), list(map(str, report.findings))


def test_changes_by_the_action_space_are_ignored() -> None:
    assert "GK613" not in checked(SpaceDraws).skipped


def test_changed_object_is_named() -> None:
    def only(env: Any, code: str) -> str:
        return next(finding.message for finding in checked(env).findings if finding.code == code)

    assert "the first episode took 9 steps, but the next 51 took 1 step each" in only(CounterRunsOn, "GK601")
    assert "SharedWalls.walls" in only(SharedWalls, "GK611")
    assert "the generator noise" in only(SharedGenerator, "GK612")
    assert "reset and step change the state of the global generator of numpy.random" in only(SeedsNumpy, "GK613")
    assert "os.environ['WALK_LEVEL']: it was set to '3'" in only(SetsVariable, "GK615")
    assert "divide was 'warn', then 'ignore'" in only(SilencesNumpy, "GK616")
    assert "['path']" in only(OneList, "GK618")
    assert "every call returns the same dictionary" in only(OneInfo, "GK618")


def test_one_instance_is_enough_if_no_other_can_be_created() -> None:
    report = check(SeedsNumpy(), select=["GK61"], measure=False)
    assert [finding.code for finding in report.findings] == ["GK613"]
    assert "second instance" in report.skipped["GK611"]


def test_crash_is_reported_if_runs_are_not_reproducible() -> None:
    spec = EnvSpec("Collapsing-v0", CounterRunsOn, nondeterministic=True, order_enforce=False)
    assert [finding.code for finding in check(spec, steps=60, measure=False).findings] == ["GK601"]
