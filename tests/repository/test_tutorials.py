"""Tests that run small versions of the tutorials' programs and check what the agents learn."""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.checks import check
from gymkernel.spaces import flatdim
from gymkernel.vector import AsyncVectorEnv
from gymkernel_tool_check.options import PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).resolve().parents[2] / "docs"
FOLDER = DOCS / "tutorials"
MODULES = (
    "blackjack",
    "cartpole_reinforce",
    "grid_world",
    "point_clouds",
    "ppo_cartpole",
    "thermostat",
    "train",
)


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the time limits of checks, so that findings do not depend on the load of the machine."""
    for profile, (steps, _) in PROFILES.items():
        monkeypatch.setitem(PROFILES, profile, (steps, 60.0))


@pytest.fixture(autouse=True)
def _tutorials_on_the_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for place in (FOLDER, FOLDER / "thermostat", FOLDER / "thermostat" / "src"):
        monkeypatch.syspath_prepend(str(place))
    yield
    for name in MODULES:
        sys.modules.pop(name, None)


def _program(name: str) -> Any:
    return importlib.import_module(name)


def test_blackjack_is_learned() -> None:
    program = _program("blackjack")
    values, returns = program.learn(20_000)

    assert returns[:2000].mean() < -0.2
    assert program.play(values, 5000) > -0.15
    assert program.strategy(values, usable=0).splitlines()[2].split() == ["20", *"." * 10]


def test_cartpole_is_learned() -> None:
    _, returns = _program("cartpole_reinforce").learn(25)

    assert max(returns[20:]) > 4 * returns[0]


def test_learned_policy_works_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    trained = _program("cartpole_reinforce")
    monkeypatch.setattr(trained, "learn", lambda updates: (np.array([0, 0, 1.0, 1.0, 0]), []))
    policy = trained.Trained(None)

    assert (policy(np.array([0, 0, 0.1, 0])), policy(np.array([0, 0, -0.1, 0]))) == (1, 0)


def test_thermostat_is_sound_and_learnable() -> None:
    report = check(_program("thermostat").THERMOSTAT, profile="fast")
    _, returns = _program("train").learn(150)

    assert not report.findings
    assert np.mean(returns[-30:]) > np.mean(returns[:30]) + 10


def test_layout_makes_a_space_flattenable_without_changing_elements() -> None:
    program = _program("point_clouds")
    seen = {}
    for make in (program.plain, program.shared):
        with AsyncVectorEnv([make] * 2, num_workers=2) as envs:
            envs.reset(seed=1)
            seen[make.__name__] = envs.step(np.ones(2, np.int64))[0]

    assert np.array_equal(np.stack(seen["plain"]), np.stack(seen["shared"]))
    assert flatdim(program.SharedCloud()) == 3 * program.POINTS
    with pytest.raises(NotImplementedError):
        flatdim(program.Cloud())


def test_documented_defect_is_found_and_reported() -> None:
    report = check(f"{FOLDER / 'grid_world.py'}:GridWorld", profile="fast")
    shown = (FOLDER / "output" / "grid_world.txt").read_text(encoding="utf-8")

    assert [finding.code for finding in report.findings] == ["GK404"]
    assert "GK404 error" in shown
    assert f"grid_world.py:{report.findings[0].line} (step)" in shown


def test_workflow_uses_existing_options() -> None:
    from gymkernel_tool_check.cli.checking import check as command

    known = {option for parameter in command.params for option in parameter.opts}
    lines = re.findall(r"run: gymkernel check (.*)", (FOLDER / "ci" / "check.yml").read_text(encoding="utf-8"))

    assert len(lines) == 2
    assert {word for line in lines for word in line.split() if word.startswith("--")} <= known


def test_ppo_learns() -> None:
    pytest.importorskip(
        "stable_baselines3", reason="it requires a gigabyte of torch; `tox run -m training` installs it"
    )
    _, history = _program("ppo_cartpole").learn(4096)

    assert np.mean(history.returns[-10:]) > np.mean(history.returns[:10])


def test_every_plot_has_its_data() -> None:
    plots = json.loads((FOLDER / "output" / "plots.json").read_text(encoding="utf-8"))
    used = {
        name for page in FOLDER.glob("*.md") for name in re.findall(r"\{plot\} (\S+)", page.read_text(encoding="utf-8"))
    }

    assert used == plots.keys()
    assert all(plots.values())
