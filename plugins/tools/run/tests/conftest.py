"""Fixtures that run programs in new processes, with or without a small library that is called `gymnasium`."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {
    "__init__.py": '__version__ = "1.9.7"\nfrom gymnasium import envs\nfrom gymnasium.core import Env\nLATER = 5\n',
    "core.py": """
        import functools
        from copy import deepcopy as copy_of
        from typing import TYPE_CHECKING
        import numpy as np
        from gymnasium.envs import registration

        class Env:
            pass

        class _Private(Env):
            limit: np.ndarray = np.ones(2)

            def double(self):
                return _twice(len(self.limit))

        def _twice(number):
            return 2 * number

        @functools.singledispatch
        def convert(value):
            raise TypeError(type(value))

        @convert.register(int)
        @convert.register(float)
        def _convert_number(value):
            return _twice(value)

        @convert.register(tuple)
        def _convert_tuple(value):
            return [convert(item) for item in value]
    """,
    "vector/__init__.py": "LIMIT = 7\n",
    "vector/async_vector_env.py": "def helper():\n    return 3\n",
    "envs/__init__.py": """
        from gymnasium.envs.registration import register

        def _raise_moved(**kwargs):
            raise ImportError("it has moved")

        register(id="CartPole-v1", entry_point="gymnasium.envs.nowhere:CartPole")
        register(id="Walker-v1", entry_point=_raise_moved)
        register(id="Walker-v2", entry_point="gymnasium.envs.walker:Walker", max_episode_steps=3)
    """,
    "envs/registration.py": "registry = {}\ndef register(**kwargs):\n    registry[kwargs['id']] = kwargs\n",
    "envs/walker/__init__.py": "from gymnasium.envs.walker.two_legs import Walker\n",
    "envs/walker/two_legs.py": """
        import gymnasium as gym
        from gymnasium import spaces

        class Walker(gym.Env):
            observation_space = spaces.Discrete(9)
            action_space = spaces.Discrete(2)

            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                return int(self.np_random.integers(9)), {}

            def step(self, action):
                return 1, 0.0, False, False, {}
    """,
}
"""The files of a library that has the name and the layout of Gymnasium."""

Result = subprocess.CompletedProcess[str]
UNSET = ("GYMKERNEL_", "PYTHONPATH", "PYTHONUNBUFFERED")
"""Beginnings of the names of environment variables that programs do not get."""


def start(command: list[str], folder: Path, text: str | None = None, **variables: str) -> Result:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(UNSET)}
    return subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, check=False, env={**clean, **variables}
    )


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Result]:
    """Return a function that runs `gymkernel run` with arguments in the temporary folder."""

    def run_command(*arguments: str, text: str | None = None, **variables: Any) -> Result:
        return start([sys.executable, "-m", "gymkernel", "run", *arguments], tmp_path, text, **variables)

    return run_command


@pytest.fixture
def python(tmp_path: Path) -> Callable[..., Result]:
    """Return a function that runs `python` with arguments in the temporary folder."""

    def run_command(*arguments: str, text: str | None = None, **variables: Any) -> Result:
        return start([sys.executable, *arguments], tmp_path, text, **variables)

    return run_command


@pytest.fixture
def outputs(tmp_path: Path, run: Callable[..., Result]) -> Callable[[str], list[str]]:
    """Return a function that runs a program with `gymkernel run` and returns the lines of its output."""

    def lines(program: str, **variables: Any) -> list[str]:
        (tmp_path / "program.py").write_text(unindented(program), encoding="utf-8")
        result = run("program.py", **variables)
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return lines


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Create the library in the temporary folder, where programs find it, and return its folder."""
    for name, text in FILES.items():
        path = tmp_path / "gymnasium" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(unindented(text), encoding="utf-8")
    return tmp_path / "gymnasium"


def unindented(text: str) -> str:
    """Remove the first line's indentation from all lines of a text."""
    lines = text.lstrip("\n").splitlines()
    width = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[width:] if not line[:width].strip() else line for line in lines) + "\n"
