"""Tests of the functions that find the environment given to a command, and of the errors if it does not exist."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import gymkernel as gym
from gymkernel.error import Error
from gymkernel.utils.targets import find_env, find_object

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
from gymkernel import Env
from gymkernel.specs import EnvSpec

class Still(Env):
    metadata = {"render_modes": ["ansi"]}

    def __init__(self, size=3, render_mode=None):
        self.size, self.render_mode = size, render_mode

class Box:
    Inner = Still

SPEC = EnvSpec("Targets-v0", entry_point=Still, order_enforce=False, disable_env_checker=True)
NUMBER = 3
"""
ONE = """
from gymkernel import Env

class Still(Env): ...

"""
PACK = """
from gymkernel import register
from targets_here import Still

register("Targets-v1", entry_point=Still, order_enforce=False, disable_env_checker=True)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a module in a new working directory, and return the directory."""
    (tmp_path / "targets_here.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    for name in ("targets_here", "targets_pack", "targets_one", "targets_bad"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "word", ["targets_here:Still", "targets_here:Box.Inner", "targets_here.py:Still", "targets_here:SPEC"]
)
def test_classes_functions_and_specs_are_created_with_arguments(here: Path, word: str) -> None:
    env = find_env(word, {"size": 5}).make(render_mode="ansi").unwrapped
    assert (type(env).__name__, env.size, env.render_mode) == ("Still", 5, "ansi")


def test_module_before_the_id_can_register_it(here: Path) -> None:
    (here / "targets_pack.py").write_text(PACK)
    found = find_env("targets_pack:Targets-v1")
    assert found.source == "targets_pack:Targets-v1"
    assert found.make().spec.id == "Targets-v1"
    gym.registry.pop("Targets-v1")


@pytest.mark.parametrize("word", ["CartPole-v1", "gymnasium/package:Thing-v1", "gymnasium/package:Thing"])
def test_id_is_recognized(word: str) -> None:
    assert find_env(word).source == word


def test_id_without_version_means_the_newest(here: Path) -> None:
    (here / "targets_pack.py").write_text(PACK)
    assert find_env("targets_pack:Targets").source == "targets_pack:Targets-v1"
    assert find_env("Targets").source == "Targets-v1"
    assert find_env("Targets").make().spec.id == "Targets-v1"
    gym.registry.pop("Targets-v1")


def test_only_class_of_a_file_needs_no_name(here: Path) -> None:
    (here / "targets_one.py").write_text(PACK.replace("from targets_here import Still", ONE))
    assert find_env("targets_one.py").attribute == "Still"
    gym.registry.pop("Targets-v1")


@pytest.mark.parametrize(
    "word, message",
    [
        ("targets_here.py:Stil", "targets_here.py has no Stil; did you mean Still?"),
        ("targets_here:Stil", "targets_here has no Stil; did you mean Still?"),
        ("targets_here:Box.Iner", "targets_here has no Box.Iner; did you mean Inner?"),
        (
            "targets_two.py",
            "targets_two.py contains several classes; choose one: targets_two.py:One, targets_two.py:Two",
        ),
        ("targets_none.py", "targets_none.py defines no subclass of Env; append :NAME to use a class or function"),
        ("nowhere.py:Still", "there is no file nowhere.py"),
        ("no_such_module:Still", "there is no module no_such_module; expected an environment id, module:Class or"),
        ("targets_here:NUMBER", "Expected targets_here:NUMBER to be an environment class or a function, got"),
    ],
)
def test_error_names_the_missing_part(here: Path, word: str, message: str) -> None:
    (here / "targets_two.py").write_text(ONE + "class One(Still): ...\nclass Two(Still): ...\ndel Still\n")
    (here / "targets_none.py").write_text("")
    with pytest.raises(Error, match=message):
        find_env(word)
    for name in ("targets_two", "targets_none"):
        sys.modules.pop(name, None)


def test_exceptions_of_a_module_are_passed_on(here: Path) -> None:
    (here / "targets_bad.py").write_text("1 / 0")
    for word in ("targets_bad.py:Still", "targets_bad:Still"):
        with pytest.raises(ZeroDivisionError):
            find_env(word)
    (here / "targets_bad.py").write_text("import not_installed_here")
    with pytest.raises(ModuleNotFoundError, match="not_installed_here"):
        find_env("targets_bad.py:Still")


def test_file_named_like_an_imported_module_raises(here: Path) -> None:
    (here / "json.py").write_text("Still = 1")
    with pytest.raises(Error, match="a module named json already exists"):
        find_env("json.py:Still")


def test_objects_are_valid_targets(here: Path) -> None:
    assert find_object("targets_here:NUMBER") == find_object("targets_here.py:NUMBER") == 3
    with pytest.raises(Error, match=r"Expected module:name or path.py:name, got 'random'"):
        find_object("random")
    with pytest.raises(Error, match="math has no gdc; did you mean gcd"):
        find_object("math:gdc")
