"""What words mean, and what is said of those that mean nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

import gymkernel as gym
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
PACK = """
from gymkernel import register
from targets_here import Still

register("Targets-v1", entry_point=Still, order_enforce=False, disable_env_checker=True)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a module."""
    (tmp_path / "targets_here.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one])
    monkeypatch.delitem(sys.modules, "targets_here", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "word", ["targets_here:Still", "targets_here:Box.Inner", "targets_here.py:Still", "targets_here:SPEC"]
)
def test_classes_functions_and_specs_are_made_with_arguments(here: Path, word: str) -> None:
    env = find_env(word, {"size": 5}).make(render_mode="ansi").unwrapped
    assert (type(env).__name__, env.size, env.render_mode) == ("Still", 5, "ansi")


def test_a_module_may_register_the_id_after_it(here: Path) -> None:
    (here / "targets_pack.py").write_text(PACK)
    found = find_env("targets_pack:Targets-v1")
    assert found.source == "targets_pack:Targets-v1"
    assert found.make().spec.id == "Targets-v1"
    gym.registry.pop("Targets-v1")


@pytest.mark.parametrize("word", ["CartPole-v1", "gymnasium/package:Thing-v1"])
def test_an_id_is_an_id(word: str) -> None:
    assert find_env(word).source == word


@pytest.mark.parametrize(
    "word, error, message",
    [
        ("targets_here.py", AttributeError, "Expected the class after the path, for example targets_here.py:MyEnv"),
        ("nowhere.py:Still", ImportError, "There is no file .*nowhere.py"),
        ("no_such_module:Still", ImportError, "no_such_module"),
        ("targets_here.py:Nope", AttributeError, "Nope"),
        ("targets_here:NUMBER", TypeError, "to make environments .*, it is a int"),
    ],
)
def test_what_means_nothing_is_told(here: Path, word: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        find_env(word)


def test_a_file_whose_name_is_taken_says_so(here: Path) -> None:
    (here / "json.py").write_text("Still = 1")
    with pytest.raises(ImportError, match="a module json is there already"):
        find_env("json.py:Still")


def test_objects_are_found_too(here: Path) -> None:
    assert find_object("targets_here:NUMBER") == find_object("targets_here.py:NUMBER") == 3
    with pytest.raises(ValueError, match=r"Expected module:name or path.py:name, got 'random'"):
        find_object("random")
