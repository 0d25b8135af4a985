"""Tests that each individual check reports the defect for which it was written and accepts a correct environment."""

from __future__ import annotations

import cProfile
import gc
import sys
import threading
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.checks import CheckFailed, check
from gymkernel.utils.env_checker import (
    check_env,
    check_reset_options,
    check_reset_return_info_deprecation,
    check_reset_return_type,
    check_reset_seed_determinism,
    check_returned_data_not_reused,
    check_seed_deprecation,
    check_space_limit,
    check_step_determinism,
    data_equivalence,
)
from gymkernel_tool_check import env_checker
from gymkernel_tool_check.settings import state

if TYPE_CHECKING:
    from collections.abc import Callable


BUDGET = env_checker.BUDGET
"""The default time limit, which the fixture `_unhurried` replaces in tests."""


class Line(Space[Any]):
    """A space of numbers in a range."""

    def __init__(self, low: Any = -100.0, high: Any = 100.0) -> None:
        self.low, self.high = np.asarray(low, float), np.asarray(high, float)
        super().__init__(self.low.shape, float)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and bool(((x >= self.low) & (x <= self.high)).all())

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return np.asarray(self.np_random.uniform(-1, 1, self.shape))


class Walk(Env[Any, Any]):
    def __init__(self) -> None:
        self.observation_space, self.action_space = Line([-1e9], [1e9]), Line([-1.0], [1.0])
        self.place = np.zeros(1)
        self.time = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.place, self.time = self.np_random.uniform(-1, 1, 1), 0
        return self.place, {}

    def step(self, action: Any) -> Any:
        self.place = self.place + action
        self.time += 1
        return self.place, 0.0, self.time > 9, False, {}


