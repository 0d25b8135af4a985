"""Tests of GK95x: the rules report environments that break them, but not similar environments that are correct."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from rendered_walks import Walk

from gymkernel_tool_check.checks import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.checks import Report


pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Plain(Walk):
    """A random walk with methods that subclasses override to do something additional in each call."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(self) -> None:
        super().__init__()
        self.prepare()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.begin()
        return super().reset(seed=seed)

    def step(self, action: Any) -> Any:
        self.act()
        return super().step(action)

    def prepare(self) -> None: ...

    def begin(self) -> None: ...

    def act(self) -> None: ...


class KeepsHistory(Plain):
    def prepare(self) -> None:
        self.history: list[Any] = []

    def act(self) -> None:
        self.history.append(self.place)


class KeepsEpisodes(Plain):
    def prepare(self) -> None:
        self.stats: dict[str, list[Any]] = {"starts": []}

    def begin(self) -> None:
        self.stats["starts"].append(self.place)


class AppendsToArray(Plain):
    def prepare(self) -> None:
        self.visited = np.zeros((0, 2))

    def act(self) -> None:
        self.visited = np.vstack([self.visited, self.place])


class WritesLog(Plain):
    log = ""

    def act(self) -> None:
        self.log += f"{self.time}\n"


class KeepsInClass(Plain):
    seen: ClassVar[list[Any]] = []

    def begin(self) -> None:
        self.seen.append(self.place)


class CachesForever(Plain):
    def act(self) -> None:
        self.distance(float(self.place[0]))

    @functools.cache  # noqa: B019 - this is the defect to find
    def distance(self, x: float) -> float:
        return abs(x)


def keeper() -> Any:
    kept: list[Any] = []
    return kept.append


class KeepsInClosure(Plain):
    def prepare(self) -> None:
        self.keep = keeper()

    def act(self) -> None:
        self.keep(np.zeros(100))


class KeepsChain(Plain):
    """An environment in which each episode keeps a reference to the previous one."""

    last: Any = None

    def begin(self) -> None:
        self.last = [self.last, np.zeros(100)]


class OpensFiles(Plain):
    def prepare(self) -> None:
        self.files: list[Any] = []

    def begin(self) -> None:
        self.files.append(tempfile.TemporaryFile())  # noqa: SIM115


class LeavesDescriptors(Plain):
    """An environment that opens file descriptors and never closes them."""

    def prepare(self) -> None:
        self.pipe = os.pipe()


class StartsThreads(Plain):
    def prepare(self) -> None:
        self.over = threading.Event()

    def begin(self) -> None:
        threading.Thread(target=self.over.wait, daemon=True, name="physics").start()

    def __del__(self) -> None:
        self.over.set()


class LeavesProcess(Plain):
    """An environment that starts a process, which ends after the tests because its standard input is closed."""

    def prepare(self) -> None:
        self.server = subprocess.Popen(["cat"], stdin=LINE[0])


class Prints(Plain):
    def begin(self) -> None:
        sys.stdout.write("a new episode\n")


class PrintsWhenMade(Plain):
    def prepare(self) -> None:
        print("walk 1.0")  # noqa: T201


class SlowsDown(Plain):
    """An environment in which each step takes a little longer than the previous one."""

    total = 0

    def act(self) -> None:
        self.total += 1
        time.sleep(1e-6 * self.total)


# --- valid environments


class CachesOnce(Plain):
    table: Any = None

    def begin(self) -> None:
        if self.table is None:
            self.table = [float(i) for i in range(1000)]


class CachesCells(Plain):
    """An environment that fills a table of limited size."""

    def prepare(self) -> None:
        self.cells: dict[int, float] = {}

    def act(self) -> None:
        cell = int(self.np_random.integers(60))
        self.cells.setdefault(cell, cell / 2)


class ClearsHistory(KeepsHistory):
    def begin(self) -> None:
        self.history.clear()


class RemembersFew(Plain):
    def prepare(self) -> None:
        self.recent: deque[Any] = deque(maxlen=1000)

    def act(self) -> None:
        self.recent.append(self.place)


