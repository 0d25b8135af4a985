"""Tests of the error messages for environment ids of packages that are not installed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import gymkernel
from gymkernel import error, third_party
from gymkernel.cli.app import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]

BARE = {"order_enforce": False, "disable_env_checker": True}


class Lander(gymkernel.Env[int, int]):
    observation_space = action_space = gymkernel.Space((), int)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, 0.0, False, False, {}


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, list(arguments), prog_name="gymkernel")


@pytest.mark.usefixtures("install")  # this hides all plugins that are really installed
class TestMessages:
    @pytest.mark.parametrize(
        "env_id, extra",
        [
            ("LunarLander-v3", "box2d"),
            ("LunarLander", "box2d"),
            ("Ant-v5", "mujoco"),
            ("ALE/Pong-v5", "atari"),
            ("ALE/Tetris-v5", "atari"),
            ("PongNoFrameskip-v4", "atari"),
            ("Breakout-v4", "atari"),
            ("MiniGrid-Empty-5x5-v0", "minigrid"),
            ("MiniGrid-DoorKey-16x16", "minigrid"),
            ("highway-fast-v0", "highway"),
            ("PandaReach-v3", "panda"),
            ("FetchReach-v4", "robotics"),
            ("Meta-World/MT1", "metaworld"),
            ("mo-lunar-lander-v3", "mo-gymnasium"),
            ("phys2d/CartPole-v1", "jax"),
            ("dm_control/cartpole-swingup-v0", "shimmy"),
            ("dm_control/cartpole-balance", "dm-control"),
            ("envpool/Pong-v5", "envpool"),
            ("envpool/gfootball/5_vs_5-v1", "envpool"),
            ("FlappyBird-v0", "flappy-bird"),
            ("gym_pusht/PushT-v0", "pusht"),
            ("gym_aloha/AlohaTransferCube-v0", "aloha"),
            ("MiniWorld-Hallway-v0", "miniworld"),
            ("popgym-RepeatPreviousEasy-v0", "popgym"),
            ("stocks-v0", "anytrading"),
            ("forex-v0", "anytrading"),
            ("VizdoomBasic-v1", "vizdoom"),
        ],
    )
    def test_error_names_the_pip_command(self, env_id: str, extra: str) -> None:
        for call in (gymkernel.make, gymkernel.make_vec, gymkernel.spec):
            with pytest.raises(error.NameNotFound) as caught:
                call(env_id)

            assert str(caught.value) == f'{env_id} is not installed; run: pip install "gymkernel[{extra}]"', call

    @pytest.mark.parametrize(
        "env_id, kind, message",
        [
            (
                "LunarLander-v2",
                error.DeprecatedEnv,
                "Environment version v2 for `LunarLander` is deprecated. Please use `LunarLander-v3` instead",
            ),
            (
                "Ant-v99",
                error.VersionNotFound,
                (
                    "Environment version `v99` for environment `Ant` doesn't exist. "
                    "It provides versioned environments: [ `v5` ]"
                ),
            ),
        ],
    )
    def test_other_version_error_names_the_pip_command(self, env_id: str, kind: type[Exception], message: str) -> None:
        with pytest.raises(kind) as caught:
            gymkernel.make(env_id)

        assert str(caught.value).startswith(f'{message}; run: pip install "gymkernel[')

    @pytest.mark.parametrize(
        "env_id, near",
        [
            ("LunarLandr-v3", "LunarLander"),
            ("halfcheetah-v5", "HalfCheetah"),
            ("Minigrid-Empty-5x5-v0", "MiniGrid-Empty-5x5"),
            ("Ale/Pong-v5", "ALE"),
        ],
    )
    def test_similar_name_is_suggested(self, env_id: str, near: str) -> None:
        with pytest.raises(error.UnregisteredEnv, match=rf"Did you mean: `{near}`\?"):
            gymkernel.make(env_id)

    def test_missing_module_before_the_id_names_the_pip_command(self) -> None:
        with pytest.raises(ModuleNotFoundError) as caught:
            gymkernel.make("panda_gym:PandaReach-v3")

        assert str(caught.value).endswith('; run: pip install "gymkernel[panda]"')

    def test_unknown_id_has_no_pip_command(self) -> None:
        with pytest.raises(error.NameNotFound, match=r"Environment `Xyzzy` doesn't exist. Register it"):
            gymkernel.make("Xyzzy-v0")


def test_id_registered_by_the_program_is_used(install: Install) -> None:
    gymkernel.register("LunarLander-v3", Lander, **BARE)  # type: ignore[arg-type]
    try:
        assert isinstance(gymkernel.make("LunarLander-v3").unwrapped, Lander)
    finally:
        del gymkernel.registry["LunarLander-v3"]


def test_id_of_a_plugin_is_used_without_calling_hooks(install: Install) -> None:
    source = (
        "from gymkernel.hooks import hookimpl\n@hookimpl\ndef gymkernel_resolve_env(env_id): raise SystemExit(env_id)"
    )
    provided = f"""
        from gymkernel.specs import EnvSpec
        spec = EnvSpec("ALE/Pong-v5", "{__name__}:Lander", order_enforce=False, disable_env_checker=True)
    """
    install("acme", modules={"acme_pong": provided}, envs={"ALE/Pong-v5": "acme_pong:spec"})
    install("pack", modules={"pack_hooks": source}, hooks={"pack": "pack_hooks"})

    assert isinstance(gymkernel.make("ALE/Pong-v5").unwrapped, Lander)
    with pytest.warns(UserWarning, match="latest versioned environment `ALE/Pong-v5`"):
        assert isinstance(gymkernel.make("ALE/Pong").unwrapped, Lander)


def test_hook_can_report_a_removed_version(install: Install) -> None:
    source = """
        from gymkernel import error
        from gymkernel.hooks import hookimpl

        @hookimpl
        def gymkernel_resolve_env(env_id):
            raise error.DeprecatedEnv(f"use another than {env_id}")
    """
    install("pack", modules={"pack_hooks": source}, hooks={"pack": "pack_hooks"})

    with pytest.raises(error.DeprecatedEnv, match="use another than Ant-v1"):
        gymkernel.make("Ant-v1")


def test_hook_is_called_first_for_an_id_with_a_module(install: Install, tmp_path: Path, monkeypatch: Any) -> None:
    source = f"""
        from gymkernel.hooks import hookimpl
        from gymkernel.specs import EnvSpec

        @hookimpl
        def gymkernel_resolve_env(env_id):
            return EnvSpec("Marsh-v1", "{__name__}:Lander", kwargs={{}}) if env_id == "marsh:Marsh-v1" else None
    """
    install("pack", modules={"pack_hooks": source}, hooks={"pack": "pack_hooks"})
    (tmp_path / "marsh.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    gymkernel.register("Marsh-v1", "marsh:Marsh")
    try:
        assert gymkernel.spec("marsh:Marsh-v1").entry_point == f"{__name__}:Lander"
        assert gymkernel.spec("json:Marsh-v1").entry_point == gymkernel.spec("Marsh-v1").entry_point == "marsh:Marsh"
    finally:
        gymkernel.registry.pop("Marsh-v1", None)
        sys.modules.pop("marsh", None)


@pytest.mark.usefixtures("install")
class TestCommands:
    def test_list_shows_matching_ids(self) -> None:
        listed = json.loads(run("list", "envs", "Lunar*", "--format", "json").stdout)["items"]

        names = ("LunarLander-v3", "LunarLanderContinuous-v3")
        problem = 'it is not installed; run: pip install "gymkernel[box2d]"'
        assert {item["name"]: item["problem"] for item in listed} == dict.fromkeys(names, problem)

    def test_list_shows_ids_of_a_matching_family(self) -> None:
        listed = json.loads(run("list", "MiniGrid-DoorKey-5x5-v0", "--format", "json").stdout)["items"]

        assert [(item["name"], item["state"]) for item in listed] == [("MiniGrid-DoorKey-5x5-v0", "missing")]

    def test_list_without_a_pattern_names_the_extras(self) -> None:
        shown = run("list", "envs").stdout

        assert "LunarLander" not in shown
        assert all(extra in shown for extra in third_party.MODULES)

    def test_info_shows_the_pip_command(self) -> None:
        assert 'pip install "gymkernel[minigrid]"' in run("info", "MiniGrid-DoorKey-5x5-v0").stdout
        assert "did you mean LunarLander-v3" in run("info", "LunarLander-v2").stderr


def test_list_shows_installed_families_without_importing_them(install: Install, monkeypatch: Any) -> None:
    for extra, module in (("pond", "json"), ("sea", "not_installed"), ("dune", "json")):
        monkeypatch.setitem(third_party.ENVS, f"{extra}/*", extra)
        monkeypatch.setitem(third_party.ENVS, f"{extra}/deep-v0", extra)
        monkeypatch.setitem(third_party.MODULES, extra, module)
        monkeypatch.setitem(third_party.BRIDGES, extra, "no-bridge" if extra == "dune" else "water")
    install("water", modules={"water_hooks": "raise AssertionError"}, hooks={"water": "water_hooks"})

    listed = json.loads(run("list", "envs", "--format", "json").stdout)["items"]

    found = {item["name"]: item["distribution"] for item in listed if item["state"] == "found"}
    assert found == {"pond/*": "water"}
    assert "pond/*" in run("list").stdout


def test_info_imports_the_module_of_an_id(install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"import gymkernel, {__name__} as here\ngymkernel.register('Marsh-v1', here.Lander, **here.BARE)"
    (tmp_path / "marsh.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    try:
        assert run("info", "marsh:Marsh-v1").stdout.startswith("Marsh-v1 (environment)")
    finally:
        gymkernel.registry.pop("Marsh-v1", None)
        sys.modules.pop("marsh", None)


def test_tables_are_read_only_for_unknown_ids() -> None:
    code = (
        "import gymkernel, sys; gymkernel.register('Here-v0', dict); gymkernel.spec('Here-v0')\n"
        "print('gymkernel.third_party' in sys.modules)\n"
        "try: gymkernel.spec('There-v0')\n"
        "except gymkernel.error.Error: print('gymkernel.third_party' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]


def test_tables_are_consistent() -> None:
    assert set(third_party.ENVS.values()) == set(third_party.MODULES) == set(third_party.BRIDGES)
    assert set(third_party.REGISTERING) <= set(third_party.MODULES.values())
    assert not [
        module for module in third_party.MODULES.values() if "." in module
    ]  # finding an environment imports its package
