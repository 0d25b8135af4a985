"""Tests that every module path and name from a plugin can be imported on its own and is known to type checkers."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from tests.cases import every_case

from gymkernel import error, plugins
from gymkernel._known import KNOWN

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "kernel" / "src" / "gymkernel"
PATHS = [path for path in KNOWN["modules"] if path in plugins.names("modules")]
HELPERS = [name for name in KNOWN["utils"] if name in plugins.names("utils")]


def modules() -> dict[str, ModuleType]:
    """Import and return the module of each path, except those whose libraries are not installed."""
    found = {}
    for path in PATHS:
        with contextlib.suppress(error.BrokenPlugin):
            found[path] = import_module(f"gymkernel.{path}")
    return found


def test_paths_are_the_modules_of_their_entry_points() -> None:
    imported = modules()
    assert len(imported) > 40
    with every_case() as case:
        for path, module in imported.items():
            with case(path):
                [plugin] = plugins.providers("modules", path)
                assert module is import_module(plugin.value)


def test_helpers_are_in_the_modules_named_by_their_prefixes() -> None:
    with every_case() as case:
        for name in HELPERS:
            path, _, attribute = name.rpartition(".")
            # A heavy plugin is broken if a library that it needs is not installed.
            with case(name), contextlib.suppress(error.BrokenPlugin):
                found = getattr(import_module(f"gymkernel.{path}"), attribute)
                [plugin] = plugins.providers("utils", name)
                module, _, attribute = plugin.value.partition(":")
                assert found is getattr(import_module(module), attribute)


def test_paths_have_stubs_and_no_conflicting_file() -> None:
    for place in (PACKAGE.joinpath(*path.split(".")) for path in KNOWN["modules"]):
        assert not place.with_suffix(".py").exists()
        assert not (place / "__init__.py").exists()
        assert place.with_suffix(".pyi").exists() != (place / "__init__.pyi").exists(), place


def test_names_in_all_exist() -> None:
    """Check the names in `__all__`, because a stub re-exports them and a star import binds them."""
    with every_case() as case:
        for path, found in modules().items():
            with case(path):
                assert [name for name in found.__all__ if not hasattr(found, name)] == []
                values = {name: getattr(found, name) for name in found.__all__}
                inner = [name for name, value in values.items() if isinstance(value, ModuleType)]
                assert path == "envs.toy_text" or inner == []


@pytest.mark.parametrize(
    "statement, packages",
    [
        ("from gymkernel.spaces.box import Box", {"gymkernel_space_box", "gymkernel_util_spaces"}),
        ("import gymkernel as gym; gym.spaces.box.Box", {"gymkernel_space_box", "gymkernel_util_spaces"}),
        ("import gymkernel.wrappers.common", set()),
        ("from gymkernel.wrappers.common import OrderEnforcing", {"gymkernel_wrapper_order_enforcing"}),
        ("import gymkernel.envs.toy_text", {"gymkernel_env_toy_text"}),
        ("import gymkernel.vector.vector_env, gymkernel.spaces.space", set()),
    ],
)
def test_path_loads_only_its_plugin(statement: str, packages: set[str]) -> None:
    hooks = ",".join(plugin.distribution for plugin in plugins.plugins("hooks"))
    code = f"import os; os.environ['GYMKERNEL_DISABLE'] = {hooks!r}\n{statement}\nimport sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in run.stdout.split() if name.startswith("gymkernel_")} == packages
