"""Tests that type checkers see the same names in a facade as a program does."""

from __future__ import annotations

import ast
import configparser
import inspect
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from gymkernel import making
from gymkernel._known import KNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "kernel" / "src"
FACES = sorted(path for path in SOURCE.rglob("*.py") if "\n__getattr__, __dir__ = facade(" in path.read_text("utf-8"))
TYPED = [path.with_suffix(".py") for path in SOURCE.rglob("*.pyi") if path.with_suffix(".py").is_file()]
"""The modules that have a stub."""
each = pytest.mark.parametrize("face", [pytest.param(path, id=str(path.relative_to(SOURCE))) for path in FACES])


def module(face: Path) -> str:
    return ".".join(face.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def statements(face: Path) -> Iterator[ast.stmt]:
    """Yield the statements in a facade's stub, including those inside blocks."""
    for node in ast.parse(face.with_suffix(".pyi").read_text(encoding="utf-8")).body:
        yield from node.body if isinstance(node, ast.If) else [node]


def listed(face: Path) -> set[str]:
    [names] = [set(ast.literal_eval(node.value)) for node in statements(face) if isinstance(node, ast.Assign)]
    return names


def provider(home: str, name: str) -> ModuleType:
    """Import the module that a stub imports a name from. If this module is itself only a stub, import the plugin."""
    if not home.endswith("._installed"):
        return import_module(home)
    if name not in installed(home):
        raise ImportError(name)
    return installed(home)[name]


@cache
def installed(home: str) -> dict[str, ModuleType]:
    """Return the plugin's module for each name that a stub of asterisk imports provides."""
    found = {}
    for node in ast.parse((SOURCE / f"{home.replace('.', '/')}.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and not str(node.module).endswith("._declared"):
            try:
                plugin = import_module(str(node.module))
            except ImportError:
                continue  # a heavy plugin or one of its dependencies is not installed
            found.update(dict.fromkeys(plugin.__all__, plugin))
    return found


def test_every_facade_has_a_stub() -> None:
    assert set(FACES) == set(TYPED) - {SOURCE / "gymkernel" / "making.py"}


@pytest.mark.parametrize("name", ["make", "make_vec"])
def test_stub_of_make_adds_only_the_render_mode_type(name: str) -> None:
    tree = ast.parse((SOURCE / "gymkernel" / "making.pyi").read_text(encoding="utf-8"))
    (stub,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    arguments = [argument.arg for argument in [*stub.args.args, *stub.args.kwonlyargs, stub.args.kwarg] if argument]
    arguments.remove("render_mode")
    assert arguments == [*inspect.signature(getattr(making, name)).parameters]


@each
def test_stub_reexports_the_names_of_the_facade(face: Path) -> None:
    here = import_module(module(face))
    imports = [node for node in statements(face) if isinstance(node, ast.ImportFrom)]
    handed_on = [(str(node.module), item.name, item.asname) for node in imports for item in node.names if item.asname]
    other = []
    for home, name, known_as in handed_on:
        try:
            wanted = import_module(f"{home}.{name}") if home == module(face) else getattr(provider(home, name), name)
            found = getattr(here, known_as)
        except ImportError:
            continue  # a heavy plugin or one of its dependencies is not installed
        if found is not wanted:
            other.append(f"{home}.{name}")
    assert handed_on
    assert other == []


@each
def test_star_import_equals_the_stub(face: Path) -> None:
    here = import_module(module(face))
    modules = {
        name for name, value in vars(here).items() if isinstance(value, ModuleType)
    }  # the modules imported so far
    first_party = {name.rpartition(".")[2] for known in KNOWN.values() for name in known}
    assert (first_party | vars(here).keys()) & set(here.__all__) - modules <= listed(face)

    absent = []
    for name in listed(face):
        try:
            getattr(here, name)
        except ImportError:
            continue  # known, but not installed
        except AttributeError:
            absent.append(name)
    assert absent == []


def test_mypy_checks_files_hidden_by_stubs() -> None:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    words = tox["testenv:types"]["commands"].split()
    assert [word for word in words if word.startswith("kernel/") and word.endswith(".py")] == [
        path.relative_to(ROOT).as_posix() for path in sorted(TYPED)
    ]
