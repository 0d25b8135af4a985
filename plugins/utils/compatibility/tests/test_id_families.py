"""Tests of `IdFamily`, which resolves the ids of other libraries' environments."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from click.testing import CliRunner

import gymkernel
from gymkernel import error, third_party
from gymkernel.cli.app import cli
from gymkernel.hooks import hookimpl, manager
from gymkernel.specs import EnvSpec
from gymkernel.utils.id_families import IdFamily

NAMES = ["cave/Deep-v1", "cave/Deep-v2", "lake-swim", "Pond-v0"]


class Lake(gymkernel.Env[int, int]):
    observation_space = action_space = gymkernel.Space((), int)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, 0.0, False, False, {}


def spec(env_id: str, name: str) -> EnvSpec:
    entry_point = f"{__name__}:Lake"
    return EnvSpec(env_id, entry_point, order_enforce=False, disable_env_checker=True, kwargs={})


def family(module: str = "json") -> IdFamily:
    return IdFamily("wet", module, "wet-worlds", lambda: NAMES, spec)


@pytest.mark.parametrize(
    "env_id, found",
    [
        ("wet/lake-swim", "wet/lake-swim"),
        ("wet/cave/Deep-v1", "wet/cave/Deep-v1"),
        ("wet/cave/Deep", "wet/cave/Deep-v2"),
        ("wet/Pond", "wet/Pond-v0"),
    ],
)
def test_id_is_resolved(env_id: str, found: str) -> None:
    resolved = family().resolve(env_id)

    assert resolved is not None
    assert resolved.id == found


@pytest.mark.parametrize("env_id", ["CartPole-v1", "wetter/lake-swim", "lab/wet/lake-swim"])
def test_other_ids_are_left_to_other_plugins(env_id: str) -> None:
    def fail() -> list[str]:
        raise AssertionError("the library is imported for an id of another family")

    assert IdFamily("wet", "json", "wet-worlds", fail, spec).resolve(env_id) is None


@pytest.mark.parametrize(
    "env_id, near",
    [
        ("wet/lake-swimm", "lake-swimm; did you mean wet/lake-swim?"),
        ("wet/cave/Deep-v3", "cave/Deep-v3; did you mean wet/cave/Deep-v2 or wet/cave/Deep-v1?"),
        ("wet/pond-v0", "pond-v0; did you mean wet/Pond-v0"),
        ("wet/volcano-42", "volcano-42; its environments are, for example, wet/Pond-v0, wet/cave/Deep-v1"),
    ],
)
def test_unknown_id_error_suggests_similar_ids(env_id: str, near: str) -> None:
    with pytest.raises(error.NameNotFound) as caught:
        family().resolve(env_id)

    assert str(caught.value).startswith(f"json has no environment {near}")


def test_missing_library_error_names_the_pip_command() -> None:
    with pytest.raises(error.NameNotFound) as caught:
        family("wet_worlds_xyz").resolve("wet/lake-swim")

    expected = "wet/lake-swim needs wet_worlds_xyz, which is not installed; run: pip install wet-worlds"
    assert str(caught.value) == expected


class Bridge:
    @hookimpl
    def gymkernel_resolve_env(self, env_id: str) -> EnvSpec | None:
        return family().resolve(env_id)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Register the hook of a bridge, and add its family to the table of third-party environments."""
    monkeypatch.setitem(third_party.ENVS, "wet/*", '"gymkernel[wet]"')
    monkeypatch.setitem(third_party.MODULES, '"gymkernel[wet]"', "json")
    monkeypatch.setitem(third_party.BRIDGES, '"gymkernel[wet]"', "wet-bridge")
    manager().register(Bridge(), "wet-bridge")
    yield
    manager().unregister(name="wet-bridge")


@pytest.mark.usefixtures("bridge")
class TestIdsOfAnInstalledBridge:
    @pytest.mark.parametrize("env_id", ["wet/lake-swim", "wet/cave/Deep-v2"])
    def test_make_creates_the_environment(self, env_id: str) -> None:
        env = gymkernel.make(env_id)

        assert isinstance(env.unwrapped, Lake)
        assert env.spec is not None
        assert env.spec.id == env_id

    def test_make_warns_if_the_version_is_omitted(self) -> None:
        with pytest.warns(UserWarning, match="latest versioned environment `wet/cave/Deep-v2`"):
            gymkernel.make("wet/cave/Deep")

    def test_error_of_make_suggests_similar_ids(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(error.NameNotFound, match="did you mean wet/lake-swim"):
                gymkernel.make("wet/lake-swum")

    def test_info_describes_the_environment(self) -> None:
        assert CliRunner().invoke(cli, ["info", "wet/lake-swim"]).stdout.startswith("wet/lake-swim (environment)")

    def test_info_of_an_unknown_id_suggests_similar_ids(self) -> None:
        assert "did you mean wet/lake-swim" in CliRunner().invoke(cli, ["info", "wet/lake-swum"]).stdout
