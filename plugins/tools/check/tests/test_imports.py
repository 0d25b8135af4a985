"""Tests that the checker's modules have no import cycles, and that the process that starts a check imports no NumPy."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gymkernel_tool_check

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(gymkernel_tool_check.__file__).parent
MODULES = {
    ".".join(path.relative_to(FOLDER.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in FOLDER.rglob("*.py")
}

TABLE = {"rules.table", "rules.built_in"}
"""The modules of the rule table. Although they are in the package `rules`, they contain no rules."""
LAYERS = (
    {"__init__", "installed", "recipe", "definition", "findings", "events", "options", "targets", "project"}
    | {"equivalence"},
    {"system"},
    {"introspect", "settings", "subject"},
    {"catalogue", "records", *TABLE},
    {"probes"},
    {"engine", "loading"},
    {"process"},
    {"checking"},
    {"cli"},
    {"backends"},
    {"rules"},
    {"checks", "env_checker", "suite", "testing"},
)
"""The packages and modules of the checker, grouped in layers. Each layer may import only from earlier layers.

The code that runs rules imports neither rules nor test cases for backends. Only the public modules do.
"""


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the syntax tree nodes of a module, including those inside functions, but without code for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from nodes(node)


def imports(text: str) -> set[str]:
    """Return the modules of the checker that a module imports, including imports inside functions."""
    found = set()
    for node in nodes(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = {f"{node.module}.{name.name}" for name in node.names}
            found |= inside & MODULES.keys() or {str(node.module)}
    return found & MODULES.keys()


@cache
def imports_of(name: str) -> set[str]:
    """Return the modules of the checker that one of its modules imports."""
    return imports(MODULES[name].read_text(encoding="utf-8"))


def test_imports_are_found_anywhere_in_a_module() -> None:
    text = """
from __future__ import annotations
from typing import TYPE_CHECKING
import gymkernel_tool_check.engine
if TYPE_CHECKING:
    from gymkernel_tool_check.subject import Subject
def late():
    from gymkernel_tool_check import records
    from gymkernel_tool_check.probes.making import construct
"""

    assert imports(text) == {f"gymkernel_tool_check.{name}" for name in ("engine", "records", "probes.making")}


def test_modules_have_no_import_cycles() -> None:
    graph = {name: imports_of(name) - {name} for name in MODULES}

    order = [*graphlib.TopologicalSorter(graph).static_order()]  # raises a CycleError that shows the cycle

    assert set(order) == MODULES.keys()
    assert order.index("gymkernel_tool_check.definition") < order.index("gymkernel_tool_check.engine")


def layer_of(name: str) -> int:
    """Return the layer that contains a module or its package."""
    own = name.removeprefix("gymkernel_tool_check").removeprefix(".") or "__init__"
    places = {part: number for number, parts in enumerate(LAYERS) for part in parts}
    return places[own] if own in places else places[own.partition(".")[0]]


def test_imports_follow_the_layers() -> None:
    pairs = [(name, item) for name in MODULES for item in imports_of(name)]

    assert sorted(f"{name} imports {item}" for name, item in pairs if layer_of(item) > layer_of(name)) == []


@pytest.mark.parametrize("name", ["engine", "loading", "process.child", "process.session", "checking", "cli.running"])
def test_engine_imports_no_rules(name: str) -> None:
    """Check that built-in rules are found through entry points, as rules from other distributions are."""
    waiting, seen = {f"gymkernel_tool_check.{name}"}, set[str]()
    while waiting:
        one = waiting.pop()
        seen.add(one)
        waiting |= imports_of(one) - seen

    names = {item.removeprefix("gymkernel_tool_check.") for item in seen} - TABLE - {"rules"}
    assert sorted(item for item in names if item.startswith(("rules.", "backends."))) == []


def test_watching_process_does_not_import_numpy() -> None:
    program = "import sys, gymkernel_tool_check.cli.running as _; sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
