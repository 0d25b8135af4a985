"""Tests of `gymkernel check` with environments that send signals to their parent process or leave processes running."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import uuid
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from test_guard import BEGIN, LEFT, LONG, marked, wait_until

from gymkernel_tool_check.checks import check
from gymkernel_tool_check.system import signals

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what a process leaves running is found on Linux alone")

SOURCE = """
from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Odd(Env):
    metadata = {"render_modes": ["ansi"], "render_fps": 10}

    def __init__(self, render_mode=None):
        self.observation_space, self.action_space = Box(-1e9, 1e9, (1,), "float64"), Discrete(2)
        self.render_mode = render_mode
        at("the constructor")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = self.np_random.normal(size=1), 0
        at("reset")
        return self.place.copy(), {}

    def step(self, action):
        self.place, self.time = self.place + action, self.time + 1
        at("step")
        return self.place.copy(), 0.0, self.time > 8, False, {}

    def render(self):
        at("render")
        return str(self.place)

    def close(self):
        at("close")

    def __del__(self):
        at("__del__")


at("the import")
"""
PLACES = ["the import", "the constructor", "reset", "step", "render", "close", "__del__"]
SENT = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGKILL", "SIGSTOP", "SIGUSR1", "SIGALRM", "SIGPIPE", "SIGABRT"]
GROUPS = ["os.kill(os.getppid(), {})", "os.killpg(os.getpgid(os.getppid()), {})"]


def write(folder: Path, place: str, body: str) -> str:
    begin = f"{BEGIN}def at(place):\n    if place == {place!r}:\n{indent(body, ' ' * 8)}\n"
    (folder / "walks.py").write_text(f"{begin}\n{SOURCE}")
    return "walks.py:Odd"


def run(folder: Path, target: str, *options: str) -> tuple[int, str, list[int]]:
    """Run a command, and return its exit status, its output and the processes that it left running."""
    mark = uuid.uuid4().hex
    code = f"import sys; sys.argv[1:] = {['check', target, *options]!r}; from gymkernel.cli import main; main()"
    with (folder / "out").open("w") as out:  # not a pipe, because reading a pipe would wait for all processes to end
        process = subprocess.Popen(
            [sys.executable, "-c", code], cwd=folder, env={**os.environ, "MARK": mark}, stdout=out, stderr=out
        )
        try:
            status = process.wait(timeout=4 * LONG)
        finally:
            process.kill()
            left = marked(mark)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
    return status, (folder / "out").read_text(), left


@pytest.mark.slow
@pytest.mark.parametrize("number, place", [*itertools.product(["SIGTERM", "SIGKILL", "SIGSTOP"], PLACES)])
def test_signal_to_the_parent_is_reported_with_name_and_place(tmp_path: Path, number: str, place: str) -> None:
    status, text, left = run(
        tmp_path, write(tmp_path, place, f"os.kill(os.getppid(), signal.{number})"), "--select", "GK0,GK3,GK8"
    )

    where = "" if place == "__del__" else place  # it is not known when this call began
    assert f"{where} sent {number} to its parent process" in " ".join(text.split())
    assert status == 1
    assert left == []


@pytest.mark.slow
@pytest.mark.parametrize("call, number", [*itertools.product(GROUPS, SENT)])
def test_signals_to_the_parent_or_its_group_are_reported(tmp_path: Path, call: str, number: str) -> None:
    target = write(tmp_path, "step", call.format(f"signal.{number}"))

    status, text, left = run(tmp_path, target, "--select", "GK0,GK3", "--fast")

    assert f"step sent {number} to its parent process at step 1 of episode 1" in " ".join(text.split())
    assert status == 1
    assert left == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "number, place",
    [
        *itertools.product(["SIGTERM", "SIGKILL", "SIGHUP"], ["the import", "step"]),
        # A stopped import would be reported only after one minute, which is the time limit for imports.
        # `test_hanging_import_is_reported` checks this with a shorter limit.
        ("SIGSTOP", "step"),
    ],
)
def test_signal_to_the_own_group_is_a_finding(tmp_path: Path, number: str, place: str) -> None:
    target = write(tmp_path, place, f"os.killpg(0, signal.{number})")

    status, text, left = run(tmp_path, target, "--select", "GK0,GK3", "--fast", "--timeout", "2")

    assert f"GK003 error  {place}" in text
    assert status == 1
    assert left == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "way, place, options",
    [
        *itertools.product(LEFT, ["the import", "step"], [("--fast",)]),
        *itertools.product(["Popen", "daemon"], ["the constructor"], [("--select", "GK0,GK1,GK2,GK3,GK82,GK95")]),
    ],
)
def test_no_process_is_left_or_waited_for(tmp_path: Path, way: str, place: str, options: Sequence[str]) -> None:
    once = f"if not globals().get('been'):\n    globals()['been'] = True\n{indent(LEFT[way], ' ' * 4)}"

    status, text, left = run(tmp_path, write(tmp_path, place, once), *options)

    assert left == []
    assert status in {0, 1, 4}
    assert " passed" in text


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("place", ["the import", "step"])
def test_interrupted_check_kills_daemons(tmp_path: Path, place: str, number: int) -> None:
    target = write(tmp_path, place, f"{LEFT['daemon']}\nopen('here', 'w').close()\ntime.sleep(600)")
    mark = uuid.uuid4().hex
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += f"sys.argv[1:] = ['check', {target!r}]; from gymkernel.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "MARK": mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert wait_until((tmp_path / "here").exists)
        process.send_signal(number)
        status = process.wait(LONG)

    assert status == (-number if number == signal.SIGKILL else 128 + number)
    assert wait_until(lambda: marked(mark) == [])


def test_signal_to_the_parent_gives_one_finding_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    target = write(tmp_path, "step", "os.kill(os.getppid(), signal.SIGTERM)")

    report = check(target, select=["GK0", "GK3"], profile="fast")

    (finding,) = [item for item in report.findings if item.code == "GK003"]
    assert finding.message == "step sent SIGTERM to its parent process at step 1 of episode 1 (seed 123)"
    assert finding.place == f"{tmp_path / 'walks.py'}:4"
    assert "GK317" in report.passed


def test_only_signals_that_reach_the_parent_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    announced: list[str] = []
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    monkeypatch.setattr(os, "killpg", lambda group, number: sent.append((group, number)))

    signals.announce(lambda name, frames: announced.append(name))
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getppid(), 0)
    os.killpg(os.getpgid(0), signal.SIGTERM)
    assert announced == []

    os.kill(os.getppid(), signal.SIGHUP)
    os.kill(-1, signal.SIGTERM)
    assert announced == ["SIGHUP", "SIGTERM"]
    assert len(sent) == 5
