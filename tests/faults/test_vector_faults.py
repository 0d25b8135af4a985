"""Tests that known faults in vector environments cause a clear error, are over in time, and leave nothing behind."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gymkernel import plugins

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "AsyncVectorEnv" not in plugins.names("vector"), reason="gymkernel-vector-async is not installed"
    ),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]
SCENES = Path(__file__).with_name("scenes.py")
LIMIT = 300
METHODS = ["fork", "forkserver", "spawn"]
LONG: tuple[str, ...] = (
    "killed_in_reset",
    "segfault_in_2",
    "hangs",
    "raises_in_step",
    "constructors_raise",
    "restart",
    "parent_killed",
)
"""The scenes to run with every start method instead of only with fork."""
LONG += ("parent_killed_while_hanging", "main_is_not_imported_again", "functions_that_do_not_pickle", "closing")
LONG += (
    "parent_killed_while_busy",
    "exit_without_close",
    "exceptions_that_do_not_travel",
    "lock_held_by_a_thread",
    "parent_terminated",
    "nested_vector_environments",
    "nested_workers_end_with_their_worker",
    "parent_killed_of_nested_workers",
)


def names() -> list[str]:
    spec = importlib.util.spec_from_file_location("scenes", SCENES)
    if spec is None or spec.loader is None or "AsyncVectorEnv" not in plugins.names("vector"):
        return []
    scenes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scenes)
    return list(scenes.SCENES)


CASES = [(name, method) for name in names() for method in (METHODS if name in LONG else METHODS[:1])]


def processes() -> list[Path]:
    """Return the folders of all processes. A longer glob pattern would raise an error if a process ended meanwhile."""
    return [path for path in Path("/proc").iterdir() if path.name.isdecimal()]


def session(leader: int) -> list[str]:
    """Return the processes of a session."""
    found = []
    for process in processes():
        try:
            fields = (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            line = (process / "cmdline").read_bytes().decode().replace("\0", " ")
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(f"{process.name} {line}")
    return found


def memory() -> set[str]:
    """Return the names of all shared memory segments and semaphores."""
    return {path.name for path in Path("/dev/shm").iterdir()}  # noqa: S108 - Linux lists shared memory in this folder


def orphans(names: set[str]) -> set[str]:
    """Return the names that no process uses. The others may belong to other programs on this machine."""
    maps = ""
    for process in processes():
        with contextlib.suppress(OSError):
            maps += (process / "maps").read_text(encoding="utf-8")
    return {name for name in names if f"/dev/shm/{name}\n" not in maps}  # noqa: S108 - Linux lists shared memory in this folder


@pytest.mark.parametrize("name,method", [pytest.param(*case, id="-".join(case)) for case in CASES])
def test_a_fault(name: str, method: str, tmp_path: Path) -> None:
    before = memory()
    environment = {**os.environ, "SCENE_IMPORTS": str(tmp_path / "imports"), "PYTHONWARNINGS": "default"}
    process = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", str(SCENES), name, method],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment,
    )
    try:
        out, err = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        pytest.fail(f"{name} hangs under {method}:\n{out}\n{err}")
    if name.startswith("parent_"):
        assert json.loads(out), err
        assert process.returncode in {-signal.SIGKILL, -signal.SIGTERM}, err
    elif name == "interrupted_without_handler":
        assert process.returncode != 0
        assert err.count("Traceback") == 1, err
    else:
        assert process.returncode == 0, f"{out}\n{err}"
        assert out.endswith("end of scene\n")
        if name == "interrupted":
            assert "Traceback" not in err
    deadline = time.monotonic() + 30
    while (left := session(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    try:
        assert not left, f"processes are left: {left}"
        while (lost := orphans(memory() - before)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not lost, f"shared memory is left: {lost}"
    finally:
        if left:
            os.killpg(process.pid, signal.SIGKILL)


def test_scenes_cover_the_known_faults() -> None:
    seen: Any = {name for name, _ in CASES}
    assert len(seen) >= 45
    assert set(LONG) <= seen
