"""Write each tutorial as a program and as a notebook into `tutorials/download/`, before Sphinx reads the pages.

A tutorial that explains programs of the folder `tutorials` (`PROGRAMS`) is offered as these programs. Each definition
is a cell of the notebook. The examples of every other tutorial become the program and the cells. A test runs the files
(tests/repository/test_tutorial_files.py).
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import textwrap
from pathlib import Path
from typing import Any, Final

__all__ = ["PROGRAMS", "cells_of_page", "cells_of_programs", "program", "write"]

DOCS: Final = Path(__file__).resolve().parent
FOLDER: Final = DOCS / "tutorials"
SOURCE: Final = "https://github.com/gymkernel/gymkernel/blob/main/docs/"
PROGRAMS: Final = {
    "blackjack": ("blackjack.py",),
    "cartpole-reinforce": ("cartpole_reinforce.py",),
    "ppo-stable-baselines3": ("ppo_cartpole.py",),
    "own-environment-trained": ("thermostat/src/thermostat/__init__.py", "thermostat/train.py"),
    "custom-space": ("point_clouds.py",),
}
"""The programs that a page explains, in their order."""
BLOCK: Final = re.compile(r"^```(\S+)([^\n]*)\n(.*?)^```\n?", re.DOTALL | re.MULTILINE)
LINK: Final = re.compile(r"\]\((?!https?:)([^)#]+\.(?:md|json))?(#[^)]*)?\)")
DOWNLOAD: Final = re.compile(r"^Download [^\n]*\{download\}[^\n]*\n", re.MULTILINE)
Cell = tuple[str, str]
"""The kind of a cell, "markdown" or "code", and its text."""


def write(docs: Path = DOCS) -> None:
    """Write the files of all tutorials."""
    folder = docs / "tutorials" / "download"
    folder.mkdir(exist_ok=True)
    for page in sorted((docs / "tutorials").glob("*.md")):
        cells = cells_of_programs(page) if page.stem in PROGRAMS else cells_of_page(page)
        _replace(folder / f"{page.stem}.ipynb", json.dumps(notebook(cells), indent=1, ensure_ascii=False) + "\n")
        _replace(folder / f"{page.stem.replace('-', '_')}.py", program(page, cells))


def notebook(cells: list[Cell]) -> dict[str, Any]:
    """Return a notebook in the format 4.5."""
    entries: list[dict[str, Any]] = []
    for number, (kind, text) in enumerate(cells):
        entry: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        entry["source"] = text.splitlines(keepends=True)
        if kind == "code":
            entry.update(execution_count=None, outputs=[])
        entries.append(entry)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": entries, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def program(page: Path, cells: list[Cell]) -> str:
    """Return the program of a page: its only program, or the code of its cells."""
    programs = PROGRAMS.get(page.stem, ())
    if len(programs) == 1:
        return (page.parent / programs[0]).read_text(encoding="utf-8")
    written = [text.partition("\n")[2] for kind, text in cells if text.startswith("%%writefile ")]
    if written:
        return "\n\n".join(written)
    title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    code = [_printing(text) for kind, text in cells if kind == "code" and not text.startswith(("!", "%"))]
    return f'"""{title}: the program of the tutorial."""\n\n' + "\n\n".join(code) + "\n"


def cells_of_programs(page: Path) -> list[Cell]:
    """Return the introduction of a page and the definitions of its programs."""
    introduction = DOWNLOAD.sub("", page.read_text(encoding="utf-8")).partition("\n## ")[0]
    cells = [("markdown", _prose(BLOCK.sub("", introduction)))]
    cells.append(("markdown", f"The [tutorial]({SOURCE}tutorials/{page.name}) explains each function."))
    stems = {
        Path(name).parent.name if name.endswith("__init__.py") else Path(name).stem for name in PROGRAMS[page.stem]
    }
    for name in PROGRAMS[page.stem]:
        cells += _definitions((page.parent / name).read_text(encoding="utf-8"), stems)
    return cells


def _definitions(source: str, stems: set[str]) -> list[Cell]:
    """Return the docstring, the imports, each definition and the main part of a program as cells."""
    tree, lines = ast.parse(source), source.splitlines()
    cells: list[Cell] = [("markdown", ast.get_docstring(tree) or "")]
    imports: list[str] = []
    for before, node in zip([None, *tree.body], tree.body, strict=False):
        if before is None:
            continue  # the docstring
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        if isinstance(node, ast.Import | ast.ImportFrom):
            if not (isinstance(node, ast.ImportFrom) and node.module in {"__future__", *stems}):
                imports.append(text)
            continue
        if isinstance(node, ast.Assign) and text.startswith("__all__"):
            continue
        if imports:
            cells.append(("code", "\n".join(imports)))
            imports = []
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            text = textwrap.dedent("\n".join(lines[node.body[0].lineno - 1 : node.end_lineno]))
        if isinstance(node, ast.Expr) and cells[-1][0] == "code":
            cells[-1] = ("code", f"{cells[-1][1]}\n{text}")  # the docstring of a constant
        else:
            cells.append(("code", text))
    return cells


def cells_of_page(page: Path) -> list[Cell]:
    """Return the prose, the examples, the files and the commands of a page as cells."""
    text, cells, end = DOWNLOAD.sub("", page.read_text(encoding="utf-8")), [], 0
    for block in BLOCK.finditer(text):
        cells.append(("markdown", _prose(text[end : block.start()])))
        cells += _block(page, block[1], block[2].strip(), block[3])
        end = block.end()
    cells.append(("markdown", _prose(text[end:])))
    return [(kind, text) for kind, text in cells if text]


def _block(page: Path, kind: str, argument: str, text: str) -> list[Cell]:
    if kind == "pycon":
        return [("code", _code(example)) for example in [doctest.DocTestParser().get_examples(text)] if example]
    if kind == "console":
        commands = [
            line.removeprefix("$ ") for line in text.splitlines() if line.startswith(("$ gymkernel", "gymkernel"))
        ]
        return [("code", "\n".join(f"!{command}" for command in commands))] if commands else [_fenced(kind, text)]
    if kind == "{literalinclude}":
        included = (page.parent / argument).read_text(encoding="utf-8")
        if argument.endswith(".py") and "/" not in argument:
            return [("code", f"%%writefile {argument}\n{included}")]
        return [] if argument.endswith(".txt") else [_fenced(Path(argument).suffix.removeprefix("."), included)]
    return [] if kind.startswith("{") else [_fenced(kind, text)]


def _fenced(kind: str, text: str) -> Cell:
    return "markdown", f"```{kind}\n{text}```"


def _code(examples: list[doctest.Example]) -> str:
    """Return the examples as code. An example that shows an exception is changed to print the exception's message."""
    code = []
    for example in examples:
        source = example.source.rstrip()
        if example.exc_msg:
            source = f"try:\n{textwrap.indent(source, '    ')}\nexcept Exception as error:\n    print(error)"
        elif example.want and not source.startswith("print("):
            source = f"print({source})" if example is not examples[-1] and _is_expression(source) else source
        code.append(source)
    return "\n".join(code)


def _printing(text: str) -> str:
    """Return code that prints its last expression, which a notebook shows by itself."""
    last = ast.parse(text).body[-1]
    source = ast.unparse(last)
    if not isinstance(last, ast.Expr) or source.startswith(("print(", "env.close(", "envs.close(")):
        return text
    lines = text.splitlines()
    return "\n".join([*lines[: last.lineno - 1], f"print({chr(10).join(lines[last.lineno - 1 :])})"])


def _is_expression(source: str) -> bool:
    return len(tree := ast.parse(source).body) == 1 and isinstance(tree[0], ast.Expr)


def _prose(text: str) -> str:
    """Return Markdown whose links lead to the repository."""

    def link(match: re.Match[str]) -> str:
        path = (FOLDER / (match[1] or "")).resolve().relative_to(DOCS) if match[1] else Path("tutorials")
        return f"]({SOURCE}{path.as_posix()}{match[2] or ''})"

    return LINK.sub(link, text).strip()


def _replace(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
