"""Tests that each rule reports an environment that breaks it, but not a similar environment that is correct."""

from __future__ import annotations

import copy
import functools
import random
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from walks import Choice

from gymkernel import Env, Space, Wrapper
from gymkernel.specs import EnvSpec
from gymkernel_tool_check import catalogue
from gymkernel_tool_check.checks import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.checks import Report


class Interval(Space[Any]):
    """A space of arrays with a shape, a dtype and bounds."""

    def __init__(self, low: float, high: float, shape: tuple[int, ...] = (2,), dtype: Any = np.float32) -> None:
        super().__init__(shape, dtype)
        self.low = np.full(shape, low, dtype)
        self.high = np.full(shape, high, dtype)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        low, high = np.maximum(self.low, -9), np.minimum(self.high, 9)
        return np.asarray(self.np_random.uniform(low, high), self.dtype)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x, self.dtype) if not isinstance(x, np.ndarray) else x
        fits = x.shape == self.low.shape and np.can_cast(x.dtype, self.low.dtype)
        return bool(fits) and bool(((x >= self.low) & (x <= self.high)).all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and np.array_equal(self.low, other.low) and self.dtype == other.dtype

    __hash__ = None  # type: ignore[assignment]

    def examples(self) -> Iterator[Any]:
        yield from (self.low.copy(), self.high.copy())


class Record(Space[Any]):
    def __init__(self, **spaces: Space[Any]) -> None:
        super().__init__()
        self.spaces = spaces

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return {key: space.sample() for key, space in self.spaces.items()}

    def contains(self, x: Any) -> bool:
        return (
            isinstance(x, dict) and set(x) == set(self.spaces) and all(s.contains(x[k]) for k, s in self.spaces.items())
        )


class Good(Env[Any, Any]):
    """A correct environment: a random walk. Every other environment in this module differs from it in one respect."""

    length = 9

    def __init__(self) -> None:
        self.observation_space: Space[Any] = Interval(-1000, 1000)
        self.action_space: Space[Any] = Interval(-1, 1)
        self.place: Any = np.zeros(2)
        self.time = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        self.time = 0
        return self.observe(), {}

    def observe(self) -> Any:
        return self.place.astype(np.float32)

    def step(self, action: Any) -> Any:
        self.place = self.place + action + self.np_random.normal(0, 0.01, 2)
        self.time += 1
        return self.observe(), self.reward(), self.time >= self.length, False, {}

    def reward(self) -> Any:
        return -float(np.abs(self.place).sum())


def made(name: str, base: type = Good, **members: Any) -> type:
    return type(name, (base,), members)


def result(change: Any, base: type = Good) -> type:
    """Create an environment class whose `step` returns `change(self, returned)`."""
    return made("Changed", base, step=lambda self, action: change(self, base.step(self, action)))  # type: ignore[attr-defined]


def replaced(i: int, value: Any) -> Any:
    return lambda self, returned: (*returned[:i], value(self) if callable(value) else value, *returned[i + 1 :])


def observed(observe: Any, space: Space[Any] | None = None) -> type:
    """Create an environment class with the given observations and observation space."""

    def init(self: Any) -> None:
        Good.__init__(self)
        self.observation_space = space or self.observation_space

    return made("Observed", __init__=init, observe=observe)


def acting(space: Space[Any], step: Any = None, **members: Any) -> type:
    """Create an environment class with the given action space."""

    def init(self: Any) -> None:
        Good.__init__(self)
        self.action_space = copy.deepcopy(space)

    own = step or (lambda self, action: Good.step(self, np.zeros(2)))
    return made("Acting", __init__=init, step=own, **members)


def resetting(reset: Any, **members: Any) -> type:
    return made("Resetting", reset=reset, **members)


def raising(error: Exception) -> Any:
    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        raise error

    return method


# --- broken environments, grouped by the rule that reports them


class NeedsArgument(Good):
    def __init__(self, level: int) -> None:
        super().__init__()


class ImportsAbsent(Good):
    def __init__(self) -> None:
        __import__("absent_simulator")


class Bare:
    observation_space = Interval(-1, 1)

    def __init__(self) -> None:
        self.action_space = Interval(-1, 1)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(2, np.float32), 0.0, False, False, {}


class Exits(Good):
    def step(self, action: Any) -> Any:
        if self.time == 3:
            raise SystemExit(1)
        return super().step(action)


class NoSpaces(Good):
    def __init__(self) -> None:
        super().__init__()
        del self.action_space


class SpaceOfAnotherKind(Good):
    def __init__(self) -> None:
        super().__init__()
        self.observation_space = (2,)  # type: ignore[assignment]


class SpaceMadeAnew(Good):
    def __init__(self) -> None:
        self.place, self.time = np.zeros(2), 0

    observation_space = property(lambda self: Interval(-1000, 1000))
    action_space = property(lambda self: Interval(-1, 1))


class SpaceChanges(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.action_space = Interval(-0.5, 0.5)
        return super().reset(seed=seed)


class Rejecting(Interval):
    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return super().sample().astype(np.float64)


class Unseeded(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset()


class GlobalGenerator(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place = np.array([random.random(), random.random()])  # noqa: S311
        return self.observe(), {}


class NoSeed(Good):
    def reset(self, *, options: dict[str, Any] | None = None) -> Any:  # type: ignore[override]
        return super().reset()


class SeedOfOne(Good):
    def reset(self, *, seed: int | None = 1, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)


class ZeroIsNone(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed or None)


class Rewinds(Good):
    last = 1

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.last = self.last if seed is None else seed
        return super().reset(seed=self.last)


class FirstEpisodeOnly(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is None:
            self._np_random = np.random.default_rng()
        return super().reset(seed=seed)


class ChangesOptions(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        options = options or {}
        options.pop("level", None)
        return super().reset(seed=seed)


class NeedsOption(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if options is not None:
            self.time = options["level"]
        return super().reset(seed=seed)


class EndlessWithoutReset(Good):
    length = 10**9

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if self.time:
            raise RuntimeError("the episode is not over")
        return super().reset(seed=seed)


class SmallSeed(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            np.uint32(seed)
        return super().reset(seed=seed)


class Shared(Good):
    def __init__(self) -> None:
        super().__init__()
        self.array = np.zeros(2, np.float32)

    def observe(self) -> Any:
        self.array[:] = self.place
        return self.array


class SharedOnReset(Good):
    """An environment whose steps modify the array that reset returned."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.array = super().reset(seed=seed)[0]
        return self.array, {}

    def step(self, action: Any) -> Any:
        self.array += np.float32(1)
        return super().step(action)


class FailsInTheMiddle(Good):
    def step(self, action: Any) -> Any:
        if self.time == 5:
            raise IndexError("no such cell")
        return super().step(action)


class Noisy(Good):
    noise = np.random.default_rng()

    def step(self, action: Any) -> Any:
        self.place = self.place + self.noise.normal()
        return super().step(action)


class Remembers(Good):
    drift = 0.0

    def step(self, action: Any) -> Any:
        self.drift += 0.1
        self.place = self.place + self.drift
        return super().step(action)


class ScalesInPlace(Good):
    def step(self, action: Any) -> Any:
        action *= 0.5
        return super().step(action)


class ClosesOnce(Good):
    window: Any = 1

    def close(self) -> None:
        del self.window

    def __init__(self) -> None:
        super().__init__()
        self.window = 1


class ClosesOpenOnly(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.window = 1
        return super().reset(seed=seed)

    def close(self) -> None:
        self.window  # noqa: B018


def index_error(self: Any, action: Any) -> Any:
    return Good.step(self, [np.zeros(2), np.ones(2)][action])


def beyond(self: Any) -> Any:
    return np.where(self.time == 9, 1001, self.place).astype(np.float32)


pair = Record(place=Interval(-1000, 1000), time=Choice(100))
BROKEN: dict[str, list[Any]] = {
    "GK001": [NeedsArgument, ImportsAbsent, made("Raises", __init__=raising(OSError("no licence")))],
    "GK002": [Bare],
    "GK003": [Exits, made("ExitsInReset", reset=raising(SystemExit(0)))],  # type: ignore[arg-type]
    "GK101": [NoSpaces],
    "GK102": [SpaceOfAnotherKind, acting(Interval)],  # type: ignore[arg-type]
    "GK103": [SpaceMadeAnew],
    "GK104": [SpaceChanges],
    "GK105": [acting(Rejecting(-1, 1))],
    "GK201": [NoSeed],
    "GK202": [resetting(lambda self, *, seed=None: Good.reset(self, seed=seed))],
    "GK203": [
        resetting(lambda self, *, seed=None, options=None: Good.reset(self, seed=seed)[0]),
        resetting(raising(ValueError("no map"))),
        resetting(lambda self, *, seed, options: Good.reset(self, seed=seed)),
    ],
    "GK204": [resetting(lambda self, *, seed=None, options=None: (Good.reset(self, seed=seed)[0], None))],
    "GK205": [Unseeded, GlobalGenerator],
    "GK206": [SeedOfOne],
    "GK207": [ZeroIsNone],
    "GK209": [Rewinds],
    "GK210": [FirstEpisodeOnly],
    "GK212": [ChangesOptions],
    "GK213": [NeedsOption],
    "GK214": [EndlessWithoutReset],
    "GK216": [SmallSeed],
    "GK301": [acting(Choice(3), index_error)],
    "GK311": [result(lambda self, returned: (*returned[:3], {})), result(lambda self, returned: None)],
    "GK312": [result(replaced(1, np.array([1.0]))), result(replaced(1, None)), result(replaced(1, "1"))],
    "GK313": [
        result(replaced(1, float("nan"))),
        result(replaced(1, lambda self: np.inf if self.time == Good.length else 0.0)),
    ],
    "GK314": [result(replaced(2, 0)), result(replaced(3, None)), result(replaced(2, lambda self: np.array([False])))],
    "GK315": [result(replaced(4, None)), result(replaced(4, lambda self: None if self.time == Good.length else {}))],
    "GK317": [FailsInTheMiddle],
    "GK401": [observed(beyond), observed(lambda self: 7, Choice(3))],
    "GK402": [
        observed(lambda self: self.place),
        observed(lambda self: list(self.place)),
        observed(lambda self: float(self.time), Choice(100)),
    ],
    "GK403": [
        observed(lambda self: self.place.astype(np.float32) * np.nan),
        observed(lambda self: np.full(2, np.inf, np.float32), Interval(-np.inf, np.inf)),
    ],
    "GK404": [Shared, SharedOnReset],
    "GK405": [
        observed(lambda self: np.zeros(3, np.float32)),
        observed(lambda self: None if self.time == Good.length else self.place.astype(np.float32)),
        observed(lambda self: {"place": self.place.astype(np.float32)}, pair),
    ],
    "GK502": [Noisy],
    "GK503": [result(lambda self, returned: (returned[0], time.perf_counter(), *returned[2:]))],
    "GK602": [Remembers],
    "GK614": [ScalesInPlace],
    "GK821": [ClosesOnce],
    "GK822": [ClosesOpenOnly],
}


def codes(report: Report) -> list[str]:
    """Return the codes of the findings of severity error and warning."""
    return [finding.code for finding in report.findings if finding.severity != "info"]


CASES = [pytest.param(code, env, id=f"{code}-{i}") for code, several in BROKEN.items() for i, env in enumerate(several)]


each_profile = pytest.mark.parametrize("profile", ["fast", pytest.param("default", marks=pytest.mark.slow)])
alone_and_among_all = pytest.mark.parametrize("alone", [True, pytest.param(False, marks=pytest.mark.slow)])


@functools.cache
def checked(env: Any, code: str, *, alone: bool) -> Report:
    """Check a broken environment with one rule or all rules, and return the report. Reports are cached."""
    select = [code] if alone and code not in catalogue.LAST else []
    return check(env, steps=30 if alone else 60, measure=False, select=select)


@alone_and_among_all
@pytest.mark.parametrize("code, env", CASES)
def test_rule_reports_the_defect(code: str, env: Any, alone: bool) -> None:
    report = checked(env, code, alone=alone)
    assert set(codes(report)) == {code}, [str(finding) for finding in report.findings]
    assert not report.failure


@alone_and_among_all
@pytest.mark.parametrize("code, env", CASES)
def test_program_of_a_finding_runs(code: str, env: Any, alone: bool, capsys: pytest.CaptureFixture[str]) -> None:
    for finding in checked(env, code, alone=alone).findings:
        program = compile(finding.reproducer, "reproducer", "exec")
        try:
            exec(program, {env.__name__: env})  # noqa: S102 - users are expected to run this program
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the failure message contains the exception
            is_reported = type(exc).__name__ in finding.message
            assert is_reported or code in {"GK001", "GK003", "GK201", "GK202", "GK203", "GK311"}
        else:
            assert capsys.readouterr().out


def test_missing_argument_is_reported_at_the_constructor() -> None:
    (finding,) = checked(NeedsArgument, "GK001", alone=True).findings
    assert (finding.file, finding.line) == (__file__, NeedsArgument.__init__.__code__.co_firstlineno)


# --- similar valid environments


class OneStep(Good):
    length = 1


class Endless(Good):
    length = 10**9


class OwnGenerator(Good):
    """An environment that seeds its own generator in reset and does not call super().reset."""

    generator = np.random.default_rng()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            self.generator = np.random.default_rng(seed)
        self.place, self.time = self.generator.uniform(-1, 1, 2), 0
        return self.observe(), {}

    def step(self, action: Any) -> Any:
        self.time += 1
        return self.observe(), 0.0, self.time >= self.length, False, {}


class Deterministic(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place = np.zeros(2)
        return self.observe(), {}

    def step(self, action: Any) -> Any:
        self.time += 1
        return self.observe(), 0.0, self.time >= self.length, False, {}


class FewStarts(Good):
    """An environment that often starts with the same observation, because there are only four different ones."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place = self.np_random.integers(0, 2, 2).astype(float)
        return self.observe(), {}


class StrictOptions(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if unknown := set(options or {}) - {"level"}:
            raise ValueError(f"unknown options {unknown}")
        return super().reset(seed=seed)


class CopiesOptions(Good):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        import copy

        for mine in (dict(options or {}), copy.copy(options or {}), copy.deepcopy(options or {})):
            mine.pop("level", None)
            mine["seen"] = True
        return super().reset(seed=seed)


class Keywords(Good):
    def reset(self, **keywords: Any) -> Any:
        return super().reset(seed=keywords.get("seed"))


class OnlyOne(Good):
    """An environment that only allows one open instance at a time."""

    is_open = False

    def __init__(self) -> None:
        if OnlyOne.is_open:
            raise OSError("the port is taken")
        OnlyOne.is_open = True
        super().__init__()

    def close(self) -> None:
        OnlyOne.is_open = False


class Masked(Good):
    """An environment whose step rejects the actions that the mask in the info forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = Choice(4)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)[0], {"action_mask": np.array([1, 0, 0, 1], np.int8)}

    def step(self, action: Any) -> Any:
        if action not in {0, 3}:
            raise ValueError("illegal")
        return (*super().step(np.zeros(2))[:4], {"action_mask": np.array([1, 0, 0, 1], np.int8)})


class Talkative(Good):
    """An environment whose infos contain NaN, the time, and objects that cannot be copied or pickled."""

    def step(self, action: Any) -> Any:
        info = {"nan": np.nan, "time": time.time(), "handle": object(), "env": self}
        return (*super().step(action)[:4], info)


class SpaceWithoutEquality(Good):
    def __init__(self) -> None:
        super().__init__()
        self.action_space = Choice(2)

    def step(self, action: Any) -> Any:
        return super().step(np.zeros(2))


class ReadOnlyShared(Good):
    """An environment that always returns the same array, which never changes."""

    array = np.zeros(2, np.float32)

    def reward(self) -> Any:
        return 1.0

    def observe(self) -> Any:
        return self.array


class OldKeptNew(Good):
    """An environment that stores the returned observations but never modifies them."""

    def observe(self) -> Any:
        self.kept = super().observe()
        return self.kept


class Frozen:
    """An environment with all members of `Env` that does not inherit from it."""

    metadata: dict[str, Any] = {}  # noqa: RUF012
    render_mode = spec = None
    observation_space = Interval(-1000, 1000)

    def __init__(self) -> None:
        self.action_space = Interval(-1, 1)

    unwrapped = property(lambda self: self)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return np.zeros(2, np.float32), {}

    def step(self, action: Any) -> Any:
        return np.zeros(2, np.float32), 0.0, False, False, {}

    def render(self) -> None: ...

    def close(self) -> None: ...


class Named(Good):
    """An environment whose instances share an observation space, which is never sampled."""

    observation_space = Interval(-1000, 1000)

    def __init__(self) -> None:
        self.action_space = Interval(-1, 1)
        self.place, self.time = np.zeros(2), 0


LEGAL: dict[str, Any] = {
    "good": Good,
    "wrapped": lambda: Wrapper(Good()),
    "one step": OneStep,
    "endless": Endless,
    "own generator": OwnGenerator,
    "deterministic": Deterministic,
    "few starts": FewStarts,
    "strict options": StrictOptions,
    "copies options": CopiesOptions,
    "keywords": Keywords,
    "masked": Masked,
    "only one": OnlyOne,
    "talkative": Talkative,
    "space without equality": SpaceWithoutEquality,
    "constant array": ReadOnlyShared,
    "kept": OldKeptNew,
    "duck": Frozen,
    "space of the class": Named,
    "numpy reward": result(replaced(1, np.float32(1))),
    "scalar array reward": result(replaced(1, np.array(1.0))),
    "integer reward": result(replaced(1, 1)),
    "numpy flags": result(replaced(2, lambda self: np.bool_(self.time >= Good.length))),
    "truncated": result(lambda self, returned: (*returned[:2], False, returned[2], {})),
    "unbounded": observed(Good.observe, Interval(-np.inf, np.inf)),
    "on the bound": observed(lambda self: np.full(2, 1000 if self.time else -1000, np.float32)),
    "scalar": observed(lambda self: np.float32(self.time), Interval(0, 100, ())),
    "scalar array": observed(lambda self: np.asarray(self.time, np.float32), Interval(0, 100, ())),
    "python scalar": observed(lambda self: float(self.time), Interval(0, 100, ())),
    "integer": observed(lambda self: self.time, Choice(100)),
    "record": observed(lambda self: {"place": self.place.astype(np.float32), "time": self.time}, pair),
    "discrete": acting(Choice(3)),
    "one action": acting(Choice(1)),
}


@each_profile
@pytest.mark.parametrize("env", [pytest.param(env, id=name) for name, env in LEGAL.items()])
def test_legal_targets_have_no_findings(env: Any, profile: str) -> None:
    report = check(env, steps=30 if profile == "fast" else 60, measure=False, profile=profile)
    assert not codes(report), [str(finding) for finding in report.findings]


@pytest.mark.slow
def test_nondeterministic_spec_is_not_repeated() -> None:
    report = check(EnvSpec("Noisy-v0", Noisy, nondeterministic=True, order_enforce=False))
    assert not report.findings
    assert report.skipped["GK501"] == "the spec declares the environment to be nondeterministic"


@pytest.mark.slow
def test_most_rules_need_one_instance() -> None:
    report = check(Good())
    assert not codes(report)
    assert {"GK501", "GK404"} <= set(report.passed)
    assert "second instance" in report.skipped["GK821"]


@pytest.mark.slow
def test_noise_is_found_with_one_instance() -> None:
    assert codes(check(Noisy())) == ["GK502"]


@pytest.mark.slow
def test_noise_is_found_if_only_one_instance_can_exist() -> None:
    class NoisyRobot(OnlyOne, Noisy):
        pass

    report = check(NoisyRobot)
    assert codes(report) == ["GK502"]
    assert "two runs of one instance" in next(finding.message for finding in report.findings if finding.code == "GK502")
    assert "the port is taken" in next(finding.message for finding in report.findings if finding.code == "GK004")
