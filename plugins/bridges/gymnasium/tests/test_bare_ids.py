"""Test ids without a prefix from Gymnasium and from packages that register their ids with Gymnasium."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs import classic_control
from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

import gymkernel as gym
from gymkernel import plugins, third_party
from gymkernel.envs.registration import EnvSpec
from gymkernel.hooks import hookimpl, manager
from gymkernel_bridge_gymnasium import GymnasiumVectorEnv

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SWAMP = """
import gymnasium
pendulum, pole = "gymnasium.envs.classic_control:PendulumEnv", "gymnasium.envs.classic_control.cartpole:CartPole"
gymnasium.register("Swamp-v1", pendulum, max_episode_steps=7)
gymnasium.register("Swamp-v2", pendulum, max_episode_steps=7, kwargs={"g": 5.0}, reward_threshold=-3.5)
gymnasium.register("SwampPath-3x3-v0", pole + "Env", vector_entry_point=pole + "VectorEnv", max_episode_steps=5)
gymnasium.register("swamp/Frog-0.5-v0", pendulum)
"""


PACKAGE = " If the id belongs to a package that registers its ids when it is imported, write package:id"
CartPoleEnv: Any = classic_control.CartPoleEnv


def nothing(**options: Any) -> Any:
    """Do nothing, because this entry point is never called."""


class Slow(classic_control.PendulumEnv):
    """An environment whose constructor has an argument that `make` also has."""

    def __init__(self, max_episode_steps: int = 0, render_mode: str | None = None) -> None:
        super().__init__(render_mode=render_mode)
        self.steps_allowed = max_episode_steps


@pytest.fixture
def swamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Create a package that registers ids when it is imported, and add it to the table of known packages."""
    (tmp_path / "swamp_pack.py").write_text(SWAMP, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for env_id in ("Swamp-v2", "SwampPath-*", "swamp/*"):
        monkeypatch.setitem(third_party.ENVS, env_id, '"gymkernel[swamp]"')
    monkeypatch.setitem(third_party.MODULES, '"gymkernel[swamp]"', "swamp_pack")
    before = dict(gymnasium.registry)
    yield tmp_path
    gymnasium.registry.clear()
    gymnasium.registry.update(before)
    sys.modules.pop("swamp_pack", None)


def trajectory(env: Any, n: int = 20) -> list[Any]:
    env.action_space.seed(1)
    seen: list[Any] = [env.reset(seed=2)[0].tolist()]
    for _ in range(n):
        observation, *rest, _ = env.step(env.action_space.sample())
        seen.append((observation.tolist(), *rest))
        if rest[1] or rest[2]:
            seen.append(env.reset()[0].tolist())
    return seen


@pytest.mark.usefixtures("swamp")
class TestMade:
    @pytest.mark.parametrize("env_id", ["Swamp-v2", "SwampPath-3x3-v0", "swamp/Frog-0.5-v0"])
    def test_bare_id_gives_gymnasiums_trajectory(self, env_id: str) -> None:
        env: Any = gym.make(env_id)

        assert trajectory(env) == trajectory(gymnasium.make(env_id))
        assert type(env.unwrapped) is type(gymnasium.make(env_id).unwrapped)

    def test_package_is_imported_when_its_id_is_used(self) -> None:
        gym.make("gymnasium/Pendulum-v1")
        assert "swamp_pack" not in sys.modules

        gym.spec("Swamp-v2")
        assert "swamp_pack" in sys.modules

    def test_module_before_the_id_is_imported(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delitem(third_party.ENVS, "Swamp-v2")

        assert gym.make("swamp_pack:Swamp-v2").spec == gym.make("Swamp-v2").spec
        assert gym.spec("swamp_pack:Swamp-v2").id == "Swamp-v2"

    def test_spec_equals_gymnasiums_spec(self) -> None:
        ours = gym.spec("Swamp-v2")
        theirs = gymnasium.spec("Swamp-v2")

        for name in ("id", "name", "namespace", "version", "max_episode_steps", "reward_threshold", "kwargs"):
            assert getattr(ours, name) == getattr(theirs, name)
        shown = ours.pprint(disable_print=True)
        assert shown == "id=Swamp-v2\nreward_threshold=-3.5\nmax_episode_steps=7\nkwargs={'g': 5.0}"

    def test_spec_contains_the_arguments_of_make(self) -> None:
        env = gym.make("Swamp-v2", max_episode_steps=3, render_mode="rgb_array")

        assert env.spec is not None
        assert (env.spec.max_episode_steps, env.spec.kwargs) == (3, {"g": 5.0, "render_mode": "rgb_array"})
        assert trajectory(gym.make(env.spec)) == trajectory(env)

    def test_id_without_version_uses_the_newest_with_a_warning(self) -> None:
        with pytest.warns(UserWarning, match="Using the latest versioned environment `Swamp-v2` instead"):
            env = gym.make("Swamp")

        assert env.spec is not None
        assert env.spec.id == "Swamp-v2"

    def test_vectorised_form_is_used_if_it_exists(self) -> None:
        envs = gym.make_vec("SwampPath-3x3-v0", 3)
        assert envs.spec is not None
        again = gym.make_vec(envs.spec)

        assert isinstance(envs, GymnasiumVectorEnv)
        assert isinstance(envs.gymnasium_env, CartPoleVectorEnv)
        assert envs.spec.kwargs == {"max_episode_steps": 5, "num_envs": 3, "vectorization_mode": "vector_entry_point"}
        assert np.array_equal(again.reset(seed=1)[0], envs.reset(seed=1)[0])

    @pytest.mark.parametrize("env_id", ["Swamp-v2", "SwampPath-3x3-v0", "swamp/Frog-0.5-v0"])
    def test_spec_from_json_works_in_another_process(self, swamp: Path, env_id: str) -> None:
        text = gym.spec(env_id).to_json()
        code = (
            "import sys, gymkernel\nfrom gymkernel.envs.registration import EnvSpec\n"
            f"env = gymkernel.make(EnvSpec.from_json({text!r}))\n"
            "print(env.reset(seed=2)[0].tolist(), env.spec.id, 'swamp_pack' in sys.modules)"
        )

        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

        assert done.stdout.strip() == f"{gym.make(env_id).reset(seed=2)[0].tolist()} {env_id} False"


class TestRegisteredByTheProgram:
    @pytest.fixture(autouse=True)
    def registry(self) -> Iterator[None]:
        before = dict(gymnasium.registry)
        yield
        gymnasium.registry.clear()
        gymnasium.registry.update(before)

    def test_registered_environment_is_created(self) -> None:
        gymnasium.register("Hut-v0", "gymnasium.envs.classic_control:PendulumEnv")

        assert gym.make("Hut-v0").unwrapped.get_wrapper_attr("max_torque") == 2.0

    def test_callable_is_pickled_and_named_in_json(self) -> None:
        gymnasium.register("Hut-v0", CartPoleEnv)
        spec = gym.spec("Hut-v0")

        assert trajectory(gym.make(pickle.loads(pickle.dumps(spec)))) == trajectory(gymnasium.make("Hut-v0"))
        with pytest.raises(ValueError, match="entry_point in the spec of Hut-v0 cannot be written as JSON"):
            spec.to_json()

    def test_constructor_can_share_an_argument_name_with_make(self) -> None:
        slow: Any = Slow
        gymnasium.register("Hut-v0", slow, kwargs={"max_episode_steps": 12}, max_episode_steps=3)
        env: Any = gym.make("Hut-v0")

        assert env.get_wrapper_attr("steps_allowed") == 12
        assert gym.make("Hut-v0").spec.max_episode_steps == 3  # type: ignore[union-attr]

    def test_spec_of_a_registered_environment_is_its_own(self) -> None:
        kwargs = {"config": {"lanes": 3}}
        gymnasium.register("Hut-v0", CartPoleEnv, kwargs=kwargs)

        gym.spec("Hut-v0").kwargs["config"]["lanes"] = 9

        assert gymnasium.spec("Hut-v0").kwargs == {"config": {"lanes": 3}}

    def test_other_plugins_take_precedence(self) -> None:
        class Pack:
            @hookimpl
            def gymkernel_resolve_env(self, env_id: str) -> EnvSpec | None:
                return EnvSpec(env_id, "acme:Hut") if env_id == "Hut-v0" else None

        gymnasium.register("Hut-v0", CartPoleEnv)
        manager().register(Pack(), "pack")
        try:
            assert gym.spec("Hut-v0").entry_point == "acme:Hut"
        finally:
            manager().unregister(name="pack")

    def test_own_id_without_its_plugin_is_not_taken_from_gymnasium(self, monkeypatch: pytest.MonkeyPatch) -> None:
        gymnasium.register("Hut-v0", CartPoleEnv)
        monkeypatch.setattr(plugins, "missing", lambda kind: {"Hut-v0": "gymkernel-env-huts"})

        for env_id in ("Hut-v0", "Hut"):
            with pytest.raises(gym.error.NameNotFound, match="run: pip install gymkernel-env-huts"):
                gym.make(env_id)
        assert gym.spec("gymnasium/Hut-v0").id == "gymnasium/Hut-v0"

    def test_ids_registered_with_gymkernel_are_not_bridged(self) -> None:
        gymnasium.register("Hut-v0", CartPoleEnv)
        with pytest.warns(UserWarning, match="Overriding environment Hut-v0 already in registry"):
            gym.register("Hut-v0", nothing)
        try:
            assert callable(gym.spec("Hut-v0").entry_point)
            assert gym.spec("gymnasium/Hut-v0").entry_point != gym.spec("Hut-v0").entry_point
        finally:
            del gym.registry["Hut-v0"]


@pytest.mark.usefixtures("swamp")
class TestErrors:
    @pytest.mark.parametrize("prefix", ["", "gymnasium/"])
    @pytest.mark.parametrize(
        "env_id, kind, message",
        [
            (
                "Swamp-v0",
                gym.error.DeprecatedEnv,
                "Environment version v0 for `Swamp` is deprecated. Please use `Swamp-v2` instead.",
            ),
            ("Swamp-v02", gym.error.UnregisteredEnv, "Swamp-v02 is not registered; Swamp-v2 is"),
            (
                "Swamp-v9",
                gym.error.VersionNotFound,
                (
                    "Environment version `v9` for environment `Swamp` doesn't exist. "
                    "It provides versioned environments: [ `v1`, `v2` ]"
                ),
            ),
            (
                "SwampPath-3x4-v0",
                gym.error.NameNotFound,
                "Environment `SwampPath-3x4` doesn't exist. Did you mean: `SwampPath-3x3`?" + PACKAGE,
            ),
            (
                "LunarLander-v2",
                gym.error.DeprecatedEnv,
                "Environment version v2 for `LunarLander` is deprecated. Please use `LunarLander-v3` instead.",
            ),
            (
                "LunarLandr-v3",
                gym.error.NameNotFound,
                "Environment `LunarLandr` doesn't exist. Did you mean: `LunarLander`?" + PACKAGE,
            ),
        ],
    )
    def test_errors_suggest_gymnasiums_versions_and_names(
        self, prefix: str, env_id: str, kind: Any, message: str
    ) -> None:
        with pytest.raises(kind) as caught:
            gym.make(prefix + env_id)

        assert type(caught.value) is kind
        assert str(caught.value) == message

    def test_errors_suggest_gymkernels_names(self) -> None:
        gym.register("lab/Quicksand-v0", nothing)
        try:
            with pytest.raises(gym.error.NameNotFound, match=r"Did you mean: `Quicksand`\?"):
                gym.make("lab/Quicksnd-v0")
        finally:
            del gym.registry["lab/Quicksand-v0"]

    def test_missing_package_error_names_the_extra(self, swamp: Path) -> None:
        (swamp / "swamp_pack.py").unlink()

        for env_id in ("SwampPath-3x3-v0", "Swamp-v2", "gymnasium/swamp/Frog"):
            with pytest.raises(gym.error.NameNotFound, match=r'not installed; run: pip install "gymkernel\[swamp\]"$'):
                gym.make(env_id)

    @pytest.mark.parametrize(
        "source, message",
        [
            ("import mud_of_swamp", "To register Swamp-v2, mud_of_swamp must be installed; run: pip install mud-of-"),
            (
                "1 / 0",
                "To register Swamp-v2, swamp_pack must be imported, but the import fails: ZeroDivisionError: division",
            ),
        ],
    )
    def test_package_import_failure_is_explained(self, swamp: Path, source: str, message: str) -> None:
        (swamp / "swamp_pack.py").write_text(source, encoding="utf-8")

        with pytest.raises(gym.error.NameNotFound, match=message):
            gym.make("Swamp-v2")

    def test_missing_gymnasium_dependency_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(third_party.ENVS, "Bog-v0", '"gymkernel[bog]"')
        monkeypatch.setitem(third_party.MODULES, '"gymkernel[bog]"', "no_such_simulator")

        def bog(**kwargs: Any) -> Any:
            raise gymnasium.error.DependencyNotInstalled("pip install gymnasium[bog]")

        gymnasium.register("Bog-v0", bog, vector_entry_point=bog)
        wanted = r'Bog-v0 needs no_such_simulator, which is not installed; run: pip install "gymkernel\[bog\]"'

        assert gym.spec("Bog-v0").version == 0
        for make in (gym.make, gym.make_vec):
            with pytest.raises(gym.error.DependencyNotInstalled, match=wanted):
                make("Bog-v0")

    def test_unknown_package_error_is_passed_on(self) -> None:
        def fen(**options: Any) -> Any:
            raise gymnasium.error.DependencyNotInstalled("pip install reeds")

        gymnasium.register("Fen-v0", fen)

        with pytest.raises(gym.error.DependencyNotInstalled, match="pip install reeds"):
            gym.make("Fen-v0")


def test_json_of_a_spec_contains_only_names() -> None:
    fields = json.loads(gym.spec("gymnasium/CartPole-v1").to_json())

    assert fields["entry_point"] == gymnasium.spec("CartPole-v1").entry_point
    kind, _, name = fields["vector_entry_point"].partition(":")[2].partition(".")
    assert (kind, name) == ("vector_envs", "CartPole-v1=gymnasium/envs/classic_control/cartpole%3ACartPoleVectorEnv")


def test_unknown_entry_point_name_raises_attribute_error() -> None:
    with pytest.raises(
        AttributeError, match="Expected the name of an entry point in the form id=package/module:attribute, got 'x'"
    ):
        gym.make(EnvSpec("X-v0", "gymkernel_bridge_gymnasium.entries:envs.x"))


def test_id_of_another_bridge_names_the_command_that_installs_the_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(third_party.ENVS, "reef/*", "reef-bridge")
    monkeypatch.setitem(third_party.MODULES, "reef-bridge", "json")  # the package is installed and even imported
    monkeypatch.setitem(third_party.BRIDGES, "reef-bridge", "reef-bridge")

    with pytest.raises(gym.error.NameNotFound) as caught:
        gym.make("reef/fish-swim")

    assert str(caught.value) == "reef/fish-swim is not installed; run: pip install reef-bridge"
