"""Benchmarks of the synchronous backend and of the vectorised CartPole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tests.benchmarks.libraries import IMAGE, LIBRARIES, NESTED, VECTOR, has, noop
from tests.benchmarks.measure import per_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

SIZES = (1, 8, 64, 256)
INFO = {"score": 1.5, "lives": 3}
WORKLOADS: dict[str, tuple[str, dict[str, Any] | None, float]] = {
    "no-op, Box(4)": (VECTOR, None, 3),
    "84x84x4 uint8": (IMAGE, None, 2.5),
    "nested Dict": (NESTED, None, 4),
    "with infos": (VECTOR, INFO, 3),
}


def run(bench: Bench) -> None:
    """Measure the backend with environments that do nothing and with CartPole, and measure the vectorised CartPole."""
    bench.section("SyncVectorEnv, time of a vector step")
    for name, (kind, info, target) in WORKLOADS.items():
        if kind == NESTED and not has("Dict"):
            continue
        for n in SIZES:
            envs = [vector(library, noop(library, kind, info), n) for library in LIBRARIES]
            aim = target if n >= 64 else 2 if n == 1 else None
            bench.add(f"{name}, {n}", bench.rounds([steps(env, n) for env in envs], 9), aim)
            for env in envs:
                env.close()
    for n in SIZES:
        envs = [library.make_vec("CartPole-v1", n, "sync") for library in LIBRARIES]
        bench.add(f"CartPole through make_vec, {n}", bench.rounds([steps(env, n) for env in envs], 9))
    bench.section("CartPole, its vectorised form, time of a vector step")
    for n in SIZES:
        envs = [library.make_vec("CartPole-v1", n, "vector_entry_point") for library in LIBRARIES]
        bench.add(f"{n} environments", bench.rounds([steps(env, n) for env in envs], 15), 1.5 if n > 1 else None)


def vector(library: Any, make: Any, n: int) -> Any:
    """Return a synchronous vector environment of a library."""
    return library.vector.SyncVectorEnv([make] * n)


def steps(envs: Any, n: int) -> Callable[[], float]:
    """Return a function that makes vector steps with precomputed actions."""
    envs.reset(seed=1)
    rows = np.random.default_rng(0).integers(0, 2, (100, n))
    position = 0

    def step() -> None:
        nonlocal position
        position = (position + 1) % 100
        envs.step(rows[position])

    return lambda: per_call(step)
