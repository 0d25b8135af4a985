"""Tests of example programs that show a defect: they import, create the checked object, and run the rule's lines."""

from __future__ import annotations

from typing import Any

import pytest

from gymkernel import Env
from gymkernel_tool_check import loading
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.recipe import Program, Recipe

MAZE = Recipe("Maze", (), ("from acme import Maze",))


class Small(Env[Any, Any]):
    """An environment with a constructor argument."""

    def __init__(self, size: int = 1) -> None:
        self.size = size


def test_program_lines_follow_the_kind_of_target() -> None:
    assert MAZE.program("env.reset()").splitlines() == ["from acme import Maze", "", "env = Maze()", "env.reset()"]


def test_program_creates_the_target() -> None:
    shown = MAZE.program(Program("for run in range(2):\n    env = Maze()"))

    assert shown.splitlines() == ["from acme import Maze", "", "for run in range(2):", "    env = Maze()"]


@pytest.mark.parametrize("name, line", [("np", "import numpy as np"), ("ops", "from gymkernel import ops")])
def test_program_imports_the_used_modules(name: str, line: str) -> None:
    assert MAZE.program(f"print({name}.x)").splitlines()[0] == line
    assert line not in MAZE.program(f"print(env.{name})")


def test_arguments_are_appended_to_existing_ones() -> None:
    made = Recipe("gym.make", ('"Maze-v0"',)).calling("size=3", "open=True")

    assert str(made) == 'env = gym.make("Maze-v0", size=3, open=True)'


def test_uncalled_object_gets_no_arguments() -> None:
    assert str(Recipe(note="make it").calling("size=3")) == "env = ...  # make it"


def test_programs_contain_the_arguments_of_the_check() -> None:
    options = Options(make_kwargs={"size": 3, "open": "no"})
    subject = loading.adjusted(loading.subject_of(lambda size, open: None, options, "Small", "from here import Small"))  # noqa: A006

    assert subject.reproduce("env.reset()").splitlines()[2] == "env = Small(size=3, open='no')"


def test_space_and_wrapper_classes_are_only_imported() -> None:
    subject = loading.subject_of(Small, Options(), "here:Small", "from here import Small", "Small")
    subject.kind = "wrappers"

    assert subject.reproduce("env = Small(probe_envs.ProbeEnv())").splitlines() == [
        "from gymkernel_tool_check.probes import probe_envs",
        "from here import Small",
        "",
        "env = Small(probe_envs.ProbeEnv())",
    ]
