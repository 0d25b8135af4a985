"""Tests that every module path and name from a plugin can be imported on its own and is known to type checkers."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from gymkernel import error, plugins
from gymkernel._known import KNOWN

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "kernel" / "src" / "gymkernel"
PATHS = [path for path in KNOWN["modules"] if path in plugins.names("modules")]
HELPERS = [name for name in KNOWN["utils"] if name in plugins.names("utils")]


@pytest.mark.parametrize("path", PATHS)
def test_path_is_the_module_of_its_entry_point(path: str) -> None:
    [plugin] = plugins.providers("modules", path)
    try:
        found = import_module(f"gymkernel.{path}")
    except error.BrokenPlugin as exc:
        pytest.skip(f"a library that a heavy plugin needs is not installed: {exc}")
    assert found is import_module(plugin.value)


@pytest.mark.parametrize("name", HELPERS)
def test_helper_is_in_the_module_named_by_its_prefix(name: str) -> None:
    path, _, attribute = name.rpartition(".")
    [plugin] = plugins.providers("utils", name)
    try:
        found = getattr(import_module(f"gymkernel.{path}"), attribute)
    except error.BrokenPlugin as exc:
        pytest.skip(f"a library that a heavy plugin needs is not installed: {exc}")
    module, _, attribute = plugin.value.partition(":")
    assert found is getattr(import_module(module), attribute)


def test_paths_have_stubs_and_no_conflicting_file() -> None:
    for place in (PACKAGE.joinpath(*path.split(".")) for path in KNOWN["modules"]):
        assert not place.with_suffix(".py").exists()
        assert not (place / "__init__.py").exists()
        assert place.with_suffix(".pyi").exists() != (place / "__init__.pyi").exists(), place


@pytest.mark.parametrize("path", PATHS)
def test_names_in_all_exist(path: str) -> None:
    """Check the names in `__all__`, because a stub re-exports them and a star import binds them."""
    try:
        found = import_module(f"gymkernel.{path}")
    except error.BrokenPlugin as exc:
        pytest.skip(f"a library that a heavy plugin needs is not installed: {exc}")
    listed = found.__all__
    assert not [name for name in listed if not hasattr(found, name)]
    assert not [name for name in listed if isinstance(getattr(found, name), ModuleType) and path != "envs.toy_text"]


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
