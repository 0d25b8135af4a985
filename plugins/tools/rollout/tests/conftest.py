"""Fixtures: a module with an environment that counts, and a working directory for commands."""

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

    def __contains__(self, action):
        return action in range(4)

    def __repr__(self):
        return "Four"


class Count:
    """Episode number k has 1 + seed % 3 steps; the reward is the action."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 5}

    def __init__(self, fails_at=None, truncates=False, reward=None, render_mode=None):
        self.fails_at, self.truncates, self.reward, self.render_mode = fails_at, truncates, reward, render_mode
        self.action_space = Actions()
        self.total = self.closed = 0

    def reset(self, *, seed=None):
        print("a reset")
        self.at, self.length = 0, 1 + seed % 3
        return 0, {}

    def step(self, action):
        self.at += 1
        self.total += 1
        if self.total == self.fails_at:
            raise RuntimeError("out of numbers")
        reward = float(action) if self.reward is None else self.reward
        done = self.at == self.length
        return self.at, reward, done and not self.truncates, done and self.truncates, {}

    def render(self):
        return np.full((4, 6, 3), 10 * self.at, np.uint8)

    def close(self):
        self.closed += 1


def two(observation):
    return 2


class Rising:
    def __init__(self, env):
        self.env = env

    def __call__(self, observation):
        return self.env.at


def interrupting(observation):
    if observation == 1:
        raise KeyboardInterrupt
    return 1
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Create the module `count_here` in a new working directory, and return the directory."""
    (tmp_path / "count_here.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [item for item in sys.path if item])
    sys.modules.pop("count_here", None)
    yield tmp_path
    sys.modules.pop("count_here", None)


@pytest.fixture
def count(here: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(here))
    return importlib.import_module("count_here")
