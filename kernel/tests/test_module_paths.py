"""Tests of importing plugins' modules under paths such as `gymkernel.spaces.box`, for which no file exists."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pickle
import sys
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

import gymkernel
from gymkernel import error, plugins
from gymkernel._known import KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Install = Callable[..., Path]
    Disable = Callable[..., None]

CRATE = """
    import time

    class Crate:
        def opened(self):
            return time.time()

    def size():
        return 3

    def twice():
        return 2 * size()
"""


@pytest.fixture
def crates(install: Install) -> Iterator[None]:
    """Install plugins that provide the module `gymkernel.spaces.crate` and the package `gymkernel.envs.crates`."""
    modules = {
        "acme_crate": CRATE,
        "acme_crates.__init__": "",
        "acme_crates.wooden": CRATE,
        "acme_crates.inner": "x = 1",
    }
    paths = {"spaces.crate": "acme_crate", "envs.crates": "acme_crates", "envs.crates.wood": "acme_crates.wooden"}
    install("acme-crates", modules=modules, entry_points=_group(paths))
    yield
    for name in [name for name in sys.modules if name.startswith(("gymkernel.spaces.crate", "gymkernel.envs.crates"))]:
        del sys.modules[name]


def _group(paths: dict[str, str]) -> str:
    return "[gymkernel.modules]\n" + "".join(f"{path} = {module}\n" for path, module in paths.items())


def load(path: str) -> Any:
    return importlib.import_module(path)


def test_path_is_the_plugins_module_itself(crates: None) -> None:
    found = load("gymkernel.spaces.crate")

    assert found is sys.modules["acme_crate"]
    assert found is gymkernel.spaces.crate
    assert (found.__name__, found.__spec__.name) == ("acme_crate", "acme_crate")


def test_path_is_an_attribute_without_an_import(crates: None) -> None:
    assert "acme_crate" not in sys.modules
    assert gymkernel.spaces.crate.size() == 3


def test_names_can_be_imported_from_a_path(crates: None) -> None:
    from gymkernel.spaces.crate import Crate  # type: ignore[import-not-found]

    from gymkernel.spaces import crate

    assert Crate is crate.Crate
    assert Crate.__module__ == "acme_crate"


def test_instance_pickles_by_the_plugins_module(crates: None) -> None:
    crate = load("gymkernel.spaces.crate")

    written = pickle.dumps(crate.Crate())

    assert b"acme_crate" in written
    assert type(pickle.loads(written)) is crate.Crate


def test_patching_at_the_path_patches_the_plugin(crates: None) -> None:
    crate = load("gymkernel.spaces.crate")

    with mock.patch("gymkernel.spaces.crate.size", return_value=5):
        assert crate.twice() == 10
    with mock.patch("gymkernel.spaces.crate.time.time", return_value=7.0):
        assert crate.Crate().opened() == 7.0
    assert crate.twice() == 6


def test_reload_works_in_place(crates: None, tmp_path: Path) -> None:
    crate = load("gymkernel.spaces.crate")
    crate.size = None

    assert importlib.reload(crate) is crate
    assert crate.size() == 3


def test_module_of_names_can_be_reloaded(install: Install) -> None:
    names = "[gymkernel.utils]\nutils.acme_tools.count = acme_counting:count\n"
    install("acme", modules={"acme_counting": "def count():\n    return 3"}, entry_points=names)
    tools: Any = load("gymkernel.utils.acme_tools")

    assert importlib.reload(tools) is tools
    spec: Any = tools.__spec__
    assert (tools.count(), spec.name) == (3, "gymkernel.utils.acme_tools")


def test_module_with_guarded_spec_works(install: Install) -> None:
    code = """
        import sys, types
        class Guarded(types.ModuleType):
            @property
            def __spec__(self):
                return vars(self)["__spec__"]
        sys.modules[__name__].__class__ = Guarded
    """
    install("acme", modules={"acme_guarded": code}, entry_points=_group({"spaces.guarded": "acme_guarded"}))

    assert load("gymkernel.spaces.guarded").__spec__.name == "acme_guarded"


def test_source_is_found(crates: None) -> None:
    crate = load("gymkernel.spaces.crate")

    assert "def twice" in inspect.getsource(crate)
    assert inspect.getmodule(crate.Crate) is crate


def test_earlier_imported_module_is_reused(crates: None) -> None:
    before = load("acme_crate")
    assert load("gymkernel.spaces.crate") is before


def test_submodules_of_a_path_are_those_of_the_module(crates: None) -> None:
    inner = load("gymkernel.envs.crates.inner")

    assert inner is load("acme_crates.inner")
    assert inner.__name__ == "acme_crates.inner"


def test_nested_path_can_have_another_name(crates: None) -> None:
    assert load("gymkernel.envs.crates.wood") is load("acme_crates.wooden")
    assert gymkernel.envs.crates.wood is load("acme_crates.wooden")  # type: ignore[attr-defined]


def test_unknown_path_raises_module_not_found(crates: None) -> None:
    for path in ("gymkernel.spaces.nothing", "gymkernel.envs.crates.nothing", "gymkernel.nothing.at_all"):
        with pytest.raises(ModuleNotFoundError, match="No module named"):
            load(path)
    assert importlib.util.find_spec("gymkernel.spaces.nothing") is None
    assert importlib.util.find_spec("gymkernel.envs.crates.nothing") is None
    assert not hasattr(gymkernel.spaces, "nothing")


def test_find_spec_imports_nothing(crates: None) -> None:
    assert importlib.util.find_spec("gymkernel.spaces.crate") is not None
    assert "acme_crate" not in sys.modules


def test_file_takes_precedence(install: Install) -> None:
    install("acme", modules={"acme_one": "one = 1"}, entry_points=_group({"utils.seeding": "acme_one"}))

    assert load("gymkernel.utils.seeding").__name__ == "gymkernel.utils.seeding"


def test_parent_packages_of_a_path_exist(install: Install) -> None:
    install("acme", modules={"acme_one": "one = 1"}, entry_points=_group({"acme.deep.one": "acme_one"}))

    assert load("gymkernel.acme.deep.one") is load("acme_one")
    assert load("gymkernel.acme").deep.one.one == 1
    assert "deep" not in dir(gymkernel)


def test_folder_without_modules_is_ignored(install: Install, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "above" / "crate").mkdir(parents=True)
    monkeypatch.setattr(gymkernel.envs, "__path__", [*gymkernel.envs.__path__, str(tmp_path / "above")])
    install("acme", modules={"acme_one": "one = 1"}, entry_points=_group({"envs.crate": "acme_one"}))

    assert load("gymkernel.envs.crate") is load("acme_one")


def test_shared_module_loads_names_separately(install: Install) -> None:
    install("acme-a", modules={"acme_a": "class A: pass"}, utils={"wrappers.mixed.A": "acme_a:A"})
    install("acme-b", modules={"acme_b": "class B: pass"}, utils={"wrappers.mixed.B": "acme_b:B"})

    mixed = load("gymkernel.wrappers.mixed")

    assert mixed.A.__module__ == "acme_a"
    assert "acme_b" not in sys.modules
    assert {"A", "B"} <= set(dir(mixed))
    with pytest.raises(AttributeError, match=r"has no gymkernel\.wrappers\.mixed\.C; did you mean"):
        _ = mixed.C


def test_missing_name_of_a_shared_module_names_its_pip_command(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KNOWN["utils"], "wrappers.mixed.Far", "gymkernel-wrapper-far")
    install("acme-a", modules={"acme_a": "class A: pass"}, utils={"wrappers.mixed.A": "acme_a:A"})

    with pytest.raises(
        ImportError, match=r"^gymkernel.wrappers.mixed.Far is not installed; run: pip install gymkernel-w"
    ):
        from gymkernel.wrappers.mixed import Far  # type: ignore[import-not-found]  # noqa: F401
    assert load("gymkernel.wrappers.mixed").A


@pytest.mark.parametrize("statement", ["import gymkernel.spaces.far", "from gymkernel.spaces import far"])
def test_missing_known_path_names_its_pip_command(
    install: Install, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    monkeypatch.setitem(KNOWN["modules"], "spaces.far", "gymkernel-space-far")

    with pytest.raises(
        ModuleNotFoundError, match=r"^gymkernel.spaces.far is not installed; run: pip install gymkernel-space-far$"
    ):
        exec(statement)  # noqa: S102 - the statement is tested


def test_path_of_two_plugins_is_a_conflict(install: Install) -> None:
    for name in ("acme-a", "acme-b"):
        install(name, modules={"acme": ""}, entry_points=_group({"spaces.crate": "acme"}))

    with pytest.raises(error.PluginConflict, match=r"^gymkernel.spaces.crate is provided by acme-a 1.0 and acme-b 1.0"):
        load("gymkernel.spaces.crate")


def test_module_of_a_plugin_takes_precedence_over_a_module_of_another_library(install: Install) -> None:
    install("acme-bridge", modules={"library.crate": ""}, entry_points=_group({"spaces.crate": "library.crate"}))
    install("acme-crate", modules={"acme_crate.__init__": CRATE}, entry_points=_group({"spaces.crate": "acme_crate"}))

    assert load("gymkernel.spaces.crate").__name__ == "acme_crate"


def test_failing_module_error_says_why(install: Install) -> None:
    install("acme", modules={"acme_bad": "1 / 0"}, entry_points=_group({"spaces.crate": "acme_bad"}))

    for _ in range(2):
        with pytest.raises(error.BrokenPlugin, match=r"acme 1\.0 \(acme_bad\) cannot be loaded: ZeroDivisionError"):
            load("gymkernel.spaces.crate")
    assert "gymkernel.spaces.crate" not in sys.modules


def test_path_must_name_a_module(install: Install) -> None:
    install("acme", modules={"acme_one": "class One: pass"}, entry_points=_group({"spaces.crate": "acme_one:One"}))

    with pytest.raises(error.BrokenPlugin, match="its entry point must refer to a module, but acme_one:One is a type"):
        load("gymkernel.spaces.crate")


def test_disabled_path_error_says_so(crates: None, disable: Disable) -> None:
    assert load("gymkernel.spaces.crate")

    disable("acme-crates")

    with pytest.raises(error.DisabledPlugin, match=r"modules\.spaces\.crate of acme-crates is disabled"):
        load("gymkernel.spaces.crate")
    with pytest.raises(error.DisabledPlugin):
        _ = gymkernel.spaces.crate


def test_refresh_removes_only_the_second_name(crates: None) -> None:
    crate = load("gymkernel.spaces.crate")

    plugins.refresh()

    assert "crate" not in vars(gymkernel.spaces)
    assert "gymkernel.spaces.crate" not in sys.modules
    assert load("gymkernel.spaces.crate") is crate


def test_refresh_keeps_the_plugins_package(crates: None) -> None:
    inner, package = load("gymkernel.envs.crates.inner"), load("acme_crates")

    plugins.refresh()

    assert package.inner is inner
    assert load("gymkernel.envs.crates.inner") is inner


def test_paths_are_listed(crates: None) -> None:
    assert plugins.names("modules") == ["envs.crates", "envs.crates.wood", "spaces.crate"]
    assert "crate" in dir(gymkernel.spaces)
    assert "acme_crate" not in sys.modules


def test_star_import_contains_no_modules(crates: None) -> None:
    found: dict[str, object] = {}

    exec("from gymkernel.spaces import *", found)  # noqa: S102 - the statement is tested

    assert "crate" not in found


def test_other_libraries_are_not_affected() -> None:
    finder = next(item for item in sys.meta_path if getattr(item, "__module__", "") == "gymkernel")
    assert finder.find_spec("json.nothing", None) is None
    assert finder.find_spec("gymkernelling", None) is None


def test_kernel_paths_exist_without_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GYMKERNEL_DISABLE", "*")
    plugins.refresh()
    try:
        assert load("gymkernel.spaces.space").Space is gymkernel.Space
        assert load("gymkernel.wrappers.utils").create_zero_array is load("gymkernel.ops").create_zero_array
    finally:
        monkeypatch.undo()
        plugins.refresh()
