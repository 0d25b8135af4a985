"""Tests of the causes of different runs with the same seed: each is reported by the rule for it, and by no other."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest
from walks import Walk, cases, loud, run, seen

from gymkernel_tool_check.checks import check

pytestmark = pytest.mark.slow  # each test creates many environments or processes


class Unseeded(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset()


class Module(Walk):
    def start(self) -> None:
        self.place = np.array([random.random(), 0.0])  # noqa: S311


class Once(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed if self._np_random is None else None)


class OwnOnce(Walk):
    generator: Any = None

    def start(self) -> None:
        self.generator = self.generator or np.random.default_rng(self._np_random_seed)
        self.place = self.generator.uniform(-1, 1, 2)


class Fresh(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is None:
            self._np_random = np.random.default_rng()
        return super().reset(seed=seed)


class FreshSometimes(Walk):
    time_of_seed = False

    def start(self) -> None:
        entropy = self.np_random if self.time_of_seed else np.random.default_rng()
        self.time_of_seed = False
        self.place = entropy.uniform(-1, 1, 2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.time_of_seed = seed is not None
        return super().reset(seed=seed)


class Counts(Walk):
    number = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.number += 1
        return super().reset(seed=None if seed is None else seed + self.number)


class Mixes(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None and self._np_random is not None:
            seed = seed ^ int(self.np_random.integers(2**20))
        return super().reset(seed=seed)


class Stale(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation = self.observe()
        return observation, super().reset(seed=seed)[1]


class StaleCache(Walk):
    cache: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        observation, info = super().reset(seed=seed)
        return observation if self.cache is None else self.cache, info

    def step(self, action: Any) -> Any:
        result = super().step(action)
        self.cache = result[0]
        return result


class Twists(Walk):
    def act(self, action: Any) -> None:
        super().act(action + random.gauss(0, 1))


class TwistsByNumpy(Walk):
    def act(self, action: Any) -> None:
        super().act(action + np.random.normal(0, 1, 2))  # noqa: NPY002


class Private(Walk):
    def prepare(self) -> None:
        self.noise = np.random.default_rng()

    def act(self, action: Any) -> None:
        super().act(action + self.noise.normal(0, 1, 2))


class PrivateFixed(Walk):
    def prepare(self) -> None:
        self.parts = {"noise": [np.random.default_rng(0)]}

    def act(self, action: Any) -> None:
        super().act(action + self.parts["noise"][0].normal(0, 1, 2))


class PrivateLegacy(Walk):
    def prepare(self) -> None:
        self.noise = np.random.RandomState()

    def start(self) -> None:
        super().start()
        self.place = self.place + self.noise.uniform(0, 1, 2)


class ByActions(Walk):
    def act(self, action: Any) -> None:
        super().act(self.action_space.sample())


class Clock(Walk):
    def reward(self) -> Any:
        return time.perf_counter()


class ClockLimit(Walk):
    def start(self) -> None:
        super().start()
        self.begin = time.time()

    def truncated(self) -> Any:
        return time.time() - self.begin > 30


class ClockImported(Walk):
    def act(self, action: Any) -> None:
        from time import monotonic

        super().act(action * (monotonic() % 1))


class Constructor(Walk):
    def prepare(self) -> None:
        self.gain = float(np.random.default_rng().uniform())

    def reward(self) -> Any:
        return self.gain * super().reward()


class ConstructorStart(Walk):
    def prepare(self) -> None:
        self.home = [random.SystemRandom().random() for _ in range(2)]

    def start(self) -> None:
        super().start()
        self.place = self.place + self.home


LEVELS = iter([1, 1, 1, 2] * 100)
"""Values for instances of an environment. There are so few of them that several instances may get the same value."""


class ConstructorFew(Walk):
    def prepare(self) -> None:
        self.level = next(LEVELS)

    def reward(self) -> Any:
        return self.level * super().reward()


class Draws(Walk):
    def start(self) -> None:
        super().start()
        self.action_space.sample()


class DrawsInStep(Walk):
    def act(self, action: Any) -> None:
        self.spare = self.action_space.sample()
        super().act(action)


class InfoDrawn(Walk):
    def info(self) -> Any:
        return {"score": float(np.random.default_rng().uniform())}


class InfoDeep(Walk):
    def info(self) -> Any:
        return {"all": [{"score": np.random.default_rng().uniform(size=3)}]}


class Drift(Walk):
    drift = 0.0

    def act(self, action: Any) -> None:
        self.drift += 0.1
        super().act(action + self.drift)


class Zero(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed or None)


class Rewinds(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.last = seed if seed is not None else getattr(self, "last", 1)
        return super().reset(seed=self.last)


class Small(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            np.uint32(seed)
        return super().reset(seed=seed)


class Smaller(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            np.int32(seed)
        return super().reset(seed=seed)


class Rarely(Walk):
    def start(self) -> None:
        super().start()
        if self.place[0] > 0.98:
            raise RuntimeError("no way through")


BROKEN: dict[str, list[Any]] = {
    "GK205": [Unseeded, Module],
    "GK207": [Zero],
    "GK208": [Once, OwnOnce],
    "GK209": [Rewinds],
    "GK210": [Fresh, FreshSometimes],
    "GK211": [Counts, Mixes],
    "GK215": [Stale, StaleCache],
    "GK216": [Small, Smaller],
    "GK217": [Rarely],
    "GK501": [Twists, TwistsByNumpy],
    "GK502": [Private, PrivateFixed, PrivateLegacy, ByActions],
    "GK503": [Clock, ClockLimit, ClockImported],
    "GK505": [Constructor, ConstructorStart, ConstructorFew],
    "GK506": [Draws, DrawsInStep],
    "GK507": [InfoDrawn, InfoDeep],
    "GK602": [Drift],
}
ALSO = {"GK613", "GK214"}
"""Rules that may also report these environments, because they use global generators or fail for one of the seeds."""


@pytest.mark.parametrize("code, env", cases(BROKEN))
def test_cause_is_reported_with_its_rule(code: str, env: Any) -> None:
    found = loud(check(env, steps=60, measure=False, ignore=["GK9"]))

    assert code in found
    assert not found - {code} - ALSO


@pytest.mark.parametrize("code, env", [case for case in cases(BROKEN) if case.values[0] not in {"GK217", "GK216"}])
def test_program_of_a_finding_runs_and_shows_the_defect(
    code: str, env: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    report = check(env, steps=60, measure=False, select=[code])

    assert run(report, code, env) is None
    assert capsys.readouterr().out


def test_program_with_a_large_seed_raises() -> None:
    assert run(check(Small, select=["GK216"]), "GK216", Small) == "OverflowError"


def test_unseeded_generator_is_named() -> None:
    assert "does not seed self.noise" in seen(check(Private, select=["GK502"]), "GK502")[0]
    assert "self.parts['noise'][0]" in seen(check(PrivateFixed, select=["GK502"]), "GK502")[0]
    assert "self.action_space" in seen(check(ByActions, select=["GK502"]), "GK502")[0]


def test_global_generators_are_named() -> None:
    assert "random or numpy.random" in seen(check(Twists, select=["GK501"]), "GK501")[0]


class OwnSeeded(Walk):
    own: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None or self.own is None:
            self.own = np.random.RandomState(None if seed is None else seed % 2**32)
        return super().reset(seed=seed)

    def start(self) -> None:
        self.place = self.own.uniform(-1, 1, 2)


class TimedInfo(Walk):
    def info(self) -> Any:
        return {"wall": time.time(), "lag": time.perf_counter() % 1, "seconds": time.perf_counter(), "nan": np.nan}


class Handles(Walk):
    def info(self) -> Any:
        return {"self": self, "object": object(), "set": {1, 2}}


class ConstructorSeeded(Walk):
    def prepare(self) -> None:
        self.gain = float(np.random.default_rng(7).uniform())


class LooksAtTheClock(Walk):
    def act(self, action: Any) -> None:
        self.looked = time.time()
        super().act(action)


class Unused(Walk):
    def prepare(self) -> None:
        self.spare = np.random.default_rng()


class SlowReset(Walk):
    def start(self) -> None:
        super().start()
        time.sleep(0.01 if self.place[0] > 0.9 else 0)


LEGAL = [Walk, OwnSeeded, TimedInfo, Handles, ConstructorSeeded, LooksAtTheClock, Unused, SlowReset]


@pytest.mark.parametrize("env", LEGAL)
def test_similar_legal_targets_have_no_findings(env: Any) -> None:
    report = check(env, steps=60, measure=False, ignore=["GK9"])

    assert not loud(report), [str(finding) for finding in report.findings]


def test_declared_noise_is_not_searched() -> None:
    report = check(Private, nondeterministic=True, measure=False, ignore=["GK9"])

    assert "nondeterministic" in report.skipped["GK502"]


def test_hanging_reset_is_reported_with_its_seed() -> None:
    class Endless(Walk):
        def start(self) -> None:
            super().start()
            while self.place[0] > 0.9 and self.np_random is not None:
                pass

    for seconds in (3.0, 60.0):  # after a hang, other calls have a tenth of the time limit
        report = check(Endless, steps=60, timeout=seconds, select=["GK217", "GK203", "GK214"], measure=False)
        if loud(report) == {"GK217"}:
            break

    assert loud(report) == {"GK217"}
    assert "did not return in" in seen(report, "GK217")[0]


def test_processes_with_different_hash_seeds_are_compared(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
    import numpy as np
    from gymkernel import Env, Space

    class Numbers(Space):
        def __init__(self, n):
            super().__init__((), np.int64)
            self.n = n
        def sample(self, mask=None, probability=None):
            return self.np_random.integers(self.n)
        def contains(self, x):
            return 0 <= int(x) < self.n

    class Maze(Env):
        def __init__(self):
            self.observation_space, self.action_space = Numbers(10**6), Numbers(3)
        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.time = 0
            return self.observe(), {}
        def observe(self):
            return self.key("north") % 10**6
        def key(self, word):
            return KEY
        def step(self, action):
            self.time += 1
            return self.observe(), 0.0, self.time > 5, False, {}
    """
    from textwrap import dedent

    monkeypatch.chdir(tmp_path)
    for name, key in (("hashing", "hash(word)"), ("summing", "sum(map(ord, word))")):
        (tmp_path / f"{name}.py").write_text(dedent(source).replace("KEY", key))

    broken, legal = (check(f"{name}.py:Maze", select=["GK504"], measure=False) for name in ("hashing", "summing"))

    assert loud(broken) == {"GK504"}
    assert "PYTHONHASHSEED=1" in seen(broken, "GK504")[0]
    assert "GK504" in legal.passed
