"""Tests that every parameter in a docstring exists, in all source files."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from tests.repository.statements import statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("kernel/src", "plugins/*/*/src", "plugins/*/*/tests", "kernel/tests", "tools", "docs", "tests")
ARGS = re.compile(r"^Args:\n((?: .*\n|\n)*)", re.MULTILINE)
CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)
ENTRY = re.compile(r"^ {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*):(?: |$)", re.MULTILINE)
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
    args = function.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {arg.arg for arg in named if arg}


@dataclass(frozen=True)
class Class:
    """The parts of a class statement that decide which parameters the constructor has."""

    name: str
    own: set[str] | None
    """The parameters of the class's own constructor, or None if the class inherits a constructor."""
    fields: set[str]
    bases: list[str]
    is_dataclass: bool


def read_class(cls: ast.ClassDef) -> Class:
    """Return the relevant parts of a class statement. The syntax tree is dropped, because keeping all trees is slow."""
    functions = {node.name: accepted(node) for node in cls.body if isinstance(node, Function)}
    fields = {
        node.target.id for node in cls.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    is_dataclass = any("dataclass" in ast.unparse(decorator) for decorator in cls.decorator_list)
    return Class(cls.name, functions.get("__init__", functions.get("__new__")), fields, base_names(cls), is_dataclass)


def constructor_parameters(cls: Class, classes: dict[str, Class]) -> set[str] | None:
    """Return the parameters of a class's constructor, or None if a base class outside the repository defines it."""
    if cls.own is not None:
        return cls.own
    if cls.is_dataclass:
        inherited = [constructor_parameters(classes[base], classes) for base in cls.bases if base in classes]
        return cls.fields.union(*filter(None, inherited))
    for base in cls.bases:
        if base in {"NamedTuple", "TypedDict", "Protocol"}:
            return cls.fields
        if base in classes and base != cls.name:
            return constructor_parameters(classes[base], classes)
    return None


def base_names(cls: ast.ClassDef) -> list[str]:
    """Return the names of a class's bases, without module names and type parameters."""
    return [re.split(r"[\[(]", ast.unparse(base))[0].rpartition(".")[2] for base in cls.bases]


def parsed_files(classes: Mapping[str, Class]) -> Iterator[tuple[Path, str]]:
    """Yield each file that documents parameters, and then each file that defines a base class of the classes so far.

    The other files are not needed, and parsing all files would take three times as long.
    """
    texts = {file: file.read_text(encoding="utf-8") for file in files()}
    defined = {file: {*CLASS.findall(text)} for file, text in texts.items()}
    needed = [file for file, text in texts.items() if "Args:" in text]
    while needed:
        yield from ((file, texts.pop(file)) for file in needed)
        bases = {base for cls in classes.values() for base in cls.bases}
        needed = [file for file in texts if not bases.isdisjoint(defined[file])]


def unknown_parameters() -> list[str]:
    """List documented parameters that the function or the constructor does not have."""
    classes: dict[str, Class] = {}
    documents: list[tuple[str, str, list[str], set[str] | Class]] = []
    for file, text in parsed_files(classes):
        for node in statements(ast.parse(text).body):
            if not isinstance(node, Function | ast.ClassDef):
                continue
            owner = accepted(node) if isinstance(node, Function) else read_class(node)
            if isinstance(owner, Class):
                classes[owner.name] = owner
            if names := documented(ast.get_docstring(node) or ""):
                documents.append((f"{file.relative_to(ROOT).as_posix()}:{node.lineno}", node.name, names, owner))
    found = []
    for place, called, names, owner in documents:
        parameters = constructor_parameters(owner, classes) if isinstance(owner, Class) else owner
        if parameters is not None:
            found += [f"{place}: {called} has no {name!r}" for name in names if name not in parameters]
    return found


def test_documented_parameters_exist() -> None:
    assert unknown_parameters() == []


def test_parameters_are_read_from_the_args_section() -> None:
    assert documented("Step.\n\nArgs:\n    action: the action.\n    *envs, seed: more,\n        and: more.\n") == [
        "action",
        "envs",
        "seed",
    ]
