"""Tests that importing gymkernel loads few modules and no plugins, each in a new process."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from gymkernel import plugins

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = ("numpy", "click", "pluggy", "multiprocessing", "importlib_metadata", "importlib.metadata")
MAKE = """
    import gymkernel
    class Env(gymkernel.Env):
        def reset(self, *, seed=None, options=None): return 0, {}
        def step(self, action): return 0, 0.0, False, False, {}
    gymkernel.register("Maze-v0", Env, order_enforce=False, disable_env_checker=True)
    gymkernel.make("Maze-v0").reset()
"""


def imported(code: str, path: Path) -> set[str]:
    """Run a program in a new process, and return the names of all modules that are loaded at the end."""
    run = subprocess.run(
        [sys.executable, "-c", f"{dedent(code)}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=path,
    )
    return set(run.stdout.split())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that contains a plugin of every kind. A process started in the folder can import the plugins."""
    folder = tmp_path_factory.mktemp("place")
    info = folder / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: acme\nVersion: 1.0\n")
    kinds = ("spaces", "wrappers", "vector", "vector_wrappers", "envs", "adapters")
    (info / "entry_points.txt").write_text(
        "".join(f"[gymkernel.{kind}]\nAcme = acme_plugin:Acme\n" for kind in kinds)
        + "[gymkernel.modules]\nacme.inside = acme_plugin\n"
    )
    (folder / "acme_plugin.py").write_text("class Acme: pass")
    return folder


def plugins_in(modules: set[str]) -> set[str]:
    return {m for m in modules if m.startswith(("acme_plugin", "gymkernel_"))}


def test_submodules_are_imported_on_first_access(place: Path) -> None:
    before = imported("import gymkernel.envs.registration, gymkernel.utils, gymkernel.wrappers", place)
    hooks = ",".join(plugin.distribution for plugin in plugins.plugins("hooks"))
    after = imported(f"import os; os.environ['GYMKERNEL_DISABLE'] = {hooks!r}; import gymkernel.acme.inside", place)

    assert not {m for m in before if m.startswith("gymkernel.acme")} | plugins_in(before)
    assert before.isdisjoint({"importlib_metadata", "gymkernel._finder"})
    assert {"gymkernel.acme", "gymkernel.acme.inside"} <= after
    assert plugins_in(after) == {"acme_plugin"}


def test_importing_the_package_imports_nothing_else(place: Path) -> None:
    modules = imported("import gymkernel", place)

    assert {m for m in modules if m.partition(".")[0] == "gymkernel"} == {"gymkernel"}
    assert modules.isdisjoint(HEAVY)
    assert plugins_in(modules) == set()


def test_defining_an_environment_does_not_import_click(place: Path) -> None:
    modules = imported("import gymkernel; gymkernel.Env; gymkernel.Wrapper; gymkernel.Space; gymkernel.spaces", place)

    assert modules.isdisjoint({"click", "pluggy", "multiprocessing", "importlib_metadata", "gymkernel.cli"})
    assert plugins_in(modules) == set()


def test_listing_names_imports_no_plugin(place: Path) -> None:
    modules = imported("import gymkernel; dir(gymkernel.spaces); list(gymkernel.registry)", place)

    assert "gymkernel._metadata" in modules
    assert plugins_in(modules) == set()


def test_make_without_hook_plugins_does_not_import_pluggy(place: Path) -> None:
    installed = ",".join(plugin.distribution for plugin in plugins.plugins("hooks"))
    modules = imported(f"import os; os.environ['GYMKERNEL_DISABLE'] = {installed!r}\n{dedent(MAKE)}", place)

    assert modules.isdisjoint({"pluggy", "click", "multiprocessing", "gymkernel.hooks"})


def test_operations_do_not_import_multiprocessing(place: Path) -> None:
    assert "multiprocessing" not in imported("import gymkernel.ops, gymkernel.vector", place)


def test_plugin_is_imported_at_first_use(place: Path) -> None:
    assert "acme_plugin" in imported("from gymkernel.spaces import Acme", place)
