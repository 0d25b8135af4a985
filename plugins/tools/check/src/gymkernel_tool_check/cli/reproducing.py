"""Running the programs that show findings, before anybody is told to."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from gymkernel_tool_check.findings import Finding

__all__ = ["unshown", "verified"]

SECONDS: Final = 20.0
"""What a program may take."""
HANG: Final = 5.0
"""What one may take that is to hang."""
NO_WINDOWS: Final = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "MPLBACKEND": "Agg"}
PLACEHOLDER: Final = re.compile(r"^\w+ = \.\.\.", re.MULTILINE)
"""Where the reader has to say how something is made."""
FOLDER: Final = re.compile(r"# in (.+)$", re.MULTILINE)
COMPARED: Final = ("for run in range(2):", "for others in (False, True):")
"""Programs that do one thing twice, and print two results that should be equal."""
DIFFERS: Final = re.compile(r"\bdiffer|something else|behaves differently")
START: Final = (
    "import json, sys; path, program = json.loads(sys.stdin.read()); sys.path[:] = path; "
    "exec(compile(program, '<the program>', 'exec'), {'__name__': '__main__'})"
)


def verified(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, each with what its program did where it did not show it; the programs run side by side."""
    tried = {i: one for i, one in enumerate(findings) if one.reproducer and not PLACEHOLDER.search(one.reproducer)}
    started = {i: _start(one.reproducer) for i, one in tried.items()}
    now = time.monotonic()
    return [replace(one, unshown=_judge(one, started[i], now)) if i in tried else one for i, one in enumerate(findings)]


def _start(program: str) -> subprocess.Popen[str]:
    places = [str(Path(folder.strip()).resolve()) for folder in FOLDER.findall(program)]
    process = subprocess.Popen(  # noqa: S603 - the program that the user is shown
        [sys.executable, "-W", "ignore", "-c", START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **NO_WINDOWS},
        start_new_session=True,
    )
    if process.stdin is not None:
        process.stdin.write(json.dumps([[*places, str(Path.cwd()), *sys.path], program]))
        process.stdin.close()
        process.stdin = None
    return process


def _judge(finding: Finding, process: subprocess.Popen[str], start: float) -> str:
    left = start + (HANG if finding.code == "GK003" else SECONDS) - time.monotonic()
    try:
        out, err = process.communicate(timeout=max(left, 0.1))
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "" if finding.code == "GK003" else f"it did not end in {SECONDS:g} s"
    return unshown(finding, process.returncode, out, err)


def unshown(finding: Finding, status: int, out: str, err: str) -> str:
    """Why the end of a program does not show a finding; empty where it does.

    Args:
        finding: the finding.
        status: of the process.
        out: what it printed.
        err: what it wrote as errors.
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
