"""Tests that every hook is called, and that a failing hook plugin causes only a warning."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import gymkernel
from gymkernel import error, hooks, plugins
from gymkernel.specs import EnvSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]

HEAD = "from gymkernel.hooks import hookimpl\nseen = []\n@hookimpl"
BARE = {"order_enforce": False, "disable_env_checker": True}


class Maze(gymkernel.Env[int, int]):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, 0.0, False, False, {}


def hook(install: Install, name: str, source: str, **kinds: dict[str, str]) -> None:
    """Install a hook plugin whose module is named `{name}_hooks`."""
    install(name, modules={f"{name}_hooks": f"{HEAD}{source}"}, hooks={name: f"{name}_hooks"}, **kinds)


def seen(name: str) -> list[Any]:
    return sys.modules[f"{name}_hooks"].seen  # type: ignore[no-any-return]


class TestEachHook:
    def test_resolve_env_provides_the_spec_of_an_unregistered_id(self, install: Install) -> None:
        source = """
def gymkernel_resolve_env(env_id):
    from gymkernel.specs import EnvSpec
    from gymkernel import Env
    class Big(Env):
        def reset(self, *, seed=None, options=None): return 0, {}
        def step(self, action): return 0, 0.0, False, False, {}
    if env_id.startswith("pack/"):
        return EnvSpec(env_id, Big, order_enforce=False, disable_env_checker=True)
"""
        hook(install, "pack", source)

        env = gymkernel.make("pack/Level-0017")

        assert env.spec is not None
        assert env.spec.id == "pack/Level-0017"

    def test_resolve_env_uses_the_first_answer(self, install: Install) -> None:
        for name, answer in (("a", "None"), ("b", "'from b'"), ("c", "None")):
            hook(install, name, f"\ndef gymkernel_resolve_env(env_id): seen.append(env_id); return {answer}")

        assert plugins.call_hook("gymkernel_resolve_env", env_id="Maze-v0") == "from b"

    def test_resolve_env_is_not_called_for_registered_ids(self, install: Install) -> None:
        hook(install, "pack", "\ndef gymkernel_resolve_env(env_id): seen.append(env_id)")
        gymkernel.register("Maze-v0", Maze, **BARE)  # type: ignore[arg-type]

        gymkernel.make("Maze-v0")

        assert seen("pack") == []

    def test_answer_that_is_not_a_spec_is_rejected(self, install: Install) -> None:
        hook(install, "pack", "\ndef gymkernel_resolve_env(env_id): return 'Maze-v1'")

        with pytest.raises(
            TypeError, match="gymkernel_resolve_env to return an EnvSpec or None for Maze-v0, got 'Maze-"
        ):
            gymkernel.make("Maze-v0")

    def test_unresolved_id_raises_the_usual_error(self, install: Install) -> None:
        hook(install, "pack", "\ndef gymkernel_resolve_env(env_id): return None")

        with pytest.raises(error.NameNotFound):
            gymkernel.make("Maze-v0")

    def test_plugin_can_raise_for_an_unknown_id_of_its_own(self, install: Install) -> None:
        source = """
def gymkernel_resolve_env(env_id):
    from gymkernel import error
    raise error.NameNotFound("pack has no such level")
"""
        hook(install, "pack", source)

        with pytest.raises(error.NameNotFound, match="pack has no such level"):
            gymkernel.make("pack/Level-0017")

    def test_spec_calls_resolve_env_like_make(self, install: Install) -> None:
        source = """
def gymkernel_resolve_env(env_id):
    from gymkernel.specs import EnvSpec
    return EnvSpec(env_id, "pack:Level")
