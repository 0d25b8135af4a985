"""Tests that the PPO example from the guide gives the same returns on two nodes of a cluster as in this process."""

from __future__ import annotations

import re

import pytest
from tests.rollouts import ppo_numpy
from tests.rollouts.ray_program import run_ray_program

ROUNDS = 12


@pytest.mark.ray
def test_ppo_on_two_nodes_equals_one_process() -> None:
    alone = [mean for mean, _ in ppo_numpy.train("sync", ROUNDS)]
    assert alone[0] < 40
    assert sum(alone[-3:]) / 3 > 80
    done = run_ray_program("-m", "tests.rollouts.ppo_cluster", str(ROUNDS))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    rounds = re.findall(r"^round .*: mean return (.*) on nodes (\w+) and (\w+)$", done.stdout, re.MULTILINE)
    assert [float(mean) for mean, _, _ in rounds] == alone
    (pair,) = {frozenset(nodes) for _, *nodes in rounds}
    assert len(pair) == 2, "one shard on each node"
