"""Tests of the registries: `gymkernel.registry` and `gymnasium.registry` show the environments of both libraries."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import gymnasium
import pytest

import gymkernel as gym
from gymkernel import plugins
from gymkernel.envs.registration import EnvSpec
from gymkernel_bridge_gymnasium.registration import KernelSpec, our_name, own_ids, register_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

PENDULUM = "gymnasium.envs.classic_control.pendulum:PendulumEnv"


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Yield the registries of both libraries, and restore them afterwards."""
    registry: Any = gym.registry
    theirs, state = dict(gymnasium.registry), {name: copy.copy(value) for name, value in vars(registry).items()}
    yield
    gymnasium.registry.clear()
    gymnasium.registry.update(theirs)
    vars(registry).update(state)


def taken_from_gymnasium() -> list[str]:
    return [env_id for env_id, spec in gymnasium.registry.items() if not isinstance(spec, KernelSpec)]


class TestOurs:
    def test_our_registry_has_every_other_gymnasium_id(self) -> None:
        absent = plugins.missing("envs")
        wanted = {env_id for env_id in taken_from_gymnasium() if env_id not in own_ids() and env_id not in absent}

        assert set(gym.registry) - set(own_ids()) == wanted
        assert len(gym.registry) == len(list(gym.registry)) == len(gym.registry.keys()) == len(set(gym.registry))
        assert all(env_id in gym.registry for env_id in gym.registry)

    def test_ids_registered_with_gymnasium_later_are_visible(self) -> None:
        assert "Reed-v0" not in gym.registry
        gymnasium.register("Reed-v0", PENDULUM, max_episode_steps=9)

        assert "Reed-v0" in gym.registry
        assert gym.registry["Reed-v0"].max_episode_steps == 9
        del gymnasium.registry["Reed-v0"]
        assert "Reed-v0" not in gym.registry
        assert gym.registry.get("Reed-v0") is None

    @pytest.mark.parametrize(
        "look_up",
        [lambda i: gym.registry[i], gym.spec, lambda i: dict(gym.registry.items())[i], gym.registry.get],
        ids=["item", "spec", "items", "get"],
    )
    def test_spec_with_gymnasiums_entry_point_works(self, look_up: Any) -> None:
        gymnasium.register("Reed-v0", PENDULUM, max_episode_steps=9, kwargs={"g": 5.0})
        spec = look_up("Reed-v0")

        assert (type(spec), type(spec.entry_point), spec.entry_point) == (EnvSpec, str, PENDULUM)
        assert spec.entry_point.split(".")[0] == "gymnasium"
        for env in (spec.make(), gym.make(spec), gym.make(EnvSpec.from_json(spec.to_json())), gym.make("Reed-v0")):
            assert env.get_wrapper_attr("g") == 5.0
            assert env.spec == spec

    def test_every_simple_gymnasium_spec_works(self) -> None:
        found = [s for s in gym.registry.values() if str(s.entry_point).startswith("gymnasium.envs.toy_text")]
        found += [s for s in gym.registry.values() if str(s.entry_point).startswith("gymnasium.envs.classic_control")]

        assert found or set(own_ids()) >= {"FrozenLake-v1", "Pendulum-v1"}
        for spec in found:
            gym.make(spec).close()

    def test_deleted_id_is_removed_only_here(self) -> None:
        gymnasium.register("Reed-v0", PENDULUM)
        spec = gym.registry.pop("Reed-v0")

        assert "Reed-v0" not in gym.registry
        assert "Reed-v0" not in list(gym.registry)
        assert "Reed-v0" in gymnasium.registry
        with pytest.raises(gym.error.NameNotFound):
            gym.make("Reed-v0")
        with pytest.raises(KeyError):
            del gym.registry["Reed-v0"]
        gym.make("gymnasium/Reed-v0").close()
        gym.registry["Reed-v0"] = spec
        gym.make("Reed-v0").close()

    def test_deleted_id_can_be_registered_again(self) -> None:
        gymnasium.register("Reed-v0", PENDULUM)
        del gym.registry["Reed-v0"]
        del gymnasium.registry["Reed-v0"]
        gymnasium.register("Reed-v0", PENDULUM, max_episode_steps=3)

        assert gym.registry["Reed-v0"].max_episode_steps == 3

    def test_own_registration_wins_and_can_be_deleted(self) -> None:
        gymnasium.register("Reed-v0", PENDULUM)
        with pytest.warns(UserWarning, match="Overriding environment Reed-v0"):
            gym.register("Reed-v0", PENDULUM, max_episode_steps=4)

        assert gym.registry["Reed-v0"].max_episode_steps == 4
        assert list(gym.registry).count("Reed-v0") == 1
        assert gymnasium.spec("Reed-v0").max_episode_steps is None
        del gym.registry["Reed-v0"]
        assert "Reed-v0" not in gym.registry

    def test_usual_registry_fixture_restores_it(self) -> None:
        gymnasium.register("Reed-v0", PENDULUM)
        before = dict(gym.registry)
        gym.registry.clear()
        assert len(gym.registry) == 0
        gym.registry.update(before)

        assert dict(gym.registry) == before
        gym.make("Reed-v0").close()

    def test_versions_of_both_libraries_count(self) -> None:
        gymnasium.register("Reed-v1", PENDULUM)
        gymnasium.register("Reed-v3", PENDULUM)
        assert gym.envs.registration.find_highest_version(None, "Reed") == 3
        gym.register("Reed-v4", PENDULUM)

        assert gym.envs.registration.find_highest_version(None, "Reed") == 4
        with pytest.warns(DeprecationWarning, match="The environment Reed-v1 is out of date"):
            gym.make("Reed-v1").close()
        with pytest.warns(UserWarning, match="Using the latest versioned environment `Reed-v4`"):
            gym.make("Reed").close()

    def test_own_id_without_its_plugin_is_not_taken_from_gymnasium(self, monkeypatch: pytest.MonkeyPatch) -> None:
        gymnasium.register("Reed-v0", PENDULUM)
        monkeypatch.setattr(plugins, "missing", lambda kind: {"Reed-v1": "gymkernel-env-reeds"})

        assert "Reed-v0" not in gym.registry
        assert "Reed-v0" not in list(gym.registry)
        assert gym.registry.get("Reed-v0") is None

    def test_our_ids_do_not_come_back_from_gymnasium(self) -> None:
        register_ids()

        assert not [env_id for env_id in gym.registry if env_id.startswith("gymkernel")]

    def test_invalid_ids_are_not_contained(self) -> None:
        other: Any = 5
        assert other not in gym.registry
        assert "" not in gym.registry
        with pytest.raises(KeyError):
            gym.registry["no id"]

    def test_workers_get_ids_registered_only_here(self) -> None:
        gymnasium.register("Reed-v0", PENDULUM)
        assert "Reed-v0" in gym.registry

        assert "Reed-v0" not in gym.registry.registered