class BoundedCache(Plain):
    def act(self) -> None:
        half(float(self.place[0]))


@functools.lru_cache(maxsize=4096)
def half(x: float) -> float:
    return x / 2


class HoldsFile(Plain):
    def prepare(self) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115

    def close(self) -> None:
        self.file.close()


class ForgetsFile(Plain):
    """An environment whose file is closed only by garbage collection."""

    def prepare(self) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115


class HoldsThread(Plain):
    def prepare(self) -> None:
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.over.wait, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.over.set()
        self.thread.join()


OVER = threading.Event()
"""An event that is set at the end, for which the threads in these tests wait."""
LINE: list[int] = []
"""A pipe that is closed at the end, from which the processes in these tests read."""


@pytest.fixture(autouse=True, scope="module")
def _threads_and_processes_end() -> Iterator[None]:
    LINE[:] = os.pipe()
    yield
    OVER.set()
    for item in LINE:
        os.close(item)


class OneThreadForAll(Plain):
    thread: ClassVar[Any] = None

    def begin(self) -> None:
        if OneThreadForAll.thread is None:
            OneThreadForAll.thread = threading.Thread(target=OVER.wait, daemon=True)
            OneThreadForAll.thread.start()


class PrintsWhenAsked(Plain):
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}  # type: ignore[misc]

    def __init__(self, render_mode: str | None = None) -> None:
        Walk.__init__(self, render_mode=render_mode)

    def act(self) -> None:
        sys.stderr.write("")


BROKEN: dict[str, list[Any]] = {
    "GK951": [KeepsHistory, KeepsEpisodes, AppendsToArray, WritesLog, KeepsInClass, CachesForever],
    "GK952": [OpensFiles, LeavesDescriptors],
    "GK953": [StartsThreads, LeavesProcess],
    "GK954": [Prints, PrintsWhenMade],
}
LEGAL = [Plain, CachesOnce, CachesCells, ClearsHistory, RemembersFew, BoundedCache, HoldsFile, ForgetsFile, HoldsThread]
LEGAL += [OneThreadForAll, PrintsWhenAsked]
CASES = [pytest.param(code, env, id=f"{code}-{env.__name__}") for code, several in BROKEN.items() for env in several]


@functools.cache
def checked(env: Any) -> Report:
    return check(env, steps=60, measure=False)


@pytest.mark.parametrize("code, env", CASES)
def test_rule_reports_the_defect(code: str, env: Any) -> None:
    assert {finding.code for finding in checked(env).findings} == {code}, list(map(str, checked(env).findings))


