"""Tests that `gymkernel run` treats a program as `python` does."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SHOW = """
import sys
print(sys.argv, __name__, __file__, __spec__ and __spec__.name, sys.path[0])
print(sys.modules["__main__"].__dict__ is globals())
"""


def run(*arguments: str, folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run `gymkernel run` in a folder."""
    command = [sys.executable, "-m", "gymkernel", "run", *arguments]
    return subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, check=False)


def python(*arguments: str, folder: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run `python` in a folder."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments", [("show.py", "-m", "--children", "x"), ("-m", "show", "-m", "--help"), ("-", "a")]
)
def test_the_program_sees_what_python_shows_it(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "show.py").write_text(SHOW, encoding="utf-8")
    text = "import sys; print(sys.argv, __name__, sys.path[0])" if arguments[0] == "-" else None

    ours, theirs = (function(*arguments, folder=tmp_path, text=text) for function in (run, python))

    assert ours.stdout == theirs.stdout != ""
    assert ours.returncode == theirs.returncode == 0
    assert ours.stderr == ""
