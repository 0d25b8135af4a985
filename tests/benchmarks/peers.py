"""Vector environments of other installed libraries, adapted to the interface that the benchmarks use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["pufferlib", "stable_baselines3"]


def stable_baselines3(make: Any, n: int) -> dict[str, Any]:
    """Return functions that create the two backends of Stable-Baselines3."""
    try:
        from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv
    except ImportError:
        return {}

    class Adapted:
        def __init__(self, envs: Any) -> None:
            self.envs, self.step, self.close = envs, envs.step, envs.close

        def reset(self, *, seed: int) -> Any:
            self.envs.seed(seed)
            return self.envs.reset()

    try:
        dummy = Adapted(DummyVecEnv([make] * n))
    except NotImplementedError:  # Stable-Baselines3 does not support nested Dict spaces
        return {}
    return {"SB3 dummy": dummy, "SB3 subproc": Adapted(SubprocVecEnv([make] * n, start_method="fork"))}


def pufferlib(make: Any, n: int, cores: int) -> dict[str, Callable[[], Any]]:
    """Return functions that create PufferLib's backends: serial, with one worker, and with one worker per core.

    Close each backend right after its measurement, because its processes keep the cores busy for half a second after
    the last step.
    """
    try:
        from pufferlib.emulation import GymnasiumPufferEnv
        from pufferlib.vector import Multiprocessing, Serial
        from pufferlib.vector import make as vectorized
    except ImportError:
        return {}

    def environment(buf: Any = None, seed: int = 0) -> Any:
        return GymnasiumPufferEnv(env_creator=make, buf=buf, seed=seed)

    def several(workers: int) -> Callable[[], Any]:
        return lambda: vectorized(
            environment, num_envs=n, backend=Multiprocessing, num_workers=workers, batch_size=n, overwork=True
        )

    found: dict[str, Callable[[], Any]] = {
        "PufferLib serial": lambda: vectorized(environment, num_envs=n, backend=Serial)
    }
    for workers in sorted({1, min(cores, n)}):
        found[f"PufferLib {workers} worker{'s' * (workers > 1)}"] = several(workers)
    return found
