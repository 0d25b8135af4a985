"""Tests that every tutorial is available as a program and as a notebook, and that they run unmodified."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted((DOCS / "tutorials").glob("*.md"))
RUN = "first-steps", "your-environment", "grid-world"
"""Tutorials whose examples run within seconds. test_tutorials.py runs small versions of the other programs."""


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(DOCS))
    module: Any = importlib.import_module("tutorial_files")
    (tmp_path / "tutorials").mkdir()
    return module


def _cells(files: Any, page: Path) -> list[tuple[str, str]]:
    cells: list[tuple[str, str]] = (
        files.cells_of_programs(page) if page.stem in files.PROGRAMS else files.cells_of_page(page)
    )
    return cells


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tutorial_page_offers_program_and_notebook(page: Path, files: Any) -> None:
    files.write()
    linked = re.findall(r"\{download\}`[^`<]*<([^>]*)>`", page.read_text(encoding="utf-8"))

    assert [Path(path).suffix for path in linked] == [".py", ".ipynb"]
    assert all((page.parent / path).is_file() for path in linked)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_programs_and_cells_compile(page: Path, files: Any) -> None:
    cells = _cells(files, page)
    code = [text for kind, text in cells if kind == "code"]

    assert code
    assert cells[0][1].startswith("# ")
    ast.parse(files.program(page, cells))
    for text in code:
        if not text.startswith(("!", "%%writefile ")):
            ast.parse(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebook_defines_names_before_use(page: Path, files: Any) -> None:
    defined = {*dir(builtins), "__name__"}
    for kind, text in _cells(files, page):
        if kind == "markdown" or text.startswith(("!", "%%writefile ")):
            continue
        names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
        arguments = {node.arg for node in ast.walk(ast.parse(text)) if isinstance(node, ast.arg)}
        caught = {node.name or "" for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ExceptHandler)}
        defined |= {node.id for node in names if isinstance(node.ctx, ast.Store)} | arguments | caught
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                defined |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                defined.add(node.name)

        assert {node.id for node in names if isinstance(node.ctx, ast.Load)} <= defined


@pytest.mark.parametrize("name", RUN)
@pytest.mark.parametrize("kind", ["program", pytest.param("notebook", marks=pytest.mark.slow)])
def test_tutorial_runs_outside_the_repository(name: str, kind: str, files: Any, tmp_path: Path) -> None:
    page = DOCS / "tutorials" / f"{name}.md"
    cells = _cells(files, page)
    if kind == "program":
        text = files.program(page, cells)
    else:
        cells = [(entry["cell_type"], "".join(entry["source"])) for entry in files.notebook(cells)["cells"]]
        text = "\n".join(code for cell, code in cells if cell == "code" and not code.startswith(("!", "%")))
    (tmp_path / "tutorial.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "tutorial.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr


def test_notebook_format_is_valid(files: Any) -> None:
    found = json.loads(json.dumps(files.notebook([("markdown", "# A"), ("code", "a = 1\nprint(a)")])))

    assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
    assert found["cells"][1] == {
        "cell_type": "code",
        "id": "cell-1",
        "metadata": {},
        "source": ["a = 1\n", "print(a)"],
        "execution_count": None,
        "outputs": [],
    }
    assert len({cell["id"] for cell in found["cells"]}) == 2


def test_exception_example_prints_the_message(files: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('# A\n\n```pycon\n>>> int("a")\nTraceback (most recent call last):\nValueError: no\n```\n', "utf-8")
    code = files.cells_of_page(page)[1][1]

    assert code == 'try:\n    int("a")\nexcept Exception as error:\n    print(error)'
