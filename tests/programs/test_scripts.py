"""Programs that print what they saw print the same with Gymnasium and, after a change of the imported name, here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).with_name("scripts").glob("*.py"))


def _output(script: Path, library: str, folder: Path) -> list[str]:
    program = folder / f"{library}_{script.name}"
    program.write_text(re.sub(r"\bgymnasium\b", library, script.read_text("utf-8")), "utf-8")
    command = [sys.executable, "-W", "ignore", str(program)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=300)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout.replace(library, "LIBRARY").splitlines()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_one_changed_import(script: Path, tmp_path: Path) -> None:
    expected = _output(script, "gymnasium", tmp_path)
    assert len(expected) > 2
    assert _output(script, "gymkernel", tmp_path) == expected
