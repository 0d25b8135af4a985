"""Run the kinds of programs that new users of each library write, with the real packages.

Each program in `programs` ends with assertions about its results. It runs as it is written, and again with `gymkernel`
replaced by `gymnasium`, which shows that the program itself is correct. `tox run -e border` installs the packages.
"""

from __future__ import annotations

import ast
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.programs.runner import run_program

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0", "SDL_VIDEODRIVER": "dummy"}
pytestmark = pytest.mark.slow


def _missing(program: Path) -> list[str]:
    """Return the packages that a program imports and that are not installed."""
    nodes = list(ast.walk(ast.parse(program.read_text("utf-8"))))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    packages = {name.partition(".")[0] for name in imported} | {"gymnasium"}
    return sorted(name for name in packages if name not in sys.stdlib_module_names and find_spec(name) is None)


@pytest.mark.parametrize("library", ["gymnasium", "gymkernel"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_program(program: Path, library: str, tmp_path: Path) -> None:
    if missing := _missing(program):
        pytest.skip(f"{', '.join(missing)} is not installed; `tox run -e border` installs it")
    alone = {"GYMKERNEL_DISABLE": "*"} if library == "gymnasium" else {}

    run_program(program, tmp_path, old="gymkernel", new=library, **ENVIRONMENT, **alone)


def test_programs_use_every_gymnasium_wrapper() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    tree = [ast.parse(program.read_text("utf-8")) for program in PROGRAMS if program.stem.startswith(("ale", "their"))]
    nodes = [node for module in tree for node in ast.walk(module)]
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    used |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    wanted = {*gymnasium.wrappers.__all__, *gymnasium.wrappers.vector.__all__} - {"vector"}

    assert wanted - used == set()
