"""Tests that every finding of the passive checks reaches the listeners with the code of a rule."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.spaces import Space
from gymkernel.wrappers import PassiveEnvChecker
from gymkernel_wrapper_passive_env_checker.findings import listeners


class Unit(Space[Any]):
    """A space of float32 numbers from 0 to 1, with the attributes that are used to find the reason for a mismatch."""

    def __init__(self) -> None:
        super().__init__((1,), np.float32)
        self.low, self.high = np.zeros(1, np.float32), np.ones(1, np.float32)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.random(1, np.float32)

    def contains(self, x: Any) -> bool:
        return bool(x.shape == (1,) and x.dtype == np.float32 and 0 <= x[0] <= 1)


class Faulty(Env[Any, Any]):
    """An environment that returns the given results, and otherwise satisfies the API."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - as in Env

    def __init__(self, render_mode: str | None = None, **results: Any) -> None:
        self.observation_space: Any = Unit()
        self.action_space: Any = Unit()
        self.render_mode = render_mode
        self.results = results

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return self.results.get("reset", (np.zeros(1, np.float32), {}))

    def step(self, action: Any) -> Any:
        return self.results.get("step", (np.zeros(1, np.float32), 1.0, False, False, {}))

    def render(self) -> Any:
        return self.results.get("frame")


class SeedOnly(Faulty):
    """An environment whose reset accepts no options."""

    def reset(self, *, seed: int | None = None) -> Any:  # type: ignore[override]
        return super().reset(seed=seed)


class NoArguments(Faulty):
    """An environment whose reset accepts no arguments."""

    def reset(self) -> Any:  # type: ignore[override]
        return super().reset()


@pytest.fixture
def codes() -> Iterator[list[str]]:
    found: list[str] = []

    def listen(code: str, message: str, env: Any) -> None:
        assert message
        assert env is not None
        found.append(code)

    listeners.append(listen)
    yield found
    listeners.remove(listen)


def use(make: Any) -> None:
    """Create, reset, step and render an environment until it raises an error."""
    with warnings.catch_warnings(action="ignore"):
        try:
            env = PassiveEnvChecker(make())
            env.reset(seed=0)
            env.step(0)
            if env.render_mode is not None:
                env.render()
        except (TypeError, AttributeError):
            pass


def observed(value: Any, dtype: Any = np.float32) -> Any:
    return np.full(1, value, dtype), 1.0, False, False, {}


good = np.zeros(1, np.float32)
shared: dict[str, Any] = {}

CASES: dict[str, Any] = {
    "GK101": Env,
    "GK201": NoArguments,
    "GK202": SeedOnly,
    "GK203": lambda: Faulty(reset=good),
    "GK204": lambda: Faulty(reset=(good, None)),
    "GK311": lambda: Faulty(step=(good, 1.0, False, {})),
    "GK312": lambda: Faulty(step=(good, "1", False, False, {})),
    "GK313": lambda: Faulty(step=(good, float("nan"), False, False, {})),
    "GK314": lambda: Faulty(step=(good, 1.0, 0, False, {})),
    "GK315": lambda: Faulty(step=(good, 1.0, False, False, [])),
    "GK401": lambda: Faulty(step=observed(2.0)),
    "GK402": lambda: Faulty(step=observed(0.5, np.float64)),
    "GK403": lambda: Faulty(step=observed(float("nan"))),
    "GK404": lambda: Faulty(reset=(good, {}), step=(good, 1.0, False, False, {})),
    "GK405": lambda: Faulty(step=(np.zeros(2, np.float32), 1.0, False, False, {})),
    "GK618": lambda: Faulty(reset=(good, shared), step=(good.copy(), 1.0, False, False, shared)),
    "GK801": lambda: Faulty("ansi"),
    "GK805": lambda: Faulty("rgb_array", frame=np.zeros(3)),
    "GK811": lambda: Faulty("human", frame=3),
}


@pytest.mark.parametrize("code", CASES)
def test_a_violation_is_a_finding_with_the_code_of_its_rule(codes: list[str], code: str) -> None:
    use(CASES[code])
    assert code in codes


def test_an_environment_that_satisfies_the_api_has_no_findings(codes: list[str]) -> None:
    use(Faulty)
    assert not codes


def test_warning_filters_do_not_hide_findings_from_listeners(codes: list[str]) -> None:
    for _ in range(2):
        use(CASES["GK312"])
    assert codes == ["GK312", "GK312"]


def test_the_number_of_checked_calls_can_be_raised(codes: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PassiveEnvChecker, "checked_calls", 20)
    env = PassiveEnvChecker(Faulty())
    env.reset(seed=0)
    for _ in range(10):
        env.step(0)
    env.unwrapped.results["step"] = observed(2.0)  # type: ignore[attr-defined]
    with pytest.warns(UserWarning, match="not in its observation_space"):
        env.step(0)
    assert codes == ["GK401"]
