"""Run programs with `python` and with `gymkernel run`, using the real packages, and compare their output.

`tox run -e run` installs the packages. The programs in `tests/border/programs` end with assertions about their results;
those that use only one library run as programs for Gymnasium.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
USERS = [
    path
    for path in sorted((HERE.parent / "border" / "programs").glob("*.py"))
    if "gymnasium" not in path.read_text("utf-8") and "gymkernel_" not in path.read_text("utf-8")
]
MODEL = HERE / "programs" / "saving" / "model.py"
WAYS = {"python": [], "gymkernel run": ["-m", "gymkernel", "run"]}
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "SDL_VIDEODRIVER": "dummy"}
pytestmark = pytest.mark.slow


def _missing(program: Path) -> list[str]:
    """Return the packages that a program imports and that are not installed."""
    nodes = list(ast.walk(ast.parse(program.read_text("utf-8"))))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    packages = {name.partition(".")[0] for name in imported} | {"gymnasium"}
    return sorted(name for name in packages if name not in sys.stdlib_module_names and find_spec(name) is None)


def _output(command: list[str], folder: Path) -> str:
    finished = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=3600,
        env={**os.environ, **ENVIRONMENT},
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_prints_the_same(program: Path, tmp_path: Path) -> None:
    if missing := _missing(program):
        pytest.skip(f"{', '.join(missing)} is not installed; `tox run -e run` installs it")

    theirs = _output([str(program)], tmp_path)
    ours = _output(["-m", "gymkernel", "run", str(program)], tmp_path)

    assert ours.splitlines() == theirs.splitlines()
    assert len(ours.splitlines()) >= 6


@pytest.mark.parametrize("program", USERS, ids=lambda program: program.stem)
def test_a_users_program_runs(program: Path, tmp_path: Path) -> None:
    if missing := _missing(program):
        pytest.skip(f"{', '.join(missing)} is not installed; `tox run -e run` installs it")
    changed = tmp_path / program.name
    changed.write_text(program.read_text("utf-8").replace("gymkernel", "gymnasium"), encoding="utf-8")

    _output(["-m", "gymkernel", "run", str(changed)], tmp_path)


@pytest.mark.parametrize("writer, reader", [("python", "gymkernel run"), ("gymkernel run", "python")])
def test_a_model_that_one_command_saves_is_loaded_by_the_other(writer: str, reader: str, tmp_path: Path) -> None:
    if missing := _missing(MODEL):
        pytest.skip(f"{', '.join(missing)} is not installed; `tox run -e run` installs it")

    saved = _output([*WAYS[writer], str(MODEL), "save"], tmp_path)
    loaded = _output([*WAYS[reader], str(MODEL), "load"], tmp_path)

    assert loaded == saved
    assert len(loaded.splitlines()) == 3
