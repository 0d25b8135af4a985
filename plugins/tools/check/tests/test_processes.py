"""Tests of the functions that end a process and its descendants."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gymkernel_tool_check.system import processes

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "import pathlib, sys; sys.stdin.read(); pathlib.Path(sys.argv[1]).touch()"
"""A program that creates a file when its standard input is closed, and then exits."""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list command lines")
@pytest.mark.parametrize("name, is_left_running", [("multiprocessing.resource_tracker", True), ("other", False)])
def test_a_starting_process_is_judged_by_its_command_line(
    name: str, is_left_running: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command_of, seen = processes.command_of, list[int]()

    def delayed(pid: int) -> bytes:
        """Return no command line at first, as while a process executes a new program."""
        seen.append(pid)
        return b"" if len(seen) < 3 else command_of(pid)

    monkeypatch.setattr(processes, "command_of", delayed)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "end"), name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        others = processes.children() - {process.pid}
        while len(seen) < 4 and process.poll() is None:  # the process is judged again once its command line is known
            processes.end_descendants(but=others)
        process.stdin.close()
        processes.reap_trackers(but=others)

    assert (tmp_path / "end").exists() == is_left_running
