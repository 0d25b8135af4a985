"""Test `RayVectorEnv` in clusters of several nodes, and in programs that are killed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rollouts.ray_program import run_ray_program

SCENES = Path(__file__).with_name("scenes.py")
pytestmark = pytest.mark.ray


NAMES = ["started_here", "driver_with_a_cluster_of_its_own", "control_c", "small_store", "several_nodes"]


@pytest.mark.parametrize("name", NAMES)
def test_scene(name: str) -> None:
    done = run_ray_program(str(SCENES), name)
    assert done.stdout.splitlines()[-1:] == ["passed"], done.stdout[-2000:] + done.stderr[-4000:]
