"""Tests that a vector environment and a rollout share a cluster, whichever of them started it, until both close."""

from __future__ import annotations

import textwrap

import pytest
from tests.rollouts.ray_program import run_ray_program

PROGRAM = """
    import functools
    import gymkernel as gym
    import ray
    import ray._private.services as services
    from gymkernel.error import ClosedEnvironmentError
    from gymkernel.rollouts import collect

    services.find_gcs_addresses = functools.cache(set)  # of other programs on this machine

    def vector(address):
        envs = gym.make_vec("CartPole-v1", 2, "ray", {
            "num_workers": 1, "address": address, "start_timeout": 500, "resources": {"CPU": 0}
        })
        return envs, lambda: envs.reset(seed=1)

    def rollout(address):
        fragments = collect(
            "CartPole-v1", "random", engine="ray", num_envs=2, num_shards=1, fragment_length=4, seed=1,
            address=address, start_timeout=500,
        )
        return fragments, lambda: next(fragments)

    for starts, joins, address in ((vector, rollout, None), (rollout, vector, "local")):
        for first_closed in (0, 1):
            kinds = [starts(address), joins(address)]
            cluster = ray.get_runtime_context().gcs_address
            for _, works in kinds:
                works()
            kinds[first_closed][0].close()
            assert ray.is_initialized(), "the other still uses it"
            kinds[1 - first_closed][1]()
            assert ray.get_runtime_context().gcs_address == cluster
            kinds[1 - first_closed][0].close()
            assert not ray.is_initialized(), "nobody uses it any more"

    kinds = [vector("local"), rollout(None)]
    ray.shutdown()
    ray.init("local", include_dashboard=False)
    for one, works in kinds:
        try:
            works()
        except ClosedEnvironmentError as exc:
            assert "Ray was shut down" in str(exc), exc
        else:
            raise AssertionError("it went on")
        one.close()
    assert ray.is_initialized(), "the program's own"
"""


@pytest.mark.ray
def test_started_cluster_ends_with_its_last_user() -> None:
    done = run_ray_program("-c", textwrap.dedent(PROGRAM))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert "No Ray cluster is running, so a cluster with" in done.stderr
