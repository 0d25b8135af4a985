"""Tests that the guard process reports signals and kills all processes that the guarded program leaves running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gymkernel_tool_check.system import processes
from gymkernel_tool_check.system.guarded import GUARDS, Guarded, GuardedOutput

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what a process leaves running is found on Linux alone")

LONG = 60.0
"""How many seconds a short operation may take, which is enough for a busy machine."""
SIGNALS = sorted(item.name for item in set(signal.Signals) - {signal.SIGKILL, signal.SIGCHLD, signal.SIGCONT})
HARMLESS = {"SIGURG", "SIGWINCH", "SIGTSTP", "SIGTTIN", "SIGTTOU"}
"""Signals that have no effect here. The last three would stop a process only if it had a terminal."""
BEGIN = "import os, signal, subprocess, sys, time; sleep = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
LEFT = {
    "fork": "if os.fork() == 0:\n    time.sleep(600)",
    "double fork": "if os.fork() == 0:\n    os.fork() or time.sleep(600)\n    os._exit(0)",
    "setsid": "if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)",
    "daemon": "if os.fork() == 0:\n    os.setsid()\n    os.fork() or time.sleep(600)\n    os._exit(0)",
    "ignores signals": "if os.fork() == 0:\n    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
    "    time.sleep(600)",
    "Popen": "subprocess.Popen(sleep)",
    "Popen in a session": "subprocess.Popen(sleep, start_new_session=True)",
    "stopped": "os.kill(subprocess.Popen(sleep).pid, signal.SIGSTOP)",
}
"""Programs that leave a child process running, which inherits their standard streams."""


def marked(mark: str) -> list[int]:
    """Return the running processes whose environment variables contain the text."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            is_ours = entry.name.isdecimal() and mark.encode() in (entry / "environ").read_bytes()
            if is_ours and (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def wait_until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + LONG
    while not (found := is_so()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


def test_guarded_program_keeps_input_output_and_status() -> None:
    program = "import sys; print(sys.stdin.read().upper(), sys.argv); print('oh', file=sys.stderr); sys.exit(3)"

    with GuardedOutput(program, "text") as process:
        assert process.wait(LONG) == 3
        assert process.read() == ("TEXT ['-c']\n", "oh\n")


@pytest.mark.parametrize("way", LEFT)
def test_leftover_processes_are_killed_and_do_not_block(way: str) -> None:
    mark = uuid.uuid4().hex
    with Guarded(BEGIN + LEFT[way], env={"MARK": mark}, stdout=subprocess.PIPE) as process:
        assert process.wait(LONG) == 0
        assert process.stdout.read() == b""  # no process still has the stream open
        process.stdout.close()

    assert marked(mark) == []


@pytest.mark.parametrize("way", LEFT)
def test_killed_program_takes_its_children_along(way: str) -> None:
    mark = uuid.uuid4().hex
    with Guarded(f"{BEGIN}{LEFT[way]}\ntime.sleep(600)", env={"MARK": mark}):
        assert wait_until(lambda: len(marked(mark)) >= 3)  # the guard, the program, and its child

    assert marked(mark) == []


def test_guard_kills_everything_if_the_check_is_killed() -> None:
    mark = uuid.uuid4().hex
    program = f"{BEGIN}{LEFT['daemon']}\ntime.sleep(600)"
    code = (
        f"from gymkernel_tool_check.system.guarded import Guarded\nGuarded({program!r})\nimport time; time.sleep(600)"
    )
    check = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "MARK": mark})
    assert wait_until(lambda: len(marked(mark)) >= 4)

    check.kill()
    check.wait()

    assert wait_until(lambda: marked(mark) == [])


def test_signals_to_the_parent_reach_only_the_guard() -> None:
    lines = [f"os.kill(os.getppid(), signal.{name})" for name in SIGNALS]

    with Guarded("\n".join(["import os, signal", *lines])) as process:
        assert process.wait(LONG) == 0
        found = set(process.signals)

    assert found == set(SIGNALS) - HARMLESS


def test_signals_to_the_own_group_do_not_reach_the_guard() -> None:
    with Guarded("import os, signal; os.killpg(0, signal.SIGTERM)") as process:
        assert process.wait(LONG) == -signal.SIGTERM
        assert process.signals == []


@pytest.mark.parametrize("way", ["fork", "daemon"])
def test_killed_guard_leaves_nothing(way: str) -> None:
    mark = uuid.uuid4().hex
    program = f"{BEGIN}{LEFT[way]}\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(600)"
    with Guarded(program, env={"MARK": mark}) as process:
        assert process.wait(LONG) == -signal.SIGKILL
        assert process.guard_died == "SIGKILL"

    assert marked(mark) == []


def test_wait_for_a_process_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PATIENCE", 0.1)
    monkeypatch.setattr(processes, "kill", lambda pid: None)  # simulates a process of another user
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        processes.end_descendants(but=processes.children() - {other.pid})
        assert other.poll() is None
        other.communicate(b"\n")


def test_guards_exist_if_fork_is_available() -> None:
    assert GUARDS is hasattr(os, "fork")
