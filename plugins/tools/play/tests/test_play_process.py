"""Test `gymkernel play` in a new process, in which pygame has not been imported or initialised before."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

GAME: Final = """
import json
from pathlib import Path

import numpy as np
import pygame

from gymkernel import Env, Space


class Numbers(Space):
    def sample(self, mask=None, probability=None):
        return 0

    def contains(self, x):
        return x in range(4)


class Game(Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 500}
    action_space = observation_space = Numbers()
    keys = {"a": 1, (pygame.K_RIGHT,): 2, ("a", pygame.K_RIGHT): 3}
    pressed = {3: ("KEYDOWN", pygame.K_a), 4: ("KEYDOWN", pygame.K_RIGHT), 6: ("KEYUP", pygame.K_a), 7: ("QUIT", 0)}

    def __init__(self, render_mode=None):
        self.render_mode, self.frames, self.actions = render_mode, 0, []

    def get_keys_to_action(self):
        return self.keys

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return 0, {}

    def step(self, action):
        self.actions.append(action)
        self.steps += 1
        return self.steps, 1.0, self.steps == 3, False, {}

    def render(self):
        self.frames += 1
        kind, key = self.pressed.get(self.frames, (None, 0))
        if kind is not None:
            pygame.event.post(pygame.event.Event(getattr(pygame, kind), key=key))
        return np.zeros((20, 30, 3), np.uint8)

    def close(self):
        Path("actions").write_text(json.dumps(self.actions))
"""
SCREEN: Final = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Create the game's file in a folder, and return the folder, in which the command is run."""
    (tmp_path / "game.py").write_text(GAME, encoding="utf-8")
    return tmp_path


def play(here: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    surroundings = {name: value for name, value in os.environ.items() if name not in SCREEN}
    return subprocess.run(
        [sys.executable, "-m", "gymkernel", "play", *arguments],
        cwd=here,
        env={**surroundings, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_pressed_keys_act_until_the_window_is_closed(here: Path) -> None:
    ended = play(here, "game.py", SDL_VIDEODRIVER="dummy")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        "A: action 1",
        "right arrow: action 2",
        "A + right arrow: action 3",
        "ESC: end the game",
        "finished episodes: 1; returns: 3",
    ]
    assert (here / "actions").read_text(encoding="utf-8") == "[0, 0, 1, 3, 2]"


def test_keys_can_be_passed(here: Path) -> None:
    ended = play(here, "game.py", "--keys", '{"a": 3}', "--noop", "2", SDL_VIDEODRIVER="dummy")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "A: action 3\n" in ended.stdout
    assert (here / "actions").read_text(encoding="utf-8") == "[2, 2, 3, 3, 2]"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a screen without saying so")
@pytest.mark.parametrize("variables", [{}, {"DISPLAY": ":987"}, {"SDL_VIDEODRIVER": "x11"}])
def test_missing_screen_error_says_what_to_do(here: Path, variables: dict[str, str]) -> None:
    ended = play(here, "game.py", **variables)
    assert (ended.returncode, ended.stdout) == (2, "")
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("Error: play opens a window, but there is no screen here (")
    assert "SDL_VIDEODRIVER=dummy" in last
    assert (here / "actions").exists(), "the environment was closed"
