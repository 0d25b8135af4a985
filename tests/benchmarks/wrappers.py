"""Benchmarks of wrappers around a single environment, of ten wrappers around each other, and of vector wrappers.

`tests.benchmarks.wrapped` lists the wrappers with their arguments, their inner environments and their targets.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.benchmarks.libraries import LIBRARIES, VECTOR
from tests.benchmarks.measure import per_call
from tests.benchmarks.wrapped import ROWS, Spec, environment, environments

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench
    from tests.benchmarks.wrapped import Wrapped

__all__ = ["run"]

SIZES = (8, 64)


def run(bench: Bench) -> None:
    """Measure each wrapper, a stack of wrappers, and the vector wrappers."""
    layers(bench)
    ten_deep(bench)
    vectorized(bench)


def layers(bench: Bench) -> None:
    """Measure the time that each wrapper adds to a step, alternately for both libraries."""
    bench.section("Wrappers: time above the bare step")
    for row in (row for row in ROWS if row.vector != "only"):
        envs = []
        for library in LIBRARIES:
            envs += [environment(library, row.kind), row.around(library, environment(library, row.kind))]
        bare, ours, their_bare, theirs = bench.rounds([ready(row, env) for env in envs], 15)
        steps = row.steps  # the time of the inner steps is subtracted
        bench.add(str(row), (ours - steps * bare, theirs - steps * their_bare), row.target)


def ready(row: Wrapped, env: Any) -> Callable[[], float]:
    """Return a function that measures a step of an environment, after some steps to warm up."""
    action = env.action_space.sample()
    env.reset()
    for _ in range(5):
        env.step(action)
    if not row.renders:
        return partial(per_call, partial(env.step, action))

    def shown() -> None:
        env.step(action)
        env.render()

    return partial(per_call, shown)


def ten_deep(bench: Bench) -> None:
    """Measure ten wrappers around each other, with an environment inside that does nothing."""
    bench.section("Ten wrappers, time of a step")

    def stack(library: Any) -> Any:
        wrappers, env = library.wrappers, environment(library, VECTOR)
        for wrap in [
            partial(wrappers.TimeLimit, max_episode_steps=10**9),
            wrappers.OrderEnforcing,
            partial(wrappers.RescaleObservation, min_obs=-3.0, max_obs=5.0),
            partial(wrappers.DtypeObservation, dtype=np.float64),
            partial(wrappers.ReshapeObservation, shape=(2, 2)),
            wrappers.FlattenObservation,
            wrappers.NormalizeObservation,
            partial(wrappers.DelayObservation, delay=2),
            partial(wrappers.FrameStackObservation, stack_size=4),
            partial(wrappers.ClipReward, min_reward=-1.0, max_reward=1.0),
        ]:
            env = wrap(env)
        env.reset()
        return env

    bench.faster("ten different wrappers", [partial(stack(library).step, 0) for library in LIBRARIES], n=15)


def vectorized(bench: Bench) -> None:
    """Measure the time that each vector wrapper adds to a step of a vector environment."""
    for n in SIZES:
        bench.section(f"Vectorized wrappers over {n} environments: time above the vector step")
        for row in (row for row in ROWS if row.vector):
            bare, ours, their_bare, theirs = bench.rounds([ready(row, env) for env in batches(row, n)], 9)
            if row.steps > 1:  # the time of the inner steps cannot be subtracted here
                bench.add(f"{row}, whole step", (ours, theirs))
            else:
                bench.add(str(row), (ours - bare, theirs - their_bare))


def batches(row: Wrapped, n: int) -> list[Any]:
    """Return bare and wrapped vector environments of both libraries."""
    ours, theirs = LIBRARIES
    if row.vector != "singles":
        envs = []
        for library in LIBRARIES:
            bare, inside = (environments(library, row.kind, n) for _ in range(2))
            envs += [bare, row.around(library, inside, vector=True)]
        return envs
    bare, inside = (ours.vector.SyncVectorEnv([partial(environment, ours, row.kind)] * n) for _ in range(2))
    inside.spec = Spec()
    singles = [partial(environment, theirs, row.kind), lambda: row.around(theirs, environment(theirs, row.kind))]
    return [
        bare,
        row.around(ours, inside, vector=True),
        *(theirs.vector.SyncVectorEnv([single] * n) for single in singles),
    ]
