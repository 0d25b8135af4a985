"""Tests that every parameter that a docstring mentions exists, in all source files."""

from __future__ import annotations

import ast
import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("kernel/src", "plugins/*/*/src", "plugins/*/*/tests", "kernel/tests", "tools", "docs", "tests")
ARGS = re.compile(r"^Args:\n((?: .*\n|\n)*)", re.MULTILINE)
ENTRY = re.compile(r"^ {4}((?:\*{0,2}\w+(?:, )?)+):(?: |$)", re.MULTILINE)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def files() -> list[Path]:
    """Return the Python files of the repository whose docstrings are checked."""
    folders = chain.from_iterable(ROOT.glob(pattern) for pattern in SOURCES)
    found = {file for folder in folders for file in folder.rglob("*.py")}
    return sorted(file for file in found if not {"programs", "_build", "examples"} & set(file.parts))


def documented(docstring: str) -> list[str]:
    """Return the names in the `Args:` section of a docstring, without asterisks."""
    entries = chain.from_iterable(ENTRY.findall(section) for section in ARGS.findall(docstring + "\n"))
    return [name.strip().lstrip("*") for entry in entries for name in entry.split(",")]


def accepted(function: Function) -> set[str]:
    """Return the names of a function's parameters."""
    args = function.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {arg.arg for arg in named if arg}


def constructor_parameters(cls: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> set[str] | None:
    """Return the parameters of a class's constructor, or None if a base class outside the repository defines it."""
    functions = {node.name: node for node in cls.body if isinstance(node, Function)}
    for name in ("__init__", "__new__"):
        if name in functions:
            return accepted(functions[name])
    fields = {
        node.target.id for node in cls.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    if any("dataclass" in ast.unparse(decorator) for decorator in cls.decorator_list):
        inherited = [constructor_parameters(classes[base], classes) for base in base_names(cls) if base in classes]
        return fields.union(*filter(None, inherited))
    for base in base_names(cls):
        if base in {"NamedTuple", "TypedDict", "Protocol"}:
            return fields
        if base in classes and base != cls.name:
            return constructor_parameters(classes[base], classes)
    return None


def base_names(cls: ast.ClassDef) -> list[str]:
    """Return the names of a class's bases, without module names and type parameters."""
    return [re.split(r"[\[(]", ast.unparse(base))[0].rpartition(".")[2] for base in cls.bases]


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield the path and the syntax tree of every checked file."""
    for file in files():
        yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def unknown_parameters() -> list[str]:
    """List documented parameters that the function or the constructor does not have."""
    parsed = dict(trees())
    classes = {node.name: node for tree in parsed.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    found = []
    for path, tree in parsed.items():
        for node in ast.walk(tree):
            if not isinstance(node, Function | ast.ClassDef):
                continue
            names = documented(ast.get_docstring(node) or "")
            parameters = accepted(node) if isinstance(node, Function) else constructor_parameters(node, classes)
            if parameters is not None:
                found += [
                    f"{path}:{node.lineno}: {node.name} has no {name!r}" for name in names if name not in parameters
                ]
    return found


def test_a_documented_parameter_exists() -> None:
    assert unknown_parameters() == []


def test_parameters_are_read_from_the_section() -> None:
    assert documented("Step.\n\nArgs:\n    action: the action.\n    *envs, seed: more,\n        and: more.\n") == [
        "action",
        "envs",
        "seed",
    ]
