"""Functions that run the example programs of findings, to verify that each program shows its defect."""

from __future__ import annotations

import contextlib
import json
import math
import re
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.system import processes
from gymkernel_tool_check.system.guarded import GuardedOutput

__all__ = ["unshown", "verified"]

HANG: Final = 5.0
"""The number of seconds after which a program that is expected to hang counts as hanging."""
LOOK: Final = 0.2
"""The interval, in seconds, at which to check whether the user has interrupted the command."""
NO_WINDOWS: Final = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "MPLBACKEND": "Agg"}
PLACEHOLDER: Final = re.compile(r"^\w+ = \.\.\.", re.MULTILINE)
"""Matches a line that the reader has to complete, because the checker does not know how to create the object."""
FOLDER: Final = re.compile(r"# in (.+)$", re.MULTILINE)
COMPARED: Final = ("for run in range(2):", "for others in (False, True):")
"""Lines that perform an action twice and print both results. If the results agree, the program shows no defect."""
DIFFERS: Final = re.compile(r"\bdiffer|something else|behaves differently")
START: Final = (
    "import json, sys, warnings; warnings.simplefilter('ignore'); "
    "path, program = json.loads(sys.stdin.read()); sys.path[:] = path; "
    "exec(compile(program, '<the program>', 'exec'), {'__name__': '__main__'})"
)


def verified(findings: Sequence[Finding], stop: threading.Event | None = None, seconds: float = 20.0) -> list[Finding]:
    """Run the example programs of the findings in parallel, and return the findings.

    If a program does not show the defect, the attribute `unshown` of the returned finding says what happened instead.

    Args:
        findings: the findings to verify.
        stop: an event. When another thread sets it, this function raises `KeyboardInterrupt`.
        seconds: the maximum duration of each program in seconds.
    """
    tried = {
        i: finding
        for i, finding in enumerate(findings)
        if finding.reproducer and not PLACEHOLDER.search(finding.reproducer)
    }
    with contextlib.ExitStack() as stack:
        started = {i: stack.enter_context(_start(finding.reproducer)) for i, finding in tried.items()}
        start, most_memory = time.monotonic(), processes.available_memory() / 2 or math.inf
        for i, process in started.items():
            most = min(seconds, HANG) if tried[i].code == "GK003" else seconds
            while process.wait(LOOK) is None and not process.signals and time.monotonic() < start + most:
                if stop is not None and stop.is_set():
                    raise KeyboardInterrupt
                for other in started.values():
                    if processes.resident_memory(other.pid) > most_memory:
                        processes.kill(other.pid)
        shown = {i: _judge(finding, started[i], seconds) for i, finding in tried.items()}
    return [replace(finding, unshown=shown.get(i, "")) for i, finding in enumerate(findings)]


def _start(program: str) -> GuardedOutput:
    places = [str(Path(folder.strip()).resolve()) for folder in FOLDER.findall(program)]
    return GuardedOutput(START, json.dumps([[*places, str(Path.cwd()), *sys.path], program]), env=NO_WINDOWS)


def _judge(finding: Finding, process: GuardedOutput, seconds: float) -> str:
    status = process.wait(0)
    if finding.code == "GK003" and (status is None or process.signals):
        return ""
    return f"it did not end in {seconds:g} s" if status is None else unshown(finding, status, *process.read())


def unshown(finding: Finding, status: int, out: str, err: str) -> str:
    """Return what a program did instead of showing its finding, or "" if it showed the finding.

    Args:
        finding: the finding that the program is supposed to reproduce.
        status: the exit status of the program.
        out: the standard output of the program.
        err: the standard error of the program.
    """
    if finding.code in {"GK001", "GK003"}:
        return "" if status else "it ended without an error"
    if status:
        last = (err.strip().splitlines() or [f"status {status}"])[-1]
        error = last.partition(":")[0].rpartition(".")[2]
        return "" if error in finding.message or "rais" in finding.message else f"it ended with {last}"
    if "raised" in finding.message and not out.strip():
        return "it raised nothing"
    lines = out.splitlines()
    if not lines:
        return "it printed nothing"
    if DIFFERS.search(finding.message) and any(text in finding.reproducer for text in COMPARED):
        half = len(lines) // 2
        return "" if len(lines) % 2 or lines[:half] != lines[half:] else "it printed the same twice"
    return ""
