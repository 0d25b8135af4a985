"""Test that `module:id` creates the module's environment if the module has registered an id that gymkernel also has."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import gymnasium
import pytest

import gymkernel as gym
from gymkernel import plugins
from gymkernel_bridge_gymnasium import modules
from gymkernel_bridge_gymnasium.modules import spec_of_module

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gymkernel.envs.registration import EnvSpec

PENDULUM = "gymnasium.envs.classic_control.pendulum:PendulumEnv"
WITH_GYMNASIUM = """import gymnasium
def make(**options):
    from gymnasium.envs.classic_control.pendulum import PendulumEnv
    return PendulumEnv(**options)
gymnasium.registry["Reed-v1"] = gymnasium.envs.registration.EnvSpec("Reed-v1", "reeds:make")
"""
WITH_GYMKERNEL = (
    f"import gymkernel\ngymkernel.registry['Reed-v1'] = gymkernel.envs.registration.EnvSpec('Reed-v1', '{PENDULUM}')\n"
)


@pytest.fixture(autouse=True)
def reed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Return an id that both a gymkernel plugin and Gymnasium provide. Each test writes a module `reeds`."""
    theirs, registry = dict(gymnasium.registry), gym.registry
    registered, deleted = dict(registry.registered), set(registry.deleted)
    providers, names = plugins.providers, plugins.names
    reeds: Any = SimpleNamespace(value="marsh_envs:spec")
    monkeypatch.setattr(
        plugins, "providers", lambda kind, name: [reeds] if name == "Reed-v1" else providers(kind, name)
    )
    monkeypatch.setattr(plugins, "names", lambda kind: [*names(kind), "Reed-v1"] if kind == "envs" else names(kind))
    gymnasium.registry["Reed-v1"] = gymnasium.envs.registration.EnvSpec("Reed-v1", PENDULUM)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    gymnasium.registry.clear()
    gymnasium.registry.update(theirs)
    registry.registered, registry.deleted = registered, deleted
    sys.modules.pop("reeds", None)
    sys.modules.pop("envpool", None)


def write(folder: Path, source: str, name: str = "reeds") -> None:
    (folder / f"{name}.py").write_text(source, encoding="utf-8")


def resolved(module: str, env_id: str = "Reed-v1") -> EnvSpec | None:
    __import__(module)
    return spec_of_module(module, env_id)


def test_ids_that_the_module_registers_with_gymnasium_are_used(tmp_path: Path) -> None:
    write(tmp_path, WITH_GYMNASIUM)

    for _ in range(2):  # the module is imported either by looking up the id or before that
        spec: Any = resolved("reeds")
        assert (spec.id, spec.entry_point) == ("Reed-v1", "reeds:make")


def test_ids_that_the_module_registers_with_gymkernel_are_ours(tmp_path: Path) -> None:
    write(tmp_path, WITH_GYMKERNEL)

    assert resolved("reeds") is None


@pytest.mark.parametrize(
    "module", ["marsh_envs", "marsh_envs.wet", "gymkernel.envs.registration", "gymkernel_bridge_gymnasium"]
)
def test_own_modules_are_not_bridged(module: str) -> None:
    assert spec_of_module(module, "Reed-v1") is None


@pytest.mark.parametrize("env_id", ["Reed-v1", "Reed"])
def test_module_without_the_id_warns(tmp_path: Path, env_id: str) -> None:
    write(tmp_path, "")

    with pytest.warns(UserWarning, match=f"Importing reeds did not register {env_id}, so this is gymkernel's own"):
        assert resolved("reeds", env_id) is None


@pytest.mark.parametrize("env_id", ["Reed-v1", "Reed", "Ant-v5", "Nothing-v0"])
def test_package_with_its_own_api_error_says_what_to_write(tmp_path: Path, env_id: str) -> None:
    """The error must say what to write for ids from gymkernel, Gymnasium or another package."""
    write(tmp_path, "", "envpool")
    write(tmp_path, WITH_GYMNASIUM)
    __import__("reeds")

    with pytest.raises(gym.error.NameNotFound, match=f"Importing envpool did not register {env_id}") as caught:
        resolved("envpool", env_id)
    assert f'envpool.make("{env_id}", env_type="gymnasium", num_envs=8)' in str(caught.value)


@pytest.mark.parametrize("source", [WITH_GYMNASIUM, WITH_GYMKERNEL], ids=["gymnasium", "gymkernel"])
def test_ids_registered_by_such_a_package_are_created(tmp_path: Path, source: str) -> None:
    write(tmp_path, source.replace("reeds:", "envpool:").replace(PENDULUM, "envpool.reeds:make"), "envpool")

    found = resolved("envpool")

    assert (found or gym.registry["Reed-v1"]).entry_point in {"envpool:make", "envpool.reeds:make"}


def test_unknown_id_is_looked_up_normally(tmp_path: Path) -> None:
    write(tmp_path, "")

    assert resolved("reeds", "LunarLander-v3") is None
    assert resolved("reeds", "Nothing-v0") is None
    assert set(modules.OWN_API) == {"envpool"}
