"""Fixtures: a module with an environment that draws coloured squares, and a working directory for commands."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = '''
import numpy as np


class Actions:
    def seed(self, seed):
        self.rng = np.random.default_rng(seed)

    def sample(self):
        return int(self.rng.integers(4))

    def __repr__(self):
        return "Four"


class Squares:
    """An environment whose frames have a brightness of 10 times the step; an episode has `length` steps."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 5}

    def __init__(self, length=4, fails_at=None, height=6, render_mode=None):
        self.length, self.fails_at, self.height, self.render_mode = length, fails_at, height, render_mode
        self.action_space = Actions()
        self.at = 0

    def reset(self, *, seed=None):
        self.at = 0
        return 0, {}

    def step(self, action):
        self.at += 1
        if self.at == self.fails_at:
            raise RuntimeError("the square is round")
        return self.at, float(action), self.at == self.length, False, {}

    def render(self):
        return np.full((self.height, 8, 3), 10 * self.at % 250, np.uint8)

    def close(self):
        pass


class Letters(Squares):
    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 5}

    def render(self):
        return f"at {self.at}\\n" if self.render_mode == "ansi" else super().render()


class Collected(Squares):
    metadata = {"render_modes": ["rgb_array_list"]}

    def render(self):
        return [super(Collected, self).render()] * 2


class Unseen(Squares):
    metadata = {"render_modes": ["human"]}


class Silent(Squares):
    metadata = {}


def made(**kwargs):
    return Letters(**kwargs)


def two(observation):
    return 2


def dividing(observation):
    return 1 // 0
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create the module `squares_here` in a new working directory, and return the directory."""
    (tmp_path / "squares_here.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    monkeypatch.delitem(sys.modules, "squares_here", raising=False)
    return tmp_path


@pytest.fixture
def squares(here: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(here))
    module = importlib.import_module("squares_here")
    yield module
    sys.modules.pop("squares_here", None)
