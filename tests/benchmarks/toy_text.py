"""Benchmarks of the toy text environments: single ones, and vectorised ones against Gymnasium's SyncVectorEnv."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.benchmarks.libraries import LIBRARIES
from tests.benchmarks.measure import per_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

IDS = ("Blackjack-v1", "FrozenLake-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1", "Taxi-v4")
STEPS = 1000


def run(bench: Bench) -> None:
    """Measure single environments and vector environments."""
    single(bench)
    for num_envs in (8, 64, 1024):
        vectorised(bench, num_envs)


def single(bench: Bench) -> None:
    """Measure a step of one environment, including the resets."""
    bench.section("Toy texts, time of a step")

    def episodes(env: Any) -> Callable[[], float]:
        chosen = np.random.default_rng(0).integers(0, env.action_space.n, STEPS).tolist()
        env.reset(seed=1)

        def rollout() -> None:
            step, reset = env.step, env.reset
            for action in chosen:
                _, _, terminated, truncated, _ = step(action)
                if terminated or truncated:
                    reset()

        return lambda: per_call(rollout) / STEPS

    for env_id in IDS:
        envs = [library.make(env_id).unwrapped for library in LIBRARIES]
        bench.add(env_id, bench.rounds([episodes(env) for env in envs], 9), 4)


def vectorised(bench: Bench, num_envs: int) -> None:
    """Compare a step of the vectorised environment with a step of Gymnasium's SyncVectorEnv, including autoresets."""
    bench.section(f"Toy texts, {num_envs} environments, a step of all; the peer steps them in turn")

    def stepping(library: Any, env_id: str) -> Callable[[], float]:
        mode = "vector_entry_point" if library is LIBRARIES[0] else "sync"
        envs = library.make_vec(env_id, num_envs=num_envs, vectorization_mode=mode)
        rows = np.random.default_rng(0).integers(0, envs.single_action_space.n, (50, num_envs))
        envs.reset(seed=1)

        def rollout() -> None:
            for row in rows:
                envs.step(row)

        return lambda: per_call(rollout) / len(rows)

    targets: dict[int, float | None] = {8: None, 64: 5, 1024: 50}
    for env_id in IDS:
        calls = [stepping(library, env_id) for library in LIBRARIES]
        bench.add(env_id, bench.rounds(calls, 5), targets[num_envs])
