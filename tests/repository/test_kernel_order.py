"""Tests that each kernel module imports only modules that are earlier in the fixed order, even for type checkers."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

import sync
from gymkernel._known import KNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).resolve().parents[2] / "kernel" / "src"
MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}
ORDER: Final = """
    error _known third_party _metadata suggestions utils.printable utils.colorize utils.seeding
    utils.record_constructor logger ids
    plugins protocols hooks ops space infos
    specs env forwarding wrapper vector_env vector_wrapper
    registration making
"""
"""The modules from bottom to top, in the order that decision 100 defines."""
FACADES: Final = """
    core envs.registration envs spaces.utils spaces vector.utils vector wrappers.vector wrappers utils _finder
    cli.terminal cli.inventory cli.completion cli.matrix cli.app cli.about cli.listing cli __main__
"""
"""The public facades and the command line, which are above all other modules and below the package itself."""
PLACES: Final = {f"gymkernel.{name}": i for i, name in enumerate([*ORDER.split(), *FACADES.split()])}
PLACES["gymkernel"] = len(PLACES)
NAMES = {name for kind in ("spaces", *sync.PLACES, "wrappers", "vector", "vector_wrappers") for name in KNOWN[kind]}


def imported(module: str, text: str) -> set[str]:
    """Return the kernel modules that a module imports, including names in calls such as `import_module`."""
    found = (_existing(name) for node in ast.walk(ast.parse(text)) for name in _names(node))
    return {item for item in found if item} - {module}


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=str(home), names=aliases):
            yield from (f"{home}.{alias.name}" for alias in aliases)
        case (
            ast.Call(args=[ast.Constant(value=str(name)), *_]) | ast.Subscript(slice=ast.Constant(value=str(name)))
        ) if name.startswith("gymkernel."):  # import_module("gymkernel.hooks"), sys.modules["gymkernel.hooks"]
            yield name


def _existing(name: str) -> str:
    """Return the module that an imported name refers to or belongs to, or "" if the name is from another library."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def upward(module: str, text: str) -> list[str]:
    """Return the imports in a module that violate the order."""
    return sorted(other for other in imported(module, text) if PLACES[other] >= PLACES[module])


def test_every_kernel_module_has_a_place_in_the_order() -> None:
    assert sorted(PLACES) == sorted(MODULES)


def test_modules_import_only_earlier_modules() -> None:
    found = {module: upward(module, path.read_text(encoding="utf-8")) for module, path in MODULES.items()}

    assert {module: later for module, later in found.items() if later} == {}


def test_kernel_has_no_import_cycle() -> None:
    graph = {module: imported(module, path.read_text(encoding="utf-8")) for module, path in MODULES.items()}
    graphlib.TopologicalSorter(graph).prepare()


def requests(text: str) -> list[str]:
    """Return the string arguments of calls that name a plugin, a plugin's module or a name in such a module."""
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return sorted(
        argument.value
        for call in calls
        for argument in call.args
        if isinstance(argument, ast.Constant) and argument.value in NAMES
    )


def test_only_making_requests_plugins_by_name() -> None:
    """All other code from plugins is registered by the plugins as adapters for a class, a method or an operation."""
    asking = {module for module, path in MODULES.items() if requests(path.read_text(encoding="utf-8"))}
    assert asking == {"gymkernel.making"}


def test_request_by_name_is_found() -> None:
    assert requests('plugins.get("utils", "arrays").shown(self)') == ["arrays"]
    assert requests('_wrapper("TimeLimit", why)(env)') == ["TimeLimit"]


@pytest.mark.parametrize(
    "text, found",
    [
        ("from gymkernel import ops", []),
        ("from gymkernel.env import Env", ["gymkernel.env"]),
        ("if TYPE_CHECKING:\n    from gymkernel.env import Env", ["gymkernel.env"]),
        ("def f():\n    from gymkernel import making", ["gymkernel.making"]),
        ("def f():\n    import gymkernel\n    gymkernel.make", ["gymkernel"]),
        ('import_module("gymkernel.making").make', ["gymkernel.making"]),
        ('sys.modules["gymkernel.making"].make', ["gymkernel.making"]),
        ("import numpy as np", []),
    ],
)
def test_import_of_a_later_module_is_found(text: str, found: list[str]) -> None:
    assert upward("gymkernel.space", text) == found
