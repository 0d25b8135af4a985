"""Tests of GK90x: the rules report environments that break them, but not similar environments that are correct."""

from __future__ import annotations

import copy
import functools
import importlib
import sys
import tempfile
import threading
from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from rendered_walks import Walk

from gymkernel import register
from gymkernel.specs import EnvSpec
from gymkernel_tool_check.checks import check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gymkernel_tool_check.checks import Report

pytestmark = pytest.mark.slow  # each test creates many environments or processes


HERE = __name__


class Plain(Walk):
    """A random walk without rendering."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self, length: int = 9) -> None:
        super().__init__(length)


class HoldsLambda(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.wind = lambda: 0.5


class HoldsGenerator(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.levels = {"next": (level for level in range(9))}


class Endless(Plain):
    """An environment whose `__getattr__` reads an attribute that may not exist yet, so it recurses endlessly."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = object.__new__(object)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)


class HoldsFile(Plain):
    """An environment with an attribute that cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.log = tempfile.TemporaryFile()  # noqa: SIM115

    def close(self) -> None:
        self.log.close()


class HoldsLock(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


class SharesPlace(Plain):
    """An environment whose steps modify the state in place, and whose `__deepcopy__` makes only a shallow copy."""

    def step(self, action: Any) -> Any:
        self.place += action
        self.time += 1
        return self.observe(), 0.0, self.time >= self.length, False, {}

    def __deepcopy__(self, probe_cache: Any) -> Any:
        twin = copy.copy(self)
        twin._np_random = copy.deepcopy(self._np_random)
        return twin


class Engine:
    """A simulator whose deep copy is the simulator itself."""

    def __init__(self) -> None:
        self.speed = 0.0

    def __deepcopy__(self, probe_cache: Any) -> Any:
        return self


class SharesEngine(Plain):
    def __init__(self) -> None:
        super().__init__()
        self.engine = Engine()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.engine.speed = 0.0
        return super().reset(seed=seed)

    def step(self, action: Any) -> Any:
        self.engine.speed += 1
        returned = super().step(action)
        return (returned[0], self.engine.speed, *returned[2:])


class RefusesDeepCopy(Plain):
    def __deepcopy__(self, probe_cache: Any) -> Any:
        return type(self)(self.size)  # type: ignore[attr-defined]


class LeavesOutGenerator(Plain):
    def __getstate__(self) -> Any:
        return {**self.__dict__, "_np_random": None}


class BeginsAnew(Plain):
    """An environment whose deep copy starts from the initial state."""

    def __deepcopy__(self, probe_cache: Any) -> Any:
        twin = type(self)(self.length)
        twin._np_random = copy.deepcopy(self._np_random)
        return twin


class MakesAgain(Plain):
    """An environment that recreates an unpicklable object in `__setstate__`."""

    def __init__(self) -> None:
        super().__init__()
        self.wind = lambda: 0.5

    def __getstate__(self) -> Any:
        return {key: value for key, value in self.__dict__.items() if key != "wind"}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self.wind = lambda: 0.5


class Maze(Plain):
    """An environment that accepts any value for its arguments."""

    def __init__(self, config: Any = None, size: Any = 9) -> None:
        super().__init__()
        self.config = config


class TakesOut(Maze):
    def __init__(self, config: Any) -> None:
        super().__init__()
        self.level = config.pop("level")


class WritesInto(Maze):
    def __init__(self, config: Any) -> None:
        super().__init__()
        config["seen"] = True


class NeedsTuple(Maze):
    def __init__(self, size: Any = (9, 9)) -> None:
        super().__init__()
        self.cells = {size: 1}


class KindOfSize(Maze):
    """An environment that behaves differently if an argument is a list instead of a tuple."""

    def __init__(self, size: Any = (9,)) -> None:
        super().__init__()
        self.far = isinstance(size, tuple)

    def observe(self) -> Any:
        return super().observe() + np.float32(self.far)


class Wind:
    """An object that cannot be converted to JSON."""


class TakesObject(Maze):
    def __init__(self, wind: Any = None) -> None:
        super().__init__()


def spec(cls: type, **kwargs: Any) -> EnvSpec:
    registered = f"{cls.__name__}-v0"
    register(registered, f"{HERE}:{cls.__name__}", kwargs=kwargs, order_enforce=False, disable_env_checker=True)
    from gymkernel.envs.registration import registry

    return registry[registered]


BROKEN: dict[str, list[Any]] = {
    "GK901": [HoldsLambda, HoldsGenerator, Endless],
    "GK902": [SharesPlace, SharesEngine, RefusesDeepCopy],
    "GK903": [LeavesOutGenerator, BeginsAnew],
    "GK904": [(NeedsTuple, {"size": (3, 3)}), (KindOfSize, {"size": (3,)}), (TakesObject, {"wind": Wind()})],
    "GK906": [(TakesOut, {"config": {"level": 3}}), (WritesInto, {"config": {"level": 3}})],
}
LEGAL = [Plain, HoldsFile, HoldsLock, MakesAgain, (Maze, {"config": {"level": 3}, "size": 5})]
CASES = [pytest.param(code, env, id=f"{code}-{k}") for code, several in BROKEN.items() for k, env in enumerate(several)]


def checked(env: Any) -> Report:
    return _of_class(env) if isinstance(env, type) else check(spec(env[0], **env[1]), steps=60, measure=False)


@functools.cache
def _of_class(env: Any) -> Report:
    return check(env, steps=60, measure=False)


@pytest.mark.parametrize("code, env", CASES)
def test_rule_reports_the_defect(code: str, env: Any) -> None:
    report = checked(env)
    assert {finding.code for finding in report.findings} == {code}, list(map(str, report.findings))


@pytest.mark.parametrize("code, env", CASES)
def test_program_of_a_finding_runs(code: str, env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    finding = checked(env).findings[0]
    program = compile(finding.reproducer, "reproducer", "exec")
    names = {env.__name__: env} if isinstance(env, type) else {}
    try:
        exec(program, names)  # noqa: S102
    except Exception as exc:  # noqa: BLE001 - the failure message contains the exception
        assert type(exc).__name__ in finding.message  # noqa: PT017
    else:
        assert capsys.readouterr().out


@pytest.mark.parametrize("env", LEGAL)
def test_legal_targets_have_no_findings(env: Any) -> None:
    assert not checked(env).findings, list(map(str, checked(env).findings))


def test_uncopyable_attribute_is_named() -> None:
    assert "levels['next'] (generator)" in checked(HoldsGenerator).findings[0].message
    assert "wind (lambda)" in checked(HoldsLambda).findings[0].message
    assert checked(Endless).findings[0].severity == "error"
    assert checked(HoldsLock).skipped["GK901"] == "the environment contains lock (lock), which cannot be copied"
    assert "HoldsFile" not in checked(HoldsFile).skipped["GK901"]


def test_unimportable_class_is_not_pickled() -> None:
    class Local(Plain):
        pass

    assert check(Local, select=["GK901"], measure=False).skipped["GK901"].endswith("cannot be imported by its name")


# --- GK905: other processes


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a function that writes a module with the given source code and imports it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(source: str) -> Any:
        (tmp_path / "mazes_of_a_test.py").write_text(dedent(source))
        return importlib.import_module("mazes_of_a_test")

    yield write
    sys.modules.pop("mazes_of_a_test", None)


SOURCE = """
    from rendered_walks import Walk

    LEVELS = {}

    class Maze(Walk):
        def __init__(self, render_mode=None):
            super().__init__(render_mode=render_mode)
            self.level = LEVELS.get("first", 0)

    class Configured(Walk):
        def __init__(self, render_mode=None):
            super().__init__(render_mode=render_mode)
            self.level = LEVELS["first"]
