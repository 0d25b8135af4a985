"""Tests that importing a package of this repository does not show pygame's greeting."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("pygame")

ROOT = Path(__file__).parents[1]
MAKE = "import gymkernel as gym; env = gym.make({!r}, render_mode='rgb_array'); env.reset(); env.render()"
PROGRAMS = {
    "gymkernel_tool_play": "from gymkernel.utils.play import play, PlayableGame, PlayPlot, display_arr",
    "gymkernel_wrapper_human_rendering": "from gymkernel.wrappers import HumanRendering",
    "gymkernel_env_box2d": MAKE.format("LunarLander-v3"),
    "gymkernel_env_classic_control": MAKE.format("CartPole-v1"),
    "gymkernel_env_toy_text": MAKE.format("FrozenLake-v1"),
}
"""For each package that imports pygame, a program that makes the package import pygame."""


def importers() -> set[str]:
    """Return the packages of this repository that import pygame."""
    modules = [path for path in ROOT.glob("plugins/*/*/src/*/**/*.py") if "import pygame" in path.read_text("utf-8")]
    return {path.relative_to(ROOT).parts[4] for path in modules}


def run(program: str) -> str:
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYGAME_")}
    done = subprocess.run(
        [sys.executable, "-c", f"{program}; import sys; assert 'pygame' in sys.modules"],
        env={**surroundings, "SDL_VIDEODRIVER": "dummy"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_every_package_that_imports_pygame_is_tested() -> None:
    assert importers() == set(PROGRAMS)


@pytest.mark.parametrize("package", PROGRAMS)
def test_pygame_prints_no_greeting(package: str) -> None:
    if find_spec(package) is None:
        pytest.skip(
            f"{package} must be installed by name; the tox environments `full` and `peers` install such packages"
        )
    assert run(PROGRAMS[package]) == ""
