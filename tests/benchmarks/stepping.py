"""Benchmarks of a single environment: creating it, stepping it, and the time that each wrapper adds."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.benchmarks.libraries import LIBRARIES, noop
from tests.benchmarks.measure import per_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

STEPS = 2000


def run(bench: Bench) -> None:
    """Measure calls of `make`, the time that each wrapper adds, and steps of CartPole."""
    for library in LIBRARIES:
        library.register("BenchNoop-v0", entry_point=noop(library), max_episode_steps=10**9)
    making(bench)
    layers(bench)
    cartpole(bench)


def making(bench: Bench) -> None:
    bench.section("Making")

    def compare(name: str, call: Callable[[Any], Callable[[], Any]], target: float | None = None) -> None:
        bench.faster(name, [call(library) for library in LIBRARIES], target)

    compare("make CartPole-v1", lambda library: partial(library.make, "CartPole-v1"), 138 / 60)
    compare("make CartPole-v1, reset(seed=1)", lambda library: lambda: library.make("CartPole-v1").reset(seed=1))
    compare("CartPole-v1 reset(seed=1)", lambda library: partial(ready("CartPole-v1", library).reset, seed=1))
    compare("CartPole-v1 reset()", lambda library: ready("CartPole-v1", library).reset)
    compare("no-op reset(seed=1)", lambda library: partial(noop(library)().reset, seed=1), 1.2)


def ready(env_id: str, library: Any, **options: Any) -> Any:
    """Return an environment after its first resets and steps, which the passive checker slows down."""
    env = library.make(env_id, **options)
    for _ in range(5):
        env.reset(seed=1)
        env.step(0)
    return env


def layers(bench: Bench) -> None:
    """Measure the time that each wrapper adds to a step of an environment that does nothing."""
    bench.section("Layers: time above the bare step, as a share of Gymnasium's")

    def wrapped(library: Any, name: str, *arguments: Any) -> Any:
        env = getattr(library.wrappers, name)(noop(library)(), *arguments)
        env.reset()
        return env

    def ten(library: Any) -> Any:
        env = noop(library)()
        for _ in range(10):
            env = library.Wrapper(env)
        return env

    cases: dict[str, tuple[Callable[[Any], Any], float | None, int]] = {
        "make's defaults": (lambda library: ready("BenchNoop-v0", library), 0.4, 1),
        "OrderEnforcing": (lambda library: wrapped(library, "OrderEnforcing"), 0.5, 1),
        "TimeLimit": (lambda library: wrapped(library, "TimeLimit", 10**9), 0.5, 1),
        "a bare Wrapper": (ten, None, 10),
    }
    for name, (make, target, depth) in cases.items():
        envs = [env for library in LIBRARIES for env in (noop(library)(), make(library))]
        times = bench.rounds([partial(per_call, partial(env.step, 0)) for env in envs], 15)
        bench.add(name, ((times[1] - times[0]) / depth, (times[3] - times[2]) / depth), target, share=True)
    deep = [ten(library) for library in LIBRARIES]
    for name in ("observation_space", "unwrapped"):
        read = attrgetter(name)
        bench.faster(f"{name} through ten", [partial(read, env) for env in deep], 8.5)


def cartpole(bench: Bench) -> None:
    """Measure steps of CartPole, including the resets."""
    bench.section("CartPole, time of a step")
    actions = np.random.default_rng(0).integers(0, 2, STEPS)

    def rollout(env: Any) -> Callable[[], float]:
        def episodes() -> None:
            step, reset = env.step, env.reset
            for action in actions:
                _, _, terminated, truncated, _ = step(action)
                if terminated or truncated:
                    reset()

        return lambda: per_call(episodes) / STEPS

    def steps(env: Any) -> Callable[[], float]:
        env.tau = 0.0  # with these actions, the pole never falls
        return lambda: per_call(lambda: env.step(1))

    bare = [ready("CartPole-v1", library).unwrapped for library in LIBRARIES]
    bench.add("bare, steps alone", bench.rounds([steps(env) for env in bare], 15), 6)
    bare = [ready("CartPole-v1", library).unwrapped for library in LIBRARIES]
    bench.add("bare, with resets", bench.rounds([rollout(env) for env in bare], 15), 6)
    made = [ready("CartPole-v1", library) for library in LIBRARIES]
    bench.add("through make, with resets", bench.rounds([rollout(env) for env in made], 15))
