"""Tests of `gymkernel check` on Gymnasium's environments: ids through the bridge, and classes written for Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gymnasium
import pytest

from gymkernel.checks import check
from gymkernel_tool_check.options import PROFILES

if TYPE_CHECKING:
    from pathlib import Path

MAZES = """
import gymnasium
import numpy as np


class Maze(gymnasium.Env):
    metadata = {"render_modes": []}

    def __init__(self, size=5):
        self.size = size
        place = gymnasium.spaces.Box(0.0, 1.0, (2,), np.float32)
        self.observation_space = gymnasium.spaces.Dict({"place": place, "goal": gymnasium.spaces.Discrete(4)})
        self.action_space = gymnasium.spaces.MultiDiscrete([2, 2])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.goal, self.time = self.np_random.integers(0, self.size, 2), self.np_random.integers(4), 0
        return self.observe(), {}

    def observe(self):
        return {"place": (self.place / self.size).astype(np.float32), "goal": self.goal}

    def step(self, action):
        self.place = np.clip(self.place + 2 * np.asarray(action) - 1, 0, self.size - 1)
        self.time += 1
        return self.observe(), -1.0, False, self.time >= 20, {}


class Leaving(Maze):
    def observe(self):
        found = super().observe()
        found["place"] = found["place"] * 2
        return found


class Forgetful(Maze):
    def step(self, action):
        self.moved = getattr(self, "moved", 0) + 1
        observation, reward, *rest = super().step(action)
        return observation, reward - 0.001 * self.moved, *rest


gymnasium.register("acme/Maze-v0", "mazes:Maze", max_episode_steps=10)
"""


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the time limits of checks, so that findings do not depend on the load of the machine."""
    for profile, (steps, _) in PROFILES.items():
        monkeypatch.setitem(PROFILES, profile, (steps, 60.0))


@pytest.fixture(autouse=True)
def _mazes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mazes.py").write_text(MAZES)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("target", ["mazes:Maze", "mazes.py:Maze", "gymnasium/mazes:acme/Maze-v0"])
def test_sound_gymnasium_environment_passes(target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))

    report = check(target, measure=False, steps=100)

    assert report.failure == ""
    assert report.at_least("warning") == []
    assert {"GK104", "GK205", "GK401", "GK404", "GK501", "GK602"} <= set(report.passed)


@pytest.mark.parametrize("name, code", [("Leaving", "GK401"), ("Forgetful", "GK602")])
def test_defect_is_named_with_its_place(name: str, code: str) -> None:
    report = check(f"mazes.py:{name}", measure=False, steps=200)

    found = [finding for finding in report.findings if finding.code == code]
    assert found, [str(finding) for finding in report.findings]
    assert str(found[0].file).endswith("mazes.py")


def test_gymnasium_id_is_shown_as_such() -> None:
    report = check("gymnasium/CartPole-v1", profile="fast")

    assert report.verdict == "clean"
    assert report.found["class"] == "gymnasium.envs.classic_control.cartpole:CartPoleEnv"
    assert str(report.found["file"]).endswith("cartpole.py")
    assert (report.found["distribution"], report.found["version"]) == ("gymnasium", gymnasium.__version__)
    assert "TimeLimit" in report.found["wrappers"]


def test_gymnasium_environment_is_checked_unconverted() -> None:
    report = check(gymnasium.make("CartPole-v1"), measure=False)

    assert {"GK205", "GK401"} <= set(report.passed)
    assert "second instance" in report.skipped["GK821"]
