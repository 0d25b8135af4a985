"""Tests of environment specs and of the registry."""

from __future__ import annotations

import copy
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gymkernel
from gymkernel import Env, error, plugins
from gymkernel._known import KNOWN
from gymkernel.registration import (
    _check_version_exists,
    find_highest_version,
    load_env_creator,
    namespace,
    pprint_registry,
    register,
    register_envs,
    registry,
    spec,
)
from gymkernel.specs import EnvSpec, WrapperSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]

MODULE = """
    from gymkernel import Env
    from gymkernel.specs import EnvSpec

    class Maze(Env):
        def __init__(self, size=1): self.size = size
        def reset(self, *, seed=None, options=None): return 0, {}
        def step(self, action): return 0, 0.0, False, False, {}

    def make_maze(size=2): return Maze(size)

    MAZE_V1 = EnvSpec("Maze-v1", "acme_maze:Maze", max_episode_steps=9)
    NUMBER = 3
"""
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(), inner, max_size=2)),
    max_leaves=4,
)
KWARGS = st.dictionaries(st.text(), JSON, max_size=2)


def maze(**more: Any) -> EnvSpec:
    return EnvSpec("lab/Maze-v2", "lab.maze:Maze", **more)


class TestEnvSpec:
    def test_spec_splits_the_id(self) -> None:
        assert (maze().namespace, maze().name, maze().version) == ("lab", "Maze", 2)

    def test_invalid_id_is_rejected(self) -> None:
        with pytest.raises(error.Error, match="Malformed environment ID: a b"):
            EnvSpec("a b")

    def test_specs_do_not_share_mutable_arguments(self) -> None:
        assert EnvSpec("A-v0").kwargs is not EnvSpec("B-v0").kwargs

    def test_additional_wrappers_become_a_tuple(self) -> None:
        wrapper = WrapperSpec("W", "lab:W", {})

        assert maze(additional_wrappers=[wrapper]).additional_wrappers == (wrapper,)

    @given(
        KWARGS,
        st.lists(st.builds(WrapperSpec, st.text(), st.text(), st.one_of(st.none(), KWARGS)), max_size=2),
        st.one_of(st.none(), st.integers()),
        st.booleans(),
    )
    def test_json_round_trip(
        self, kwargs: dict[str, Any], wrappers: list[WrapperSpec], limit: int | None, flag: bool
    ) -> None:
        one = maze(
            kwargs=kwargs,
            additional_wrappers=tuple(wrappers),
            max_episode_steps=limit,
            order_enforce=flag,
            vector_entry_point="lab.maze:Mazes",
            reward_threshold=1.5,
            nondeterministic=flag,
        )

        assert EnvSpec.from_json(one.to_json()) == one

    def test_json_contains_the_fields_of_register(self) -> None:
        assert set(json.loads(maze().to_json())) == {
            "id", "entry_point", "reward_threshold", "nondeterministic", "max_episode_steps", "order_enforce",
            "disable_env_checker", "kwargs", "additional_wrappers", "vector_entry_point",
        }  # fmt: skip

    @pytest.mark.parametrize(
        "fields,name",
        [
            ({"kwargs": {"reward": min}}, "kwargs"),
            ({"kwargs": {"lock": threading.Lock()}}, "kwargs"),
            ({"vector_entry_point": len}, "vector_entry_point"),
            ({"additional_wrappers": (WrapperSpec("W", "lab:W", {"func": abs}),)}, "additional_wrappers"),
        ],
    )
    def test_unserializable_field_is_named(self, fields: dict[str, Any], name: str) -> None:
        with pytest.raises(ValueError, match=f"^{name} in the spec of lab/Maze-v2 cannot be written as JSON"):
            maze(**fields).to_json()

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "3", "{}", '{"id": "Maze-v0", "colour": 3}', '{"id": "Maze-v0", "additional_wrappers": [{}]}'],
    )
    def test_json_that_to_json_never_writes_is_rejected(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"Expected the result of EnvSpec\.to_json, got"):
            EnvSpec.from_json(text)

    def test_pprint_shows_non_default_fields(self) -> None:
        one = maze(max_episode_steps=5, order_enforce=False, additional_wrappers=(WrapperSpec("W", "lab:W", {"a": 1}),))

        assert one.pprint(disable_print=True) == (
            "id=lab/Maze-v2\nmax_episode_steps=5\norder_enforce=False\nadditional_wrappers:\n  W({'a': 1})"
        )

    def test_pprint_can_include_entry_points(self) -> None:
        one = maze(additional_wrappers=(WrapperSpec("W", "lab:W", None),), vector_entry_point="lab:Mazes")

        assert one.pprint(disable_print=True, include_entry_points=True) == (
            "id=lab/Maze-v2\nentry_point=lab.maze:Maze\nadditional_wrappers:\n  W(None) lab:W\n"
            "vector_entry_point=lab:Mazes"
        )

    def test_pprint_can_show_all_fields(self) -> None:
        text = maze().pprint(disable_print=True, print_all=True)

        assert text is not None
        assert {line.partition("=")[0] for line in text.splitlines()} == {
            "id", "reward_threshold", "nondeterministic", "max_episode_steps", "order_enforce", "disable_env_checker",
            "kwargs", "additional_wrappers",
        }  # fmt: skip

    def test_pprint_prints(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert maze().pprint() is None
        assert capsys.readouterr().out == "id=lab/Maze-v2\n"


class TestRegister:
    def test_registered_id_is_found(self) -> None:
        register("lab/Maze-v2", "lab.maze:Maze", 1.5, True, 10, False, True, kwargs={"size": 3})

        assert spec("lab/Maze-v2") == EnvSpec("lab/Maze-v2", "lab.maze:Maze", 1.5, True, 10, False, True, {"size": 3})

    def test_entry_point_is_required(self) -> None:
        with pytest.raises(ValueError, match="an entry_point or a vector_entry_point for Maze-v0, got neither"):
            register("Maze-v0")

    def test_vector_entry_point_alone_is_enough(self) -> None:
        register("Maze-v0", vector_entry_point="lab:Mazes")

        assert spec("Maze-v0").vector_entry_point == "lab:Mazes"

    def test_registering_again_warns_and_replaces(self) -> None:
        register("Maze-v0", "lab:Old")

        with pytest.warns(UserWarning, match="Overriding environment Maze-v0 already") as caught:
            register("Maze-v0", "lab:New")

        assert spec("Maze-v0").entry_point == "lab:New"
        assert caught[0].filename == __file__

    @pytest.mark.parametrize("first,second", [("Maze", "Maze-v0"), ("Maze-v0", "Maze"), ("lab/Maze-v3", "lab/Maze")])
    def test_versioned_and_unversioned_ids_cannot_be_mixed(self, first: str, second: str) -> None:
        register(first, "lab:Maze")

        with pytest.raises(
            error.RegistrationError, match=f"^Can't register .* `{second}` when .* `{first}` of the same name"
        ):
            register(second, "lab:Maze")

        assert second not in registry

    def test_replacing_an_unversioned_id_warns(self) -> None:
        register("Maze", "lab:Maze")

        with pytest.warns(UserWarning, match="Overriding environment Maze already"):
            register("Maze", "lab:Other")

        assert spec("Maze").entry_point == "lab:Other"

    def test_version_like_part_of_a_name_is_not_a_version(self) -> None:
        register("Maze-v0", "lab:Maze")

        register("Maze-v0-v1", "lab:Maze")

        assert spec("Maze-v0-v1").name == "Maze-v0"

    def test_two_versions_can_coexist(self) -> None:
        register("Maze-v0", "lab:Maze")
        register("Maze-v1", "lab:Maze")

        assert find_highest_version(None, "Maze") == 1

    def test_invalid_id_is_rejected(self) -> None:
        with pytest.raises(error.Error, match="Malformed"):
            register("a b", "lab:Maze")


class TestNamespace:
    def test_ids_registered_in_a_namespace_get_its_prefix(self) -> None:
        with namespace("lab"):
            register("Maze-v0", "lab:Maze")

        assert "lab/Maze-v0" in registry

    def test_namespace_context_overrides_that_of_the_id(self) -> None:
        with namespace("lab"):
            register("other/Maze-v0", "lab:Maze")

        assert "lab/Maze-v0" in registry

    def test_namespaces_nest(self) -> None:
        with namespace("outer"):
            with namespace("inner"):
                register("A-v0", "lab:A")
            register("B-v0", "lab:B")

        assert {"inner/A-v0", "outer/B-v0"} <= set(registry)

    def test_namespace_ends_after_an_error(self) -> None:
        with pytest.raises(KeyError), namespace("lab"):
            raise KeyError

        register("Maze-v0", "lab:Maze")
        assert "Maze-v0" in registry


class TestVersions:
    def test_highest_version_is_found(self) -> None:
        for env_id in ("Maze-v2", "Maze-v10", "lab/Maze-v30", "Walk"):
            register(env_id, "lab:Maze")

        assert find_highest_version(None, "Maze") == 10
        assert find_highest_version("lab", "Maze") == 30
        assert find_highest_version(None, "Walk") is None
        assert find_highest_version(None, "Nope") is None

    def test_replaced_id_is_forgotten(self) -> None:
        register("Maze-v1", "lab:Maze")
        assert find_highest_version(None, "Maze") == 1

        del registry["Maze-v1"]
        registry["Maze-v2"] = EnvSpec("Maze-v2", "lab:Maze")

        assert find_highest_version(None, "Maze") == 2

    def test_version_registered_later_counts(self) -> None:
        register("Maze-v1", "lab:Maze")
        assert find_highest_version(None, "Maze") == 1

        register("Maze-v2", "lab:Maze")

        assert find_highest_version(None, "Maze") == 2

    def test_deleted_version_is_forgotten(self) -> None:
        register("Maze-v1", "lab:Maze")
        register("Maze-v2", "lab:Maze")
        assert find_highest_version(None, "Maze") == 2

        del registry["Maze-v2"]

        assert find_highest_version(None, "Maze") == 1

    def test_names_with_a_default_version_are_known(self) -> None:
        register("Maze-v1", "lab:Maze")

        _check_version_exists(None, "Maze", None)
        _check_version_exists(None, "Maze", 1)
        with pytest.raises(error.VersionNotFound):
            _check_version_exists(None, "Maze", 2)
        with pytest.raises(error.NameNotFound):
            _check_version_exists(None, "Labyrinth", None)

    def test_versions_of_plugins_count(self, install: Install) -> None:
        register("Maze-v0", "lab:Maze")
        assert find_highest_version(None, "Maze") == 0

        install("acme", modules={"acme_maze": MODULE}, envs={"Maze-v1": "acme_maze:MAZE_V1"})

        assert find_highest_version(None, "Maze") == 1

    def test_invalid_plugin_id_does_not_hide_others(self, install: Install) -> None:
        install(
            "acme", modules={"acme_maze": MODULE}, envs={"a bad id": "acme_maze:Maze", "Maze-v1": "acme_maze:MAZE_V1"}
        )

        assert find_highest_version(None, "Maze") == 1
        assert spec("Maze-v1").max_episode_steps == 9
        with pytest.raises(error.NameNotFound):
            spec("Xyzzy-v0")


class TestPlugins:
    def test_spec_from_a_plugin_is_used_unchanged(self, install: Install) -> None:
        install("acme", modules={"acme_maze": MODULE}, envs={"Maze-v1": "acme_maze:MAZE_V1"})

        found = spec("Maze-v1")

        assert found is plugins.get("envs", "Maze-v1")
        assert (found.entry_point, found.max_episode_steps) == ("acme_maze:Maze", 9)

    @pytest.mark.parametrize("attribute", ["Maze", "make_maze"])
    def test_class_or_function_becomes_a_serializable_spec(self, install: Install, attribute: str) -> None:
        install("acme", modules={"acme_maze": MODULE}, envs={"lab/Maze-v4": f"acme_maze:{attribute}"})

        found = spec("lab/Maze-v4")

        assert found == EnvSpec("lab/Maze-v4", f"acme_maze:{attribute}")
        assert EnvSpec.from_json(found.to_json()) == found

    def test_invalid_plugin_object_error_names_the_distribution(self, install: Install) -> None:
        install("acme", "2.0", modules={"acme_maze": MODULE}, envs={"Maze-v1": "acme_maze:NUMBER"})

        with pytest.raises(
            error.RegistrationError,
            match=r"acme 2\.0: Maze-v1 must be an EnvSpec or a callable, but acme_maze:NUMBER is 3",
        ):
            spec("Maze-v1")

    def test_spec_with_a_different_id_raises_and_names_both(self, install: Install) -> None:
        install("acme", modules={"acme_maze": MODULE}, envs={"Maze-v2": "acme_maze:MAZE_V1"})

        with pytest.raises(
            error.RegistrationError, match=r"acme 1\.0 names Maze-v2 in its metadata but Maze-v1 in its"
        ):
            spec("Maze-v2")

    def test_registration_overrides_a_plugin(self, install: Install) -> None:
        install("acme", modules={"acme_maze": MODULE}, envs={"Maze-v1": "acme_maze:MAZE_V1"})

        with pytest.warns(UserWarning, match="Overriding environment"):
            register("Maze-v1", "lab:Maze")

        assert spec("Maze-v1").entry_point == "lab:Maze"
        assert list(registry).count("Maze-v1") == 1

    def test_missing_known_id_names_its_pip_command(self, install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(KNOWN["envs"], "Obelisk-v0", "gymkernel-env-obelisk")

        with pytest.raises(
            error.NameNotFound, match="Obelisk-v0 is not installed; run: pip install gymkernel-env-obel"
        ):
            spec("Obelisk-v0")

    def test_broken_plugin_id_raises_only_when_requested(self, install: Install) -> None:
        install("bad", modules={"bad_maze": "1 / 0"}, envs={"Bad-v0": "bad_maze:BAD"})
        install("acme", modules={"acme_maze": MODULE}, envs={"Maze-v1": "acme_maze:MAZE_V1"})

        assert {"Bad-v0", "Maze-v1"} <= set(registry)
        assert spec("Maze-v1").name == "Maze"
        with pytest.raises(error.BrokenPlugin, match=r"envs\.Bad-v0 of bad 1\.0 .*ZeroDivisionError"):
            spec("Bad-v0")

    def test_broken_plugin_id_is_omitted_from_items_with_a_warning(self, install: Install) -> None:
        install("bad", modules={"bad_maze": "1 / 0"}, envs={"Bad-v0": "bad_maze:BAD"})
        install("acme", modules={"acme_maze": MODULE}, envs={"Maze-v1": "acme_maze:MAZE_V1"})

        with pytest.warns(UserWarning, match=r"An environment is omitted from the registry: envs\.Bad-v0"):
            items = dict(registry.items())

        assert list(items) == ["Maze-v1"]

    def test_two_providers_of_an_id_are_named(self, install: Install) -> None:
        for name in ("acme-a", "acme-b"):
            install(name, modules={"acme_maze": MODULE}, envs={"Maze-v1": "acme_maze:MAZE_V1"})

        with pytest.raises(error.PluginConflict, match=r"envs\.Maze-v1 is provided by acme-a 1\.0 and acme-b 1\.0"):
            spec("Maze-v1")

    def test_names_are_listed_without_an_import(self, install: Install) -> None:
        install("bad", modules={"bad_maze": "1 / 0"}, envs={"Bad-v0": "bad_maze:BAD"})

        assert list(registry) == ["Bad-v0"]
        assert len(registry) == 1
        assert "Bad-v0" in registry
        assert repr(registry) == "EnvRegistry(['Bad-v0'])"


class TestMapping:
    @pytest.fixture(autouse=True)
    def _one_of_each(self, install: Install) -> None:
        install("acme", modules={"acme_maze": MODULE}, envs={"Maze-v1": "acme_maze:MAZE_V1"})
        register("Walk-v0", "lab:Walk")

    def test_specs_are_looked_up_like_in_a_dictionary(self) -> None:
        assert set(registry) == set(registry.keys()) == {"Walk-v0", "Maze-v1"}
        assert registry["Walk-v0"].name == "Walk"
        assert registry.get("Nope-v0") is None
        assert "Nope-v0" not in registry
        assert object() not in registry
        assert {item.id for item in registry.values()} == {"Walk-v0", "Maze-v1"}
        with pytest.raises(KeyError, match="Nope-v0"):
            registry["Nope-v0"]

    @pytest.mark.parametrize("env_id", ["Walk-v0", "Maze-v1"])
    def test_specs_can_be_deleted(self, env_id: str) -> None:
        del registry[env_id]

        assert env_id not in registry
        assert env_id not in set(registry)
        with pytest.raises(error.NameNotFound):
            spec(env_id)
        with pytest.raises(KeyError):
            del registry[env_id]

    def test_deleted_id_can_be_registered_again(self) -> None:
        del registry["Maze-v1"]

        register("Maze-v1", "lab:Maze")  # pytest turns warnings into errors

        assert spec("Maze-v1").entry_point == "lab:Maze"
        assert "Maze-v1" not in registry.deleted  # worker processes repeat deletions, too

    def test_deleting_a_replacement_does_not_restore_the_plugin(self) -> None:
        registry["Maze-v1"] = EnvSpec("Maze-v1", "lab:Maze")

        del registry["Maze-v1"]

        assert "Maze-v1" not in registry

    def test_pop_and_clear(self) -> None:
        assert registry.pop("Maze-v1").max_episode_steps == 9
        assert registry.pop("Maze-v1", None) is None

        registry.clear()

        assert len(registry) == 0

    def test_update_registers_specs(self) -> None:
        registry.update({"Run-v0": EnvSpec("Run-v0", "lab:Run")})

        assert spec("Run-v0").name == "Run"

    def test_copy_is_a_dictionary_of_specs(self) -> None:
        assert {**registry} == dict(registry.items())


class TestPprintRegistry:
    SPECS = {  # noqa: RUF012 - the tests do not modify the dictionary
        env_id: EnvSpec(env_id, entry_point)
        for env_id, entry_point in [
            ("CartPole-v1", "gymnasium.envs.classic_control.cartpole:CartPoleEnv"),
            ("Acrobot-v1", "gymnasium.envs.classic_control:AcrobotEnv"),
            ("lab/Maze-v0", "somewhere:Maze"),
            ("Walk-v0", "walks:Walk"),
        ]
    }

    def test_ids_are_grouped_by_namespace_or_module(self) -> None:
        assert pprint_registry(self.SPECS, disable_print=True) == (
            "===== classic_control =====\nAcrobot-v1  CartPole-v1\n===== lab =====\nlab/Maze-v0\n"
            "===== walks =====\nWalk-v0"
        )

    def test_ids_are_printed_in_columns(self) -> None:
        text = pprint_registry(self.SPECS, num_cols=1, disable_print=True)

        assert text is not None
        assert text.startswith("===== classic_control =====\nAcrobot-v1\nCartPole-v1\n")

    def test_groups_can_be_excluded(self) -> None:
        text = pprint_registry(self.SPECS, exclude_namespaces=["classic_control", "lab"], disable_print=True)

        assert text == "===== walks =====\nWalk-v0"

    def test_environments_of_a_plugin_are_in_one_group(self) -> None:
        places = {"Hill-v0": "gymkernel_env_two_hills.hill:Hill", "Vale-v0": "gymkernel_env_two_hills.vale:Vale"}
        specs = {env_id: EnvSpec(env_id, place) for env_id, place in places.items()}

        text = pprint_registry(specs, disable_print=True)

        assert text == "===== two_hills =====\nHill-v0 Vale-v0"

    def test_class_is_in_the_group_of_its_module(self) -> None:
        text = pprint_registry({"Mine-v0": EnvSpec("Mine-v0", Env)}, disable_print=True)

        assert text == "===== env =====\nMine-v0"

    def test_entry_point_without_module_gets_its_own_group(self) -> None:
        text = pprint_registry({"Many-v0": EnvSpec("Many-v0", vector_entry_point="lab:Many")}, disable_print=True)

        assert text == "===== Many =====\nMany-v0"

    def test_registry_is_printed(self, install: Install, capsys: pytest.CaptureFixture[str]) -> None:
        register("Walk-v0", "walks:Walk")

        assert gymkernel.pprint_registry() is None

        assert "===== walks =====\nWalk-v0\n" in capsys.readouterr().out


class TestLoadEnvCreator:
    def test_creator_is_imported(self) -> None:
        assert load_env_creator("gymkernel.env:Env") is Env
        assert load_env_creator("gymkernel.env:Env.reset") is Env.reset

    @pytest.mark.parametrize("text", ["gymkernel.env", "gymkernel.env:"])
    def test_entry_point_needs_an_attribute(self, text: str) -> None:
        with pytest.raises(error.Error, match="Expected an entry point of the form module:attribute, got"):
            load_env_creator(text)


def test_register_envs_does_nothing() -> None:
    before = copy.copy(registry.registered)

    register_envs(copy)

    assert registry.registered == before
