"""Tests of the command line with the real plugins, in new processes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

ENVS = ("CartPole-v0", "CartPole-v1")


def gymkernel(*arguments: str, status: int = 0) -> str:
    command = [sys.executable, "-m", "gymkernel", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == status, ended.stdout + ended.stderr
    return ended.stdout


def as_json(*arguments: str, status: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gymkernel(*arguments, "--format", "json", status=status))
    return found


def test_everything_installed_loads() -> None:
    data = as_json("list", "--load")
    states = {item["name"]: item["state"] for item in data["items"]}
    assert states["CartPole-v1"] == states["Box"] == states["TimeLimit"] == states["SyncVectorEnv"] == "loaded"


def test_every_space_supports_every_operation() -> None:
    data = as_json("list", "spaces", "--load")
    absent = {s: [o for o, origin in row.items() if origin == "absent"] for s, row in data["operations"].items()}
    shared_memory = {"create_shared_memory", "read_from_shared_memory", "write_to_shared_memory"}
    single = {"Text", "Sequence", "Graph", "OneOf"}  # a batch of these spaces is a Tuple, which supports `iterate`
    without_arrays = {"Sequence", "Graph"}
    for space, operations in absent.items():
        allowed = ({"iterate"} if space in single else set()) | (shared_memory if space in without_arrays else set())
        assert set(operations) == allowed, space


@pytest.mark.slow
@pytest.mark.parametrize("env_id", ENVS)
def test_first_party_environments_are_sound(env_id: str) -> None:
    data = as_json("check", env_id, "--severity", "info", "--thorough")
    (target,) = data["targets"]
    assert target["findings"] == []
    assert target["skipped"] == []
    assert target["found"]["distribution"] == "gymkernel-env-classic-control"
    assert target["measured"]["steps_per_second"] > 0


def test_readme_main_job_prints_verdict_and_speed() -> None:
    shown = gymkernel("check", "CartPole-v1", "--budget", "600")  # no time limit, because the machine may be busy
    assert shown.startswith("CartPole-v1 is sound: ")
    assert "steps a second" in shown
    assert "GK101" not in shown


def test_verbose_report_shows_facts_and_every_rule() -> None:
    shown = gymkernel("check", "-v", "CartPole-v1", "--budget", "600", "--select", "GK1")
    assert shown.startswith("CartPole-v1 is sound: ")
    assert "wrapped in   TimeLimit (500 steps), OrderEnforcing" in shown
    assert "GK101  observation_space and action_space are set after construction" in shown


@pytest.mark.slow
def test_distributions_of_this_repository_are_sound() -> None:
    shown = gymkernel("check", "gymkernel-env-classic-control", "--select", "GK1,GK9")
    assert "summary" in shown
    gymkernel("check", "gymkernel-space-box")


@pytest.mark.slow
def test_info_shows_what_make_adds_and_suggestions() -> None:
    assert "TimeLimit, OrderEnforcing, PassiveEnvChecker" in gymkernel("info", "CartPole-v1")
    assert "MultiDiscrete" in gymkernel("info", "gymkernel-space-multi-discrete")
    assert (
        "did you mean"
        in subprocess.run(
            [sys.executable, "-m", "gymkernel", "info", "CartPol-v1"], capture_output=True, text=True, check=False
        ).stderr
    )
