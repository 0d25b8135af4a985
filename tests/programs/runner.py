"""Run a short program in a new process, either unchanged or with one library replaced by another."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["run_program"]


def run_program(script: Path, folder: Path, *, old: str, new: str, **environment: str) -> str:
    """Run a program, which must succeed, and return its output.

    Args:
        script: the program.
        folder: the folder in which the changed program is written and run.
        old: the name of a library in the program.
        new: the name that replaces it.
        **environment: additional environment variables for the process.
    """
    program = folder / f"{new}_{script.name}"
    program.write_text(re.sub(rf"\b{old}\b", new, script.read_text("utf-8")), "utf-8")
    command = [sys.executable, "-W", "ignore", str(program)]
    finished = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=300,
        env={**os.environ, **environment},
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout
