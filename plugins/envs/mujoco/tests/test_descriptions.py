"""Tests that the tables in the docstrings of the tasks agree with the models."""

from __future__ import annotations

import inspect
import re
from typing import Any

import mujoco
import numpy as np
import pytest

import gymkernel as gym

NAMES = ["Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "InvertedDoublePendulum", "InvertedPendulum"]
NAMES += ["Pusher", "Reacher", "Swimmer", "Walker2d"]
ANGULAR = tuple(name for name in NAMES if name not in {"InvertedDoublePendulum", "Reacher"})
"""The environments whose observations contain the angles of the joints."""


def _table(task: Any, label: str) -> dict[int, list[str]]:
    """Return the cells of the docstring's table of actions or observations, by the first number of each row."""
    section = (inspect.getdoc(type(task)) or "").partition(f"\n{label}, ")[2].partition("\n\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines()[2:]]
    return {int(re.split(r"\D", cells[0])[0]): cells[1:] for cells in rows}


def _limits(text: str) -> list[float]:
    if text.startswith("±"):
        return [-float(text[1:]), float(text[1:])]
    low, _, high = text.partition(" to ")
    return [float(low), float(high)]


def _task(name: str) -> Any:
    unwrapped: Any = gym.make(f"{name}-v5").unwrapped
    return unwrapped.task


@pytest.mark.parametrize("name", NAMES)
def test_units_of_actions_are_the_gears_of_the_motors(name: str) -> None:
    task = _task(name)
    rows = _table(task, "Action")

    assert len(rows) == task.model.nu
    for index, (_, unit, limits) in rows.items():
        factor = re.match(r"\d*", unit)
        assert factor is not None
        assert float(factor[0] or 1) == task.model.actuator_gear[index, 0]
        assert _limits(limits) == pytest.approx(task.model.actuator_ctrlrange[index])


@pytest.mark.parametrize("name", ANGULAR)
def test_limits_of_angles_are_the_ranges_of_the_joints(name: str) -> None:
    task = _task(name)
    rows, model = _table(task, "Observation"), task.model
    skipped = task.observation_structure().get("skipped_qpos", 0)
    limited = [
        joint
        for joint in np.flatnonzero(model.jnt_limited)
        if not (name == "Pusher" and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE)
    ]

    assert limited
    for joint in limited:
        _, unit, limits = rows[int(model.jnt_qposadr[joint]) - skipped]
        assert unit == ("m" if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE else "rad")
        assert _limits(limits) == pytest.approx(model.jnt_range[joint], abs=6e-4)