"""


def thorough(target: Any) -> list[str]:
    report = check(target, select=["GK905"], measure=False, profile="thorough")
    return [str(finding) for finding in report.findings] or [report.skipped.get("GK905", "")]


def _configured(mazes: Any) -> Any:
    mazes.LEVELS["first"] = 1
    return mazes.Configured


def _by_lambda(mazes: Any) -> Any:
    return EnvSpec("Lambda-v0", lambda render_mode=None: mazes.Maze(render_mode), order_enforce=False)


ELSEWHERE: dict[str, list[tuple[Any, str]]] = {
    "GK905": [(_configured, "KeyError: 'first'"), (_by_lambda, "its spec cannot be sent to another process")]
}


@pytest.mark.parametrize("setup, message", ELSEWHERE["GK905"])
def test_target_that_no_other_process_can_create_is_reported(module: Any, setup: Any, message: str) -> None:
    assert message in thorough(setup(module(SOURCE)))[0]


def test_registered_id_is_created_in_a_new_process(module: Any) -> None:
    module(SOURCE)
    assert thorough(EnvSpec("Named-v0", "mazes_of_a_test:Maze", order_enforce=False)) == [""]


def test_importable_target_is_created_in_a_new_process(module: Any) -> None:
    assert thorough(module(SOURCE).Maze) == [""]


def test_target_from_a_local_function_is_skipped() -> None:
    assert thorough(lambda: Plain()) == ["other processes cannot import the function that creates the environment"]  # noqa: PLW0108
