"""Tests that plugins are found without being imported and that a broken plugin does not affect others."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

import gymkernel
from gymkernel import error, plugins
from gymkernel._known import KNOWN
from gymkernel.plugins import State

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]
    Disable = Callable[..., None]

SOUND = {"acme_sound": "class Pyramid: pass\nclass Sphere: pass\n"}


def pyramid(install: Install, name: str = "acme-sound", **more: Any) -> None:
    install(name, modules=SOUND, spaces={"Pyramid": "acme_sound:Pyramid"}, **more)


def only(kind: str) -> plugins.Plugin:
    (plugin,) = plugins.plugins(kind)
    return plugin


class TestScan:
    def test_scan_without_plugins_is_empty(self, install: Install) -> None:
        assert plugins.plugins() == []
        assert all(plugins.names(kind) == [] for kind in plugins.KINDS)

    def test_names_are_known_without_an_import(self, install: Install) -> None:
        install("acme", modules={"acme_raises": "1 / 0"}, spaces={"Zed": "acme_raises:Z", "Ada": "acme_raises:A"})

        assert plugins.names("spaces") == ["Ada", "Zed"]
        assert "acme_raises" not in sys.modules

    def test_record_contains_the_metadata(self, install: Install) -> None:
        install("Acme.Sound", "2.1", "gymkernel (>=0.1,<0.9)", modules=SOUND, spaces={"Pyramid": "acme_sound:Pyramid"})

        plugin = only("spaces")

        assert (plugin.kind, plugin.name, plugin.label) == ("spaces", "Pyramid", "spaces.Pyramid")
        assert (plugin.distribution, plugin.version, plugin.requires) == ("Acme.Sound", "2.1", ">=0.1,<0.9")
        assert (plugin.state, plugin.cause, plugin.object) == (State.FOUND, None, None)

    def test_plugins_are_sorted_by_kind_name_and_distribution(self, install: Install) -> None:
        install("b-acme", wrappers={"W": "x:W"}, spaces={"S": "x:S", "A": "x:A"})
        install("a-acme", spaces={"S": "y:S"})

        found = [(p.label, p.distribution) for p in plugins.plugins()]

        assert found == [
            ("spaces.A", "b-acme"),
            ("spaces.S", "a-acme"),
            ("spaces.S", "b-acme"),
            ("wrappers.W", "b-acme"),
        ]

    def test_unknown_kinds_of_a_later_kernel_are_ignored(self, install: Install) -> None:
        install("acme", telepathy={"Mind": "acme:Mind"}, spaces={"Pyramid": "acme:Pyramid"})

        assert [p.label for p in plugins.plugins()] == ["spaces.Pyramid"]

    def test_unknown_kind_error_lists_the_kinds(self) -> None:
        with pytest.raises(ValueError, match=r"spaces, wrappers, .* got 'space'"):
            plugins.names("space")

    @pytest.mark.parametrize(
        "files",
        [
            {"metadata": "Version: 1.0\n"},
            {"metadata": b"Name: \xff\xfe\nVersion: 1"},
            {"entry_points": b"[gymkernel.spaces]\n\xff = a:b"},
        ],
        ids=["no name", "undecodable metadata", "undecodable entry points"],
    )
    def test_unreadable_distribution_is_reported_and_others_are_found(
        self, install: Install, files: dict[str, Any]
    ) -> None:
        install("ruin", **{"spaces": {"Ruin": "ruin:Ruin"}, **files})
        pyramid(install)

        assert plugins.names("spaces") == ["Pyramid"]
        (unreadable,) = plugins.unreadable()
        assert "ruin-1.0.dist-info" in unreadable

    def test_metadata_without_name_error_says_what_was_expected(self, install: Install) -> None:
        install("ruin", metadata="Version: 1.0\n", spaces={"Ruin": "ruin:Ruin"})

        assert "its METADATA has no Name" in plugins.unreadable()[0]

    def test_distribution_without_version_has_an_unknown_version(self, install: Install) -> None:
        install("acme", metadata="Name: acme\n", spaces={"Pyramid": "acme:Pyramid"})

        assert only("spaces").version == "unknown"

    def test_requirement_of_an_extra_is_not_a_bound(self, install: Install) -> None:
        pyramid(install, requires='gymkernel>=9 ; extra == "future"')

        assert only("spaces").requires == ""

    def test_requirement_of_another_distribution_is_not_a_bound(self, install: Install) -> None:
        pyramid(install, requires="gymkernel-space-box>=9")

        assert only("spaces").requires == ""


class TestRefresh:
    def test_refresh_finds_new_plugins(self, install: Install) -> None:
        assert plugins.names("spaces") == []

        pyramid(install)  # installing the plugin also calls `refresh`

        assert plugins.names("spaces") == ["Pyramid"]

    def test_refresh_forgets_uninstalled_plugins(self, install: Install) -> None:
        info = install("acme", modules=SOUND, spaces={"Pyramid": "acme_sound:Pyramid"})
        assert gymkernel.spaces.Pyramid  # type: ignore[attr-defined]

        (info / "entry_points.txt").unlink()
        plugins.refresh()

        assert not hasattr(gymkernel.spaces, "Pyramid")

    def test_scan_is_cached_without_a_refresh(self, install: Install) -> None:
        info = install("acme", spaces={"Pyramid": "acme:Pyramid"})
        assert plugins.names("spaces") == ["Pyramid"]

        (info / "entry_points.txt").unlink()

        assert plugins.names("spaces") == ["Pyramid"]

    def test_refresh_retries_a_broken_plugin(self, install: Install, tmp_path: Path) -> None:
        install("acme", modules={"acme_mended": "1 / 0"}, spaces={"Pyramid": "acme_mended:Pyramid"})
        with pytest.raises(error.BrokenPlugin):
            plugins.get("spaces", "Pyramid")

        (tmp_path / "site-packages" / "acme_mended.py").write_text("class Pyramid:\n    height = 146.6\n")
        plugins.refresh()

        assert plugins.get("spaces", "Pyramid").height == 146.6

    def test_each_refresh_increments_the_generation(self, install: Install) -> None:
        before = plugins.generation
        plugins.refresh()
        assert plugins.generation == before + 1


class TestGet:
    def test_get_loads_the_entry_point(self, install: Install) -> None:
        pyramid(install)

        found = plugins.get("spaces", "Pyramid")

        assert found is sys.modules["acme_sound"].Pyramid
        assert only("spaces").state is State.LOADED

    def test_entry_point_can_name_a_nested_attribute(self, install: Install) -> None:
        install("acme", modules={"acme_nested": "class A:\n    class B: pass"}, spaces={"B": "acme_nested:A.B"})

        assert plugins.get("spaces", "B").__qualname__ == "A.B"

    def test_entry_point_without_attribute_is_a_module(self, install: Install) -> None:
        install("acme", modules={"acme_adapter": ""}, adapters={"other.Space": "acme_adapter"})

        assert plugins.get("adapters", "other.Space") is sys.modules["acme_adapter"]

    def test_unknown_name_gets_a_suggestion(self, install: Install) -> None:
        pyramid(install)

        with pytest.raises(AttributeError, match=r"no spaces\.Pyramyd; did you mean Pyramid\?"):
            plugins.get("spaces", "Pyramyd")

    def test_suggestion_can_be_a_missing_known_name(self, install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(KNOWN["spaces"], "Obelisk", "gymkernel-space-obelisk")

        with pytest.raises(error.UnknownName, match=r"did you mean Obelisk\?"):
            plugins.get("spaces", "Obelisc")

    def test_unknown_name_without_suggestion_names_the_list_command(self, install: Install) -> None:
        with pytest.raises(error.UnknownName, match="`gymkernel list wrappers`"):
            plugins.get("wrappers", "Xyzzy")

    def test_missing_known_name_is_an_import_error_with_pip_command(
        self, install: Install, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(KNOWN["spaces"], "Obelisk", "gymkernel-space-obelisk")

        with pytest.raises(
            ImportError, match=r"spaces\.Obelisk is not installed; run: pip install gymkernel-space-obe"
        ):
            plugins.get("spaces", "Obelisk")

        assert plugins.missing("spaces")["Obelisk"] == "gymkernel-space-obelisk"

    def test_installed_names_are_not_missing(self, install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(KNOWN["spaces"], "Pyramid", "acme-sound")
        pyramid(install)

        assert "Pyramid" not in plugins.missing("spaces")


class TestBroken:
    """Tests that the error for a broken plugin says how to fix it and that other plugins still work."""

    CASES = {  # noqa: RUF012 - the tests do not modify the dictionary
        "raises": ("raise RuntimeError('no licence')", "m:Bad", "RuntimeError: no licence"),
        "raises nothing to say": ("raise RuntimeError", "m:Bad", "RuntimeError"),
        "exits": ("import sys; sys.exit(3)", "m:Bad", "SystemExit: 3"),
        "is no Python": ("def (", "m:Bad", "SyntaxError"),
        "lacks the attribute": ("", "m:Bad", "AttributeError: module 'm' has no attribute 'Bad'"),
        "lacks the module": (None, "m:Bad", "ModuleNotFoundError: No module named 'm'"),
        "lacks the package": (None, "m.n:Bad", "ModuleNotFoundError: No module named 'm'"),
        "names a function": ("def Bad(): ...", "m:Bad", "must refer to a class, but m:Bad is a function"),
        "names a number": ("Bad = 3", "m:Bad", "must refer to a class, but m:Bad is a int"),
    }

    @pytest.fixture(params=list(CASES.values()), ids=list(CASES))
    def cause(self, install: Install, request: pytest.FixtureRequest) -> str:
        source, value, cause = request.param
        install("acme-bad", "3.2", modules={} if source is None else {"m": source}, spaces={"Bad": value})
        pyramid(install)
        return str(cause)

    def test_message_names_distribution_version_cause_and_remedy(self, cause: str) -> None:
        with pytest.raises(error.BrokenPlugin) as caught:
            plugins.get("spaces", "Bad")

        message = str(caught.value)
        assert message.startswith("spaces.Bad of acme-bad 3.2 (m")
        assert cause in message
        assert "run: pip install --upgrade acme-bad, or set GYMKERNEL_DISABLE=acme-bad" in message

    def test_cause_is_chained(self, cause: str) -> None:
        with pytest.raises(error.BrokenPlugin) as caught:
            plugins.get("spaces", "Bad")

        bad = plugins.providers("spaces", "Bad")[0]
        assert bad.state is State.BROKEN
        assert caught.value.__cause__ is bad.cause is not None

    def test_other_plugins_keep_working(self, cause: str) -> None:
        with pytest.raises(error.BrokenPlugin):
            plugins.get("spaces", "Bad")

        assert plugins.get("spaces", "Pyramid").__name__ == "Pyramid"
        assert plugins.names("spaces") == ["Bad", "Pyramid"]

    def test_broken_plugin_is_imported_once(self, install: Install) -> None:
        source = "import builtins\nbuiltins.tries = getattr(builtins, 'tries', 0) + 1\n1 / 0"
        install("acme-bad", modules={"m": source}, spaces={"Bad": "m:Bad"})
        import builtins

        for _ in range(3):
            with pytest.raises(error.BrokenPlugin, match="ZeroDivisionError"):
                plugins.get("spaces", "Bad")

        assert builtins.__dict__.pop("tries") == 1

    def test_keyboard_interrupt_is_not_blamed_on_the_plugin(self, install: Install) -> None:
        install("acme", modules={"m": "raise KeyboardInterrupt"}, spaces={"Bad": "m:Bad"})

        with pytest.raises(KeyboardInterrupt):
            plugins.get("spaces", "Bad")

        assert only("spaces").state is State.FOUND

    def test_working_plugin_has_no_problem(self, install: Install) -> None:
        pyramid(install)
        plugins.get("spaces", "Pyramid")

        assert only("spaces").problem() == ""

    @pytest.mark.parametrize("requires", ["gymkernel>=99", "gymkernel>=0.1,<0.0.1", "GymKernel[all]>=99"])
    def test_plugin_for_another_kernel_is_not_imported(self, install: Install, requires: str) -> None:
        install("acme", modules={"m": "class Bad: pass"}, requires=requires, spaces={"Bad": "m:Bad"})

        with pytest.raises(error.BrokenPlugin) as caught:
            plugins.get("spaces", "Bad")

        needs = f"needs gymkernel{requires[requires.index('>') :]}, but {gymkernel.__version__} is installed"
        assert needs in str(caught.value)
        assert "run: pip install --upgrade gymkernel acme, or" in str(caught.value)
        assert "m" not in sys.modules

    def test_missing_library_is_named_in_the_pip_command(self, install: Install) -> None:
        install("acme", modules={"m": "import some_simulator.core"}, spaces={"Bad": "m:Bad"})

        with pytest.raises(error.BrokenPlugin, match="run: pip install some-simulator, or"):
            plugins.get("spaces", "Bad")

    def test_missing_kernel_module_suggests_a_later_kernel(self, install: Install) -> None:
        install("acme", modules={"m": "import gymkernel.telepathy"}, spaces={"Bad": "m:Bad"})

        with pytest.raises(error.BrokenPlugin, match="run: pip install --upgrade gymkernel, or"):
            plugins.get("spaces", "Bad")

    def test_plugin_that_needs_a_missing_plugin_shows_its_remedy(
        self, install: Install, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(KNOWN["spaces"], "Obelisk", "gymkernel-space-obelisk")
        install("acme", modules={"m": "from gymkernel.spaces import Obelisk"}, spaces={"Bad": "m:Bad"})

        with pytest.raises(error.BrokenPlugin) as caught:
            plugins.get("spaces", "Bad")

        assert str(caught.value).endswith("run: pip install gymkernel-space-obelisk")


class TestConflict:
    def test_conflict_error_names_both_providers(self, install: Install) -> None:
        pyramid(install, "acme-a", version="1.1")
        pyramid(install, "acme-b", version="2.2")

        with pytest.raises(error.PluginConflict) as caught:
            plugins.get("spaces", "Pyramid")

        message = str(caught.value)
        assert message.startswith("spaces.Pyramid is provided by acme-a 1.1 and acme-b 2.2; uninstall one, or set")
        assert "GYMKERNEL_DISABLE=acme-" in message

    @pytest.mark.parametrize("known,other", [("acme-a", "acme-b"), ("acme-b", "acme-a")])
    def test_conflict_error_suggests_disabling_the_unknown_provider(
        self, install: Install, monkeypatch: pytest.MonkeyPatch, known: str, other: str
    ) -> None:
        monkeypatch.setitem(KNOWN["spaces"], "Pyramid", known)
        pyramid(install, "acme-a")
        pyramid(install, "acme-b")

        with pytest.raises(error.PluginConflict, match=f"GYMKERNEL_DISABLE={other}$"):
            plugins.get("spaces", "Pyramid")

    def test_other_names_of_both_providers_work(self, install: Install) -> None:
        pyramid(install, "acme-a")
        install("acme-b", modules=SOUND, spaces={"Pyramid": "acme_sound:Pyramid", "Sphere": "acme_sound:Sphere"})

        assert plugins.get("spaces", "Sphere").__name__ == "Sphere"

    def test_disabling_a_provider_resolves_the_conflict(self, install: Install, disable: Disable) -> None:
        pyramid(install, "acme-a")
        pyramid(install, "acme-b")

        disable("acme-a")

        assert plugins.get("spaces", "Pyramid").__name__ == "Pyramid"
        assert [p.distribution for p in plugins.providers("spaces", "Pyramid")] == ["acme-b"]

    def test_adapters_of_the_same_class_do_not_conflict(self, install: Install) -> None:
        install("acme-a", adapters={"other.Space": "a"})
        install("acme-b", adapters={"other.Space": "b"})

        assert [p.value for p in plugins.providers("adapters", "other.Space")] == ["a", "b"]


class TestDisabled:
    @pytest.mark.parametrize("word", ["acme-sound", "Acme_Sound", "spaces.Pyramid", "*", "other, acme.sound"])
    def test_plugins_are_disabled_by_distribution_name_or_all(
        self, install: Install, disable: Disable, word: str
    ) -> None:
        pyramid(install)

        disable(word)

        assert plugins.names("spaces") == []
        assert only("spaces").state is State.DISABLED
        shown = re.escape(f"GYMKERNEL_DISABLE={word.rpartition(' ')[2]}; remove this entry from the variable")
        with pytest.raises(error.DisabledPlugin, match=rf"spaces\.Pyramid of acme-sound is disabled by {shown}"):
            plugins.get("spaces", "Pyramid")

    def test_disabling_a_name_keeps_other_names_of_its_distribution(self, install: Install, disable: Disable) -> None:
        install("acme", modules=SOUND, spaces={"Pyramid": "acme_sound:Pyramid", "Sphere": "acme_sound:Sphere"})

        disable("spaces.Sphere")

        assert plugins.names("spaces") == ["Pyramid"]

    def test_disabled_plugin_is_never_imported(self, install: Install, disable: Disable) -> None:
        pyramid(install)
        disable("*")

        with pytest.raises(ImportError):
            plugins.get("spaces", "Pyramid")

        assert "acme_sound" not in sys.modules

    def test_disabled_plugin_is_installed_and_not_missing(
        self, install: Install, disable: Disable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(KNOWN["spaces"], "Pyramid", "acme-sound")
        pyramid(install)

        disable("*")

        assert "Pyramid" not in plugins.missing("spaces")


class TestTrace:
    def test_trace_shows_scans_and_loads_with_durations(
        self, install: Install, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("GYMKERNEL_TRACE", "1")
        pyramid(install)

        plugins.get("spaces", "Pyramid")

        scanned, loaded = capsys.readouterr().err.splitlines()
        assert scanned.startswith("gymkernel: scanned 1 distributions with plugins")
        assert loaded.startswith("gymkernel: loaded spaces.Pyramid from acme-sound 1.0")
        assert scanned.endswith(" ms")

    @pytest.mark.parametrize("value", ["", "0"])
    def test_trace_is_off_by_default(
        self, install: Install, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], value: str
    ) -> None:
        monkeypatch.setenv("GYMKERNEL_TRACE", value)
        pyramid(install)

        plugins.get("spaces", "Pyramid")

        assert capsys.readouterr().err == ""


def test_hook_without_implementation_returns_its_default(install: Install) -> None:
    assert plugins.call_hook("gymkernel_resolve_env", "nothing", env_id="Maze-v0") == "nothing"