class TestTheirs:
    def test_gymnasium_registry_has_every_id_of_ours(self) -> None:
        assert {our_name(env_id) for env_id in own_ids()} <= set(gymnasium.registry)

    @pytest.mark.parametrize("library", [gym, gymnasium], ids=["gymkernel", "gymnasium"])
    @pytest.mark.parametrize("prefix", ["gymkernel/", "gymkernel_bridge_gymnasium:gymkernel/"])
    def test_gymkernel_namespace_includes_gymnasium_ids(
        self, monkeypatch: pytest.MonkeyPatch, library: Any, prefix: str
    ) -> None:
        gymnasium.register("Reed-v0", PENDULUM, max_episode_steps=9)
        register_ids()
        env: Any = library.make(f"{prefix}Reed-v0")

        assert env.reset(seed=1)[0].shape == (3,)
        assert env.get_wrapper_attr("max_torque") == 2.0
        with pytest.raises(library.error.NameNotFound, match="Did you mean: `Reed`"):
            library.make(f"{prefix}Red-v0")

    def test_gymkernel_namespace_works_in_gymkernel(self) -> None:
        gym.register("lab/Reed-v0", PENDULUM)
        register_ids()

        for env_id in ("gymkernel-lab/Reed-v0", "gymkernel/lab/Reed-v0"):
            assert gym.spec(env_id).id == "lab/Reed-v0"


@pytest.mark.slow
@pytest.mark.parametrize(
    "first",
    ["import gymkernel, gymnasium", "import gymnasium, gymkernel", "from gymkernel import registry; import gymnasium"],
)
def test_import_order_does_not_matter(first: str) -> None:
    code = (
        f"{first}\nimport gymkernel\n"
        "same = [i for i in gymnasium.registry if i in gymkernel.registry]\n"
        "print('LunarLander-v3' in same, 'Ant-v5' in gymkernel.registry, 'numpy' in __import__('sys').modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split()[:2] == ["True", "True"]


@pytest.mark.slow
def test_nothing_is_imported_without_gymnasium() -> None:
    code = (
        "import sys, gymkernel\nids = list(gymkernel.registry); 'LunarLander-v3' in gymkernel.registry\n"
        "print('gymnasium' in sys.modules, 'gymkernel_bridge_gymnasium' in sys.modules, 'LunarLander-v3' in ids)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False", "False"]
