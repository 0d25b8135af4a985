"""Tests that first-party code imports each name from the public module that defines the name.

This rule ensures that "go to definition" works, that a drawing of the imports shows every dependency, and that the
imports of a distribution show its requirements. The lazy names below `gymkernel` are for users.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from tests.repository.statements import statements

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "kernel", *sorted(path.parent for path in ROOT.glob("plugins/*/*/pyproject.toml"))]


def dotted(path: Path) -> str:
    """Return the name by which a module is imported."""
    parts = path.with_suffix("").parts
    return ".".join(parts[parts.index("src") + 1 :]).removesuffix(".__init__")


MODULES = {dotted(path): path for folder in FOLDERS for path in (folder / "src").rglob("*.py")}
PACKAGES = {name for name in MODULES if "." not in name}
STUBS = {dotted(path) for path in (ROOT / "kernel" / "src").rglob("*.pyi")}
FACADES = STUBS & MODULES.keys()
"""Modules whose names are loaded lazily, one at a time."""

AT_MOST: Final = 20
"""The maximum number of imports from a module other than the one that defines the name."""

ELSEWHERE: Final = {
    "gymkernel_bridge_gymnasium.creators: gymkernel_bridge_gymnasium.KernelEnv": "it imports the creators",
    "gymkernel_bridge_gymnasium.creators: gymkernel_bridge_gymnasium.KernelVectorEnv": "it imports the creators",
    "gymkernel_bridge_gymnasium.entries: gymkernel_bridge_gymnasium.GymnasiumEnv": "it imports the entries",
    "gymkernel_bridge_gymnasium.entries: gymkernel_bridge_gymnasium.GymnasiumVectorEnv": "it imports the entries",
    "gymkernel_bridge_gymnasium.conversion: gymkernel.spaces": "a library of spaces, as Gymnasium's is",
    "gymkernel_bridge_gymnasium: gymkernel_bridge_gymnasium.environments.from_gymnasium": "registers environments, too",
    "gymkernel_bridge_gymnasium: gymkernel_bridge_gymnasium.environments.to_gymnasium": "registers environments, too",
    "gymkernel_space_multi_discrete: gymkernel.spaces.Discrete": "an extra, whose command the error names",
    "gymkernel_tool_check.backends.observations: gymkernel.spaces": "the kit runs with the spaces that are there",
    "gymkernel_tool_check.backends.players: gymkernel.spaces": "the kit runs with the spaces that are there",
    "gymkernel_tool_render.recording: gymkernel.utils.video.VideoWriter": "an extra, whose command the error names",
    "gymkernel_tool_rollout.rolling: gymkernel.utils.video.VideoWriter": "an extra, whose command the error names",
}
"""The imports of a name from a module other than the one that defines the name, each with the reason."""


@dataclass(frozen=True)
class Source:
    """What a module defines, imports and uses.

    Attributes:
        definitions: for each name in the module, the first-party module and name from which it is imported, or None.
        imports: the module, the imported name or "", and the bound name of each first-party import.
    """

    definitions: dict[str, tuple[str, str] | None]
    imports: list[tuple[str, str, str]]


@cache
def source(text: str) -> Source:
    """Parse a module."""
    tree = ast.parse(text)
    return Source(dict(_definitions(tree.body)), [item for node in statements(tree.body) for item in imports(node)])


def attributes(text: str, variables: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each of the given variables from which an attribute is read, and the name of the attribute.

    A module that mentions no such attribute is not searched, because the search takes longer than everything else.
    """
    if not variables or not re.search(rf"\b(?:{'|'.join(variables)})\s*\.", text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in variables:
            yield node.value.id, node.attr


def definitions(module: str) -> dict[str, tuple[str, str] | None]:
    """Map each name in a module to the first-party module and name from which it is imported, or to None."""
    return source(text_of(MODULES[module])).definitions


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _definitions(body: list[ast.stmt]) -> Iterator[tuple[str, tuple[str, str] | None]]:
    for node in body:
        match node:
            case ast.ImportFrom(module=str(module), names=aliases) if module.partition(".")[0] in PACKAGES:
                yield from ((alias.asname or alias.name, (module, alias.name)) for alias in aliases)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from ((alias.asname or alias.name.partition(".")[0], None) for alias in aliases)
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name, None
            case ast.If() | ast.Try() | ast.With() | ast.For():
                for field in ("body", "orelse", "handlers", "finalbody"):
                    inside = getattr(node, field, [])
                    yield from _definitions([item for part in inside for item in getattr(part, "body", [part])])
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                stored = (
                    item for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
                )
                yield from ((item.id, None) for item in stored)


def is_public(module: str, name: str, package: str) -> bool:
    """Return whether a package may import a name: it is in the same package, or no part of its path is private."""
    private = any(part.startswith("_") for part in module.split(".")) or (name.startswith("_") and name[:2] != "__")
    return module.partition(".")[0] == package or not private


def leads_to_the_file(module: str, name: str, package: str) -> bool:
    """Return whether a first-party module defines a name, or re-exports it from a private module of its package."""
    if f"{module}.{name}" in MODULES:
        return True
    if module not in MODULES or name not in definitions(module):
        return False  # the path has no file, or the name is loaded lazily
    home = definitions(module)[name]
    return home is None or not is_public(*home, package)


def strays(module: str, text: str) -> Iterator[str]:
    """Yield the names that a module imports, or uses from an imported module, although they are defined elsewhere."""
    package, imported = module.partition(".")[0], dict[str, str]()
    for home, name, known in source(text).imports:
        whole = f"{home}.{name}" if home else name
        if home == module and whole in MODULES.keys() | STUBS:
            continue  # a package re-exports its submodules
        if whole in MODULES.keys() - FACADES:
            imported[known] = whole
        elif whole in FACADES or not home or not leads_to_the_file(home, name, package):
            yield f"{module}: {whole}"
    for known, name in attributes(text, imported):
        if name[:2] != "__" and not leads_to_the_file(imported[known], name, package):
            yield f"{module}: {imported[known]}.{name}"


def imports(node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """Yield the module, the imported name or "", and the bound name of each first-party import in a statement."""
    match node:
        case ast.ImportFrom(module=str(home), names=aliases) if home.partition(".")[0] in PACKAGES:
            yield from ((home, alias.name, alias.asname or alias.name) for alias in aliases)
        case ast.Import(names=aliases):
            ours = (alias for alias in aliases if alias.name.partition(".")[0] in PACKAGES)
            yield from (("", alias.name, alias.asname or alias.name) for alias in ours)


def crossings(module: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the imports from other distributions. Each one is a module, and a name in the module or an empty string."""
    for home, name, _ in source(text).imports:
        if (home or name).partition(".")[0] != module.partition(".")[0]:
            yield (home, name) if home else (name, "")


def test_names_are_imported_from_their_defining_module() -> None:
    found = {stray for module, path in MODULES.items() for stray in strays(module, text_of(path))}
    assert sorted(found - ELSEWHERE.keys()) == []
    assert sorted(ELSEWHERE.keys() - found) == []  # remove an entry from the list when its import has been corrected


def test_at_most_twenty_imports_lead_elsewhere() -> None:
    assert len(ELSEWHERE) <= AT_MOST


def test_only_public_names_cross_distributions() -> None:
    crossing = [(module, *item) for module, path in MODULES.items() for item in crossings(module, text_of(path))]
    assert [
        f"{module} imports {home}.{name}"
        for module, home, name in crossing
        if not is_public(home, name, module.partition(".")[0])
    ] == []


@pytest.mark.parametrize(
    "text, found",
    [
        ("from gymkernel_space_box import Box", []),
        ("from gymkernel.spaces import Box", ["gymkernel.spaces.Box"]),
        ("from gymkernel import Env", ["gymkernel.Env"]),
        ("from gymkernel.env import Env", []),
        ("from gymkernel import ops\nops.flatten", []),
        ("from gymkernel import spaces\nspaces.Box", ["gymkernel.spaces"]),
        ("import gymkernel.spaces as ours\ngetattr(ours, name)", ["gymkernel.spaces"]),
        ("import gymkernel as gym\ngym.make", ["gymkernel.make"]),
        ("import gymkernel.arrays", ["gymkernel.arrays"]),
        ("def f():\n    from gymkernel.arrays import plan_of", ["gymkernel.arrays.plan_of"]),
        ("if TYPE_CHECKING:\n    from gymkernel.vector import VectorEnv", ["gymkernel.vector.VectorEnv"]),
        ("from gymkernel.envs import registration\nregistration.make", ["gymkernel.envs.registration.make"]),
        ("from gymkernel_vector_async import AsyncVectorEnv", []),  # re-exported from a private module
        ("from gymkernel_util_spaces.arrays import plan_of", ["gymkernel_util_spaces.arrays.plan_of"]),
        ("from gymkernel_util_spaces.plans import plan_of", []),
        ("import numpy as np\nnp.zeros", []),
    ],
)
def test_indirect_import_is_found(text: str, found: list[str]) -> None:
    assert list(strays("acme", text)) == [f"acme: {name}" for name in found]