class NoSeed(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(options=options)


class NoOptions(Walk):
    def reset(self, *, seed: int | None = None) -> Any:  # type: ignore[override]
        return super().reset(seed=seed)


class Alone(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(seed=seed)[0]


class Noisy(Walk):
    def step(self, action: Any) -> Any:
        return super().step(action + np.random.default_rng().normal(0, 0.1, 1))


class OneBuffer(Walk):
    def step(self, action: Any) -> Any:
        self.place += action
        self.time += 1
        return self.place, 0.0, self.time > 9, False, {}


CHECKS = [
    (check_reset_seed_determinism, NoSeed, "GK205"),
    (check_reset_options, NoOptions, "GK202"),
    (check_reset_return_type, Alone, "GK203"),
    (check_step_determinism, Noisy, "GK50"),
    (check_returned_data_not_reused, OneBuffer, "GK404"),
]


@pytest.mark.parametrize("check, broken, code", CHECKS)
def test_each_function_reports_its_defect(check: Callable[[Any], None], broken: type, code: str) -> None:
    with pytest.raises(AssertionError, match=code) as caught:
        check(broken())
    assert isinstance(caught.value, CheckFailed)


@pytest.mark.parametrize("check, broken, code", CHECKS)
def test_sound_environment_passes_every_function(check: Callable[[Any], None], broken: type, code: str) -> None:
    check(Walk())


@pytest.mark.parametrize("function", [check_env, check_reset_seed_determinism, check_step_determinism])
def test_runs_that_differ_only_by_rounding_give_no_error(function: Callable[[Any], Any]) -> None:
    class Drifts(Walk):
        """An environment whose runs differ by `drift`, because its simulator keeps a part of its state."""

        drift, resets = 1e-9, 0

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            super().reset(seed=seed)
            Drifts.resets += 1
            self.place += self.drift * Drifts.resets
            return self.place.copy(), {}

    function(Drifts())
    report = check_env(Drifts())
    assert {finding.severity for finding in report.findings if finding.code == "GK205"} == {"warning"}

    assert "GK205" in {finding.code for finding in check(Drifts(), measure=False).at_least("error")}
    Drifts.drift = 1e-3
    with pytest.raises(CheckFailed, match=r"GK205 .* first observations"):
        function(Drifts())


@pytest.mark.parametrize("check", [check_step_determinism, check_returned_data_not_reused])
def test_seed_can_be_chosen(check: Callable[..., None]) -> None:
    class Remembers(Walk):
        seeds: list[Any] = []  # noqa: RUF012 - shared by all instances

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            self.seeds.append(seed)
            return super().reset(seed=seed)

    check(Remembers(), seed=7)
    assert Remembers.seeds[0] == 7


def test_deprecated_attributes_are_reported() -> None:
    class Old(Walk):
        def reset(self, *, seed: int | None = None, return_info: bool = False) -> Any:  # type: ignore[override]
            return super().reset(seed=seed)

        def seed(self, seed: int) -> None:
            pass

    with pytest.warns(UserWarning, match="return_info"):
        check_reset_return_info_deprecation(Old())
    with pytest.warns(UserWarning, match="outdated method seed"):
        check_seed_deprecation(Old())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_reset_return_info_deprecation(Walk())
        check_seed_deprecation(Walk())


def test_bounds_are_checked_in_nested_spaces() -> None:
    class Parts:
        spaces = {"a": Line([-1], [1]), "b": Line([-1], [np.inf])}  # noqa: RUF012 - a fake space

    with pytest.warns(UserWarning, match="no bounds in some places"):
        check_space_limit(Parts(), "observation")
    with pytest.warns(UserWarning, match="not symmetric"):
        check_space_limit(Line([0.0], [5.0]), "action")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_space_limit(Line([0.0], [5.0]), "observation")
        check_space_limit(Line([-1.0], [1.0]), "action")
        check_space_limit(3, "action")


@pytest.mark.parametrize(
    "a, b, loosely, exactly",
    [
        (1, 1, True, True),
        (1, 1.0, False, False),
        (float("nan"), float("nan"), True, True),
        (np.ones(2), np.ones(2) + 1e-7, True, False),
        (np.ones(2), np.ones(2) + 1e-2, False, False),
        (np.array([np.nan]), np.array([np.nan]), True, True),
        (np.ones(2), np.ones(3), False, False),
        (np.ones(2, int), np.ones(2, bool), False, False),
        (np.array(["a"]), np.array(["a"]), True, True),
        (np.array([{"a": 1}], object), np.array([{"a": 1}], object), True, True),
        ({"a": (1, [2])}, {"a": (1, [2])}, True, True),
        ({"a": 1}, {"b": 1}, False, False),
        ((1, 2), (1,), False, False),
        ("a", "b", False, False),
    ],
)
def test_data_equivalence_compares_values(a: Any, b: Any, loosely: bool, exactly: bool) -> None:
    assert data_equivalence(a, b) is loosely
    assert data_equivalence(a, b, exact=True) is exactly


def test_check_env_reports_all_defects_of_one_instance() -> None:
    with pytest.raises(CheckFailed, match="GK203") as caught:
        check_env(Env(), warn=None, skip_render_check=True, skip_close_check=True)
    assert not [finding.code for finding in caught.value.report.findings if finding.code.startswith(("GK80", "GK82"))]


class Table(Walk):
    """An environment whose observations are rows of a table that never changes."""

    def __init__(self) -> None:
        super().__init__()
        self.observation_space = Line([-1e9] * 2, [1e9] * 2)
        self.table = np.arange(40.0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        Env.reset(self, seed=seed)
        self.time = int(self.np_random.integers(20))
        return self.table[self.time : self.time + 2], {}

    def step(self, action: Any) -> Any:
        self.time += 1
        return self.table[self.time : self.time + 2], 0.0, self.time > 30, False, {}


class OneInfo(Walk):
    def __init__(self) -> None:
        super().__init__()
        self.info: dict[str, Any] = {}

    def step(self, action: Any) -> Any:
        return *super().step(action)[:4], self.info


REJECTED = [Env, NoSeed, NoOptions, Alone, Noisy, OneBuffer, Table, OneInfo]


@pytest.mark.parametrize("broken", REJECTED)
def test_check_env_rejects_what_gymnasium_and_sb3_reject(broken: type) -> None:
    with pytest.raises(CheckFailed):
        check_env(broken())


def test_check_env_is_quick_by_default() -> None:
    short, long = check_env(Walk()), check_env(Walk(), thorough=True)

    assert long.tried["step"] > 5 * short.tried["step"]
    assert {"GK951", "GK952"} <= set(long.passed)
    assert not any(code.startswith("GK95") for code in short.passed)
    assert {"GK205", "GK210", "GK404", "GK409", "GK601", "GK618"} <= set(short.passed)


def test_slow_environment_stays_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Walk):
        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            clock[0] += 0.4  # seconds
            return super().reset(seed=seed, options=options)

    clock = [0.0]
    monkeypatch.setattr(env_checker, "BUDGET", BUDGET)
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])
    report = check_env(Slow())

    assert any("the budget of 1 s was spent" in reason for reason in report.skipped.values())
    assert report.passed


def profiled(check: Any) -> None:
    profiler = cProfile.Profile()
    profiler.enable()
    try:
        check()
    finally:
        profiler.disable()
    assert any(row.code.co_name == "step" for row in profiler.getstats() if not isinstance(row.code, str))


def watched(install: Any, check: Any) -> None:
    """Call the function while a profile or trace function is active, and check that it stays active."""
    seen: list[str] = []

    def watch(frame: Any, event: str, _: Any) -> None:
        seen.append(frame.f_code.co_name)

    get = sys.getprofile if install is sys.setprofile else sys.gettrace
    before = get()
    install(watch)
    try:
        check()
        assert get() is watch
    finally:
        install(before)
    assert "step" in seen


@pytest.mark.parametrize(
    "by",
    [profiled, pytest.param(partial(watched, sys.setprofile), marks=pytest.mark.slow), partial(watched, sys.settrace)],
)
def test_check_env_works_under_a_trace_function(by: Any) -> None:
    by(lambda: check_env(Walk()))


def test_check_env_leaves_no_processes_or_files() -> None:
    env = Walk()
    env.action_space.seed(3)
    env.observation_space.seed(4)
    env.reset()

    def around() -> list[Any]:
        spaces = [repr(space.np_random.bit_generator.state) for space in (env.action_space, env.observation_space)]
        return [state(), sorted(vars(env)), threading.active_count(), sys.getprofile(), gc.isenabled(), *spaces]

    before = around()
    check_env(env)
    assert around() == before
