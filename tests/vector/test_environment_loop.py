"""Tests that only one loop in the source code steps environments, and that a synchronous step calls it directly."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.spaces import Box, Discrete
from gymkernel.vector import SyncVectorEnv

ROOT = Path(__file__).parents[2]
SOURCES = ("plugins/vector", "plugins/utils/vector", "plugins/tools/rollout")
LOOP = "plugins/utils/vector/src/gymkernel_util_vector/loop.py"
ENVIRONMENT = re.compile(r"env|(self\.)?_?envs\[.+\]")
"""The expressions that refer to one of several environments. `self.env` is not listed because wrappers use it."""


def modules_that_call(*methods: str) -> set[str]:
    """Return the modules of vector environments and rollouts that call a method of one of several environments."""
    found = set()
    for folder in SOURCES:
        for path in (ROOT / folder).glob("**/src/**/*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            calls = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in methods]
            if any(ENVIRONMENT.fullmatch(ast.unparse(node.value)) for node in calls):
                found.add(path.relative_to(ROOT).as_posix())
    return found


@pytest.mark.parametrize("method", ["step", "reset"])
def test_one_module_calls_the_environments(method: str) -> None:
    assert modules_that_call(method) == {LOOP}


class Still(Env[Any, Any]):
    """An environment whose steps do nothing."""

    observation_space, action_space = Box(-1, 1, (4,), np.float32), Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return np.zeros(4, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return np.zeros(4, np.float32), 1.0, False, False, {}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_synchronous_step_uses_three_files(mode: str) -> None:
    envs = SyncVectorEnv([Still] * 3, autoreset_mode=mode)
    envs.reset(seed=1)
    actions = np.zeros(3, np.int64)
    envs.step(actions)
    files: list[str] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        found = re.fullmatch(r".*/(gymkernel\w*/.+)", Path(frame.f_code.co_filename).as_posix())
        if event == "call" and found and frame.f_code.co_filename != __file__:
            files.append(found[1])

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        envs.step(actions)
    finally:
        sys.setprofile(before)

    assert list(dict.fromkeys(files)) == [
        "gymkernel_vector_sync/__init__.py",
        "gymkernel_util_vector/loop.py",
        "gymkernel_util_vector/writing.py",
    ]