"""
        hook(install, "pack", source)

        assert gymkernel.spec("pack/Level-0017").entry_point == "pack:Level"

    def test_colon_after_a_slash_is_passed_to_resolve_env(self, install: Install) -> None:
        hook(install, "pack", "\ndef gymkernel_resolve_env(env_id): seen.append(env_id)")

        with pytest.raises(error.NamespaceNotFound):
            gymkernel.make("pack/levels:Level-v0")

        assert seen("pack") == ["pack/levels:Level-v0"]

    def test_env_created_gets_the_wrapped_environment_and_its_spec(self, install: Install) -> None:
        hook(install, "logs", "\ndef gymkernel_env_created(env, spec): seen.append((env, spec))")
        spec = EnvSpec("Maze-v0", Maze, order_enforce=False, disable_env_checker=True)

        env = gymkernel.make(spec)

        assert seen("logs") == [(env, spec)]

    def test_plugin_loaded_is_called_once_per_plugin(self, install: Install) -> None:
        hook(install, "logs", "\ndef gymkernel_plugin_loaded(plugin): seen.append(plugin.label)")
        install("acme", modules={"acme_one": "class One: pass"}, spaces={"One": "acme_one:One"})

        plugins.get("spaces", "One")
        plugins.get("spaces", "One")

        assert seen("logs") == ["spaces.One"]

    def test_plugin_loaded_is_called_for_earlier_plugins(self, install: Install) -> None:
        install("acme", modules={"acme_one": "class One: pass"}, spaces={"One": "acme_one:One"})
        labels: list[str] = []

        class Late:
            @hooks.hookimpl
            def gymkernel_plugin_loaded(self, plugin: plugins.Plugin) -> None:
                labels.append(plugin.label)

        plugins.get("spaces", "One")
        hooks.manager().register(Late(), "late")

        assert labels == ["spaces.One"]

    def test_report_lines_are_collected_from_all_hooks(self, install: Install) -> None:
        hook(install, "a", "\ndef gymkernel_report_lines(): return ['simulator 3.1']")

        assert plugins.call_hook("gymkernel_report_lines", []) == [["simulator 3.1"]]


class TestFailures:
    """Tests that a failing hook plugin causes a warning and does not affect other plugins."""

    def test_raising_hook_does_not_stop_the_others(self, install: Install) -> None:
        hook(install, "good", "\ndef gymkernel_report_lines(): return ['fine']")
        hook(install, "bad", "\ndef gymkernel_report_lines(): raise OSError('no display')")
        hook(install, "also", "\ndef gymkernel_report_lines(): return ['well']")

        with pytest.warns(UserWarning, match="gymkernel_report_lines of bad:bad failed: OSError: no display"):
            lines = plugins.call_hook("gymkernel_report_lines", [])

        assert sorted(lines) == [["fine"], ["well"]]

    def test_exiting_hook_does_not_stop_the_others(self, install: Install) -> None:
        hook(install, "bad", "\ndef gymkernel_report_lines(): raise SystemExit(3)")

        with pytest.warns(UserWarning, match="gymkernel_report_lines of bad:bad failed: SystemExit: 3"):
            lines = plugins.call_hook("gymkernel_report_lines", [])

        assert lines == []

    def test_raising_plugin_loaded_hook_does_not_stop_the_others(self, install: Install) -> None:
        hook(install, "bad", "\ndef gymkernel_plugin_loaded(plugin): raise OSError('full disk')")
        hook(install, "good", "\ndef gymkernel_plugin_loaded(plugin): seen.append(plugin.name)")
        install("acme", modules={"acme_one": "class One: pass"}, spaces={"One": "acme_one:One"})

        with pytest.warns(UserWarning, match="gymkernel_plugin_loaded of bad:bad failed: OSError: full disk"):
            one = plugins.get("spaces", "One")

        assert one.__name__ == "One"
        assert seen("good") == ["One"]

    @pytest.mark.parametrize(
        "source,cause",
        [
            ("1 / 0", "ZeroDivisionError"),
            (f"{HEAD}\ndef gymkernel_report_lines(colour): ...", "colour"),
            ("import some_simulator", "run: pip install some-simulator"),
        ],
        ids=["raises at import", "has another argument", "lacks a library"],
    )
    def test_unregistrable_hook_plugin_is_ignored(self, install: Install, source: str, cause: str) -> None:
        install("bad", "2.0", modules={"bad_hooks": source}, hooks={"bad": "bad_hooks"})
        hook(install, "good", "\ndef gymkernel_report_lines(): return ['fine']")

        with pytest.warns(UserWarning, match=f"(?s)hooks of bad 2.0 are skipped: .*{cause}"):
            lines = plugins.call_hook("gymkernel_report_lines", [])

        assert lines == [["fine"]]

    def test_ignored_hook_plugin_is_reported_once(self, install: Install) -> None:
        install("bad", modules={"bad_hooks": "1 / 0"}, hooks={"bad": "bad_hooks"})
        with pytest.warns(UserWarning, match="are skipped"):
            plugins.call_hook("gymkernel_report_lines", [])

        assert plugins.call_hook("gymkernel_report_lines", []) == []  # pytest turns warnings into errors

    def test_hook_plugin_that_fails_at_registration_is_ignored_entirely(self, install: Install) -> None:
        install("acme", modules={"acme_one": "class One: pass"}, spaces={"One": "acme_one:One"})
        source = """
            from gymkernel.hooks import hookimpl
            from gymkernel.spaces import One
            @hookimpl
            def gymkernel_plugin_loaded(plugin): raise OSError("full disk")
            @hookimpl
            def gymkernel_report_lines(): return ["lost"]
        """
        install("bad", modules={"bad_hooks": source}, hooks={"bad": "bad_hooks"})

        with pytest.warns(UserWarning, match="hooks of bad 1.0 are skipped: full disk"):
            lines = plugins.call_hook("gymkernel_report_lines", [])

        assert lines == []

    def test_unknown_hook_is_reported(self, install: Install) -> None:
        hook(install, "typo", "\ndef gymkernel_report_line(): return ['lost']")

        with pytest.warns(UserWarning, match="hooks of typo 1.0 implement gymkernel_report_line, but no such"):
            plugins.call_hook("gymkernel_report_lines", [])

    def test_disabled_hook_plugin_is_never_imported(self, install: Install, disable: Callable[..., None]) -> None:
        hook(install, "logs", "\ndef gymkernel_report_lines(): return ['lost']")
        disable("logs")

        assert plugins.call_hook("gymkernel_report_lines", []) == []
        assert "logs_hooks" not in sys.modules


def test_hook_calls_are_traced(
    install: Install, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hook(install, "logs", "\ndef gymkernel_report_lines(): return []")
    monkeypatch.setenv("GYMKERNEL_TRACE", "1")

    plugins.call_hook("gymkernel_report_lines", [])

    assert "gymkernel: hook gymkernel_report_lines of logs:logs in" in capsys.readouterr().err


def test_refresh_finds_new_hook_plugins(install: Install) -> None:
    assert plugins.call_hook("gymkernel_report_lines", []) == []

    hook(install, "late", "\ndef gymkernel_report_lines(): return ['here']")  # this also calls `refresh`

    assert plugins.call_hook("gymkernel_report_lines", []) == [["here"]]


def test_every_hook_has_a_docstring() -> None:
    names = [name for name in vars(hooks.Specification) if name.startswith("gymkernel_")]

    assert len(names) == 5
    assert all(getattr(hooks.Specification, name).__doc__ for name in names)
