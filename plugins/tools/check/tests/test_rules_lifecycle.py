"""Tests of GK82x: the rules report environments that break them, but not similar environments that are correct."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from rendered_walks import Walk

from gymkernel.error import ClosedEnvironmentError
from gymkernel_tool_check.checks import check

if TYPE_CHECKING:
    from gymkernel_tool_check.checks import Report

pytestmark = pytest.mark.slow  # each test creates many environments or processes


class Window:
    """The global state of a graphics library."""

    open_windows: ClassVar[int] = 0
    running: ClassVar[bool] = False

    @classmethod
    def draw(cls) -> Any:
        if not cls.running:
            raise RuntimeError("video system not initialized")
        return np.zeros((4, 4, 3), np.uint8)


class Drawing(Walk):
    """An environment that draws with the global state of a graphics library."""

    window: Any = None

    def render(self) -> Any:
        if self.render_mode == "ansi":
            return super().render()
        if self.window is None:
            self.window = Window
            Window.running = True
        return self.window.draw()


class QuitsForAll(Drawing):
    def close(self) -> None:
        self.window = None
        Window.running = False


class Blind(Walk):
    """A random walk without rendering."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self) -> None:
        super().__init__()


class EmptiesSharedPool(Blind):
    pool: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.pool.setdefault("engine", np.ones(2))

    def step(self, action: Any) -> Any:
        return super().step(action * self.pool["engine"])

    def close(self) -> None:
        self.pool.clear()


class CountsUsers(Drawing):
    """An environment that closes the graphics library when its last open instance is closed."""

    def render(self) -> Any:
        if self.window is None:
            Window.open_windows += 1
        return super().render()

    def close(self) -> None:
        if self.window is not None:
            self.window = None
            Window.open_windows -= 1
            Window.running = Window.open_windows > 0


class ClosesOnce(Blind):
    def __init__(self) -> None:
        super().__init__()
        self.handle: Any = object()

    def close(self) -> None:
        del self.handle


class ClosesOnceSecretly(Walk):
    handles: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.handles = self.handles or [object()]
        return super().reset(seed=seed)

    def close(self) -> None:
        if self.handles is not None:
            self.handles.pop()


class NeedsReset(Walk):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.engine: Any = object()
        return super().reset(seed=seed)

    def close(self) -> None:
        self.engine  # noqa: B018


class NeedsStep(Walk):
    trail: Any = None

    def step(self, action: Any) -> Any:
        self.trail = []
        return super().step(action)

    def close(self) -> None:
        if self.trail is None:
            raise RuntimeError("there was no episode")


class SpecOfItsOwn(Walk):
    @property
    def spec(self) -> Any:  # type: ignore[override]
        return None


class SpecIsFrozen(Walk):
    def __setattr__(self, name: str, value: Any) -> None:
        if name == "spec":
            raise AttributeError("the spec is set at registration")
        super().__setattr__(name, value)


class SpecIsKept(Walk):
    """An environment with a property `spec` that can be set."""

    _spec: Any = None

    @property
    def spec(self) -> Any:
        return self._spec

    @spec.setter
    def spec(self, value: Any) -> None:
        self._spec = value


class ForgetsEverything(Blind):
    def __init__(self) -> None:
        super().__init__()
        self.state: Any = np.zeros(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.state.fill(0)
        return super().reset(seed=seed)

    def close(self) -> None:
        self.state = None


class LosesEngine(Blind):
    def __init__(self) -> None:
        super().__init__()
        self.engines = {"main": 1}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.engines["main"] += 1
        return super().reset(seed=seed)

    def close(self) -> None:
        self.engines.clear()


class SaysThatItIsClosed(Walk):
    is_closed = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if self.is_closed:
            raise ClosedEnvironmentError("make another one")
        return super().reset(seed=seed)

    def close(self) -> None:
        self.is_closed = True


class FailsInAnyCase(Blind):
    """An environment whose step raises an exception that has nothing to do with closing."""

    def step(self, action: Any) -> Any:
        if self.time == 2:
            raise IndexError("no such cell")
        return super().step(action)


BROKEN: dict[str, list[Any]] = {
    "GK317": [FailsInAnyCase],
    "GK821": [ClosesOnce, ClosesOnceSecretly],
    "GK822": [NeedsReset, NeedsStep],
    "GK823": [QuitsForAll, EmptiesSharedPool],
    "GK824": [SpecOfItsOwn, SpecIsFrozen],
    "GK825": [ForgetsEverything, LosesEngine],
}
LEGAL = [CountsUsers, SpecIsKept, SaysThatItIsClosed, Drawing]
CASES = [pytest.param(code, env, id=f"{code}-{env.__name__}") for code, several in BROKEN.items() for env in several]


@functools.cache
def checked(env: Any) -> Report:
    return check(env, steps=60, measure=False)


@pytest.mark.parametrize("code, env", CASES)
def test_rule_reports_the_defect(code: str, env: Any) -> None:
    assert {finding.code for finding in checked(env).findings} == {code}, list(map(str, checked(env).findings))


@pytest.mark.parametrize("code, env", CASES)
def test_program_of_a_finding_raises_the_reported_error(code: str, env: Any) -> None:
    finding = checked(env).findings[0]
    program = compile(finding.reproducer, "reproducer", "exec")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the exception may be of any class
        exec(program, {env.__name__: env})  # noqa: S102
    assert type(caught.value).__name__ in finding.message


@pytest.mark.parametrize("env", LEGAL)
def test_legal_targets_have_no_findings(env: Any) -> None:
    assert not checked(env).findings, list(map(str, checked(env).findings))


def test_spec_is_checked_with_one_instance() -> None:
    report = check(SpecOfItsOwn(), select=["GK82"], measure=False)
    assert [finding.code for finding in report.findings] == ["GK824"]