@pytest.mark.parametrize("code, env", CASES)
def test_program_of_a_finding_runs(code: str, env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for finding in checked(env).findings:
        exec(compile(finding.reproducer, "reproducer", "exec"), {env.__name__: env})  # noqa: S102
        assert capsys.readouterr().out


@pytest.mark.parametrize("env", LEGAL)
def test_legal_targets_have_no_findings(env: Any) -> None:
    assert not checked(env).findings, list(map(str, checked(env).findings))


def test_native_leak_is_found_in_process_memory() -> None:
    finding = check(KeepsInClosure, select=["GK951"], measure=False).findings[0]
    assert "but no attribute grows" in finding.message


def test_chained_leak_is_found_in_python_memory() -> None:
    finding = check(KeepsChain, select=["GK951"], measure=False).findings[0]
    assert finding.message.startswith("Python's memory grows")
    assert "but no attribute grows" in finding.message


def test_slowly_filling_table_is_at_most_a_note() -> None:
    class CachesLevels(Plain):
        def prepare(self) -> None:
            self.levels: dict[int, float] = {}

        def begin(self) -> None:
            self.levels.setdefault(len(self.levels), 0.5)

    assert {finding.severity for finding in check(CachesLevels, select=["GK951"], measure=False).findings} == {"info"}


class _Nameless(type):
    """A metaclass for classes without `__module__`, such as some classes written in C."""

    def __getattribute__(cls, name: str) -> Any:
        if name == "__module__" and cls.__name__ == "Body":
            raise AttributeError(name)
        return super().__getattribute__(name)


class HoldsBody(Plain):
    """An environment that contains a physics engine's object whose class has no `__module__`."""

    def prepare(self) -> None:
        self.body = _Nameless("Body", (), {})()


def test_object_whose_type_has_no_module_is_inspected() -> None:
    assert not check(HoldsBody, select=["GK951"], measure=False).findings


def test_growing_object_is_named_with_its_rate() -> None:
    def message(env: Any) -> str:
        return checked(env).findings[0].message

    assert message(KeepsHistory).startswith("history grows by 9 elements in an episode of at most 15 steps")
    assert message(AppendsToArray).startswith("visited grows by 18 elements")
    assert message(KeepsInClass).startswith("KeepsInClass.seen grows by 1 element")
    assert message(KeepsEpisodes).startswith("stats['starts'] grows by 1 element")
    assert checked(KeepsEpisodes).findings[0].severity == "warning"
    assert "CachesForever.distance" in message(CachesForever)
    assert "the thread physics" in message(StartsThreads)
    assert message(LeavesDescriptors).startswith(
        "each instance that is created, used, closed and deleted leaves 2 more"
    )
    assert message(PrintsWhenMade) == "the constructor prints to standard output: 'walk 1.0'"


class AveragesEverything(Plain):
    """An environment whose steps take longer and longer, as if each computed the mean of all previous steps."""

    total = 0

    def act(self) -> None:
        self.total += 1
        time.sleep(2e-7 * self.total)  # this advances the fake clock below


class WarmsUp(Plain):
    """An environment whose first steps are slow because they fill a table."""

    def prepare(self) -> None:
        self.cells: dict[int, float] = {}

    def act(self) -> None:
        cell = self.time % 20
        if cell not in self.cells:
            time.sleep(1e-3)
            self.cells[cell] = cell / 2


class Slow(Plain):
    def act(self) -> None:
        time.sleep(2e-3)


class SlowAtTheEdge(Plain):
    """An environment whose every second step is slow."""

    def act(self) -> None:
        if self.time % 2:
            time.sleep(8e-3)


class SlowToMake(Plain):
    """An environment whose constructor is slow."""

    def prepare(self) -> None:
        time.sleep(0.1)


SLOW: dict[str, list[Any]] = {"GK957": [SlowsDown, AveragesEverything], "GK958": [Slow, SlowAtTheEdge]}
STEADY: dict[str, list[Any]] = {"GK957": [Plain, WarmsUp], "GK958": [Plain, SlowToMake]}


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a fake clock that advances when `sleep` is called, and a little whenever it is read."""
    now = [0.0]

    def advance(seconds: float = 1e-4) -> float:
        now[0] += seconds
        return now[0]

    monkeypatch.setattr(time, "perf_counter", advance)
    monkeypatch.setattr(time, "sleep", advance)


@pytest.mark.usefixtures("_clock")
@pytest.mark.parametrize("code, env", [(code, env) for code, several in SLOW.items() for env in several])
def test_slow_steps_are_reported_if_time_allows(code: str, env: Any) -> None:
    (finding,) = check(env, select=[code], profile="thorough").findings
    assert finding.code == code
    assert finding.severity == {"GK957": "warning", "GK958": "info"}[code]


@pytest.mark.usefixtures("_clock")
@pytest.mark.parametrize("code, env", [(code, env) for code, several in STEADY.items() for env in several])
def test_fast_or_steady_steps_have_no_findings(code: str, env: Any) -> None:
    assert not check(env, select=[code], profile="thorough").findings


def test_pause_before_the_first_step_is_not_slowness(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check a process that is delayed for seconds between two readings of the clock."""
    now = [0.0]

    def advance() -> float:
        now[0] += 2.0
        return now[0]

    monkeypatch.setattr(time, "perf_counter", advance)
    report = check(Plain, select=["GK958"], profile="thorough", steps=1)

    assert [finding.code for finding in report.findings] == ["GK958"]
    assert not report.checker_failures
    assert report.measured["steps_per_second"] == 0.5
