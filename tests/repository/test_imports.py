"""Tests that first-party code imports each name from the public module that defines the name.

This rule ensures that "go to definition" works, that a drawing of the imports shows every dependency, and that the
imports of a distribution show its requirements. The lazy names below `gymkernel` are for users.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from tests.repository.statements import statements

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@cache
def definitions(module: str) -> dict[str, tuple[str, str] | None]:
    """Map each name in a module to the first-party module and name from which it is imported, or to None."""
    return dict(_definitions(ast.parse(MODULES[module].read_text(encoding="utf-8")).body))


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
    nodes = list(ast.walk(ast.parse(text)))
    for home, name, known in (item for node in nodes for item in imports(node)):
        whole = f"{home}.{name}" if home else name
        if home == module and whole in MODULES.keys() | STUBS:
            continue  # a package re-exports its submodules
        if whole in MODULES.keys() - FACADES:
            imported[known] = whole
        elif whole in FACADES or not home or not leads_to_the_file(home, name, package):
            yield f"{module}: {whole}"
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=known), attr=name) if known in imported and name[:2] != "__":
                if not leads_to_the_file(imported[known], name, package):
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
    for home, name, _ in (item for node in statements(ast.parse(text).body) for item in imports(node)):
        if (home or name).partition(".")[0] != module.partition(".")[0]:
            yield (home, name) if home else (name, "")


@pytest.mark.parametrize("folder", [pytest.param(item, id=str(item.relative_to(ROOT))) for item in FOLDERS])
def test_names_are_imported_from_their_defining_module(folder: Path) -> None:
    paths = sorted((folder / "src").rglob("*.py"))
    found = {stray for path in paths for stray in strays(dotted(path), path.read_text(encoding="utf-8"))}
    assert sorted(found - ELSEWHERE.keys()) == []
    here = {stray for stray in ELSEWHERE if stray.partition(":")[0] in {dotted(path) for path in paths}}
    assert sorted(here - found) == []  # an entry must be removed from the list when its import has been corrected


def test_at_most_twenty_imports_lead_elsewhere() -> None:
    assert len(ELSEWHERE) <= AT_MOST


@pytest.mark.parametrize("folder", [pytest.param(item, id=str(item.relative_to(ROOT))) for item in FOLDERS])
def test_only_public_names_cross_distributions(folder: Path) -> None:
    paths = (folder / "src").rglob("*.py")
    crossing = [(path, *item) for path in paths for item in crossings(dotted(path), path.read_text(encoding="utf-8"))]
    assert [
        f"{path.relative_to(ROOT)} imports {home}.{name}"
        for path, home, name in crossing
        if not is_public(home, name, dotted(path).partition(".")[0])
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
