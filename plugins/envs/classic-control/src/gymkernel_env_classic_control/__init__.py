"""The classic control environments, each as a single environment and as a vector environment that uses NumPy arrays."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymkernel.specs import EnvSpec

if TYPE_CHECKING:
    from gymkernel_env_classic_control.acrobot import AcrobotEnv
    from gymkernel_env_classic_control.acrobot_vector import AcrobotVectorEnv
    from gymkernel_env_classic_control.cartpole import CartPoleEnv
    from gymkernel_env_classic_control.cartpole_vector import CartPoleVectorEnv
    from gymkernel_env_classic_control.continuous_mountain_car import Continuous_MountainCarEnv
    from gymkernel_env_classic_control.mountain_car import MountainCarEnv
    from gymkernel_env_classic_control.mountain_car_vector import MountainCarContinuousVectorEnv, MountainCarVectorEnv
    from gymkernel_env_classic_control.pendulum import PendulumEnv
    from gymkernel_env_classic_control.pendulum_vector import PendulumVectorEnv

__all__ = ["ACROBOT_V1", "CARTPOLE_V0", "CARTPOLE_V1", "MOUNTAIN_CAR_CONTINUOUS_V0", "MOUNTAIN_CAR_V0", "PENDULUM_V1"]
__all__ += ["AcrobotEnv", "AcrobotVectorEnv", "CartPoleEnv", "CartPoleVectorEnv", "Continuous_MountainCarEnv"]
__all__ += ["MountainCarContinuousVectorEnv", "MountainCarEnv", "MountainCarVectorEnv", "PendulumEnv"]
__all__ += ["PendulumVectorEnv"]

_MODULE = {
    "AcrobotEnv": "acrobot",
    "AcrobotVectorEnv": "acrobot_vector",
    "CartPoleEnv": "cartpole",
    "CartPoleVectorEnv": "cartpole_vector",
    "Continuous_MountainCarEnv": "continuous_mountain_car",
    "MountainCarContinuousVectorEnv": "mountain_car_vector",
    "MountainCarEnv": "mountain_car",
    "MountainCarVectorEnv": "mountain_car_vector",
    "PendulumEnv": "pendulum",
    "PendulumVectorEnv": "pendulum_vector",
}


def _spec(env_id: str, single: str, vector: str, steps: int, threshold: float | None = None) -> EnvSpec:
    return EnvSpec(
        env_id,
        entry_point=f"{__name__}.{_MODULE[single]}:{single}",
        vector_entry_point=f"{__name__}.{_MODULE[vector]}:{vector}",
        max_episode_steps=steps,
        reward_threshold=threshold,
    )


CARTPOLE_V0 = _spec("CartPole-v0", "CartPoleEnv", "CartPoleVectorEnv", 200, 195.0)
CARTPOLE_V1 = _spec("CartPole-v1", "CartPoleEnv", "CartPoleVectorEnv", 500, 475.0)
MOUNTAIN_CAR_V0 = _spec("MountainCar-v0", "MountainCarEnv", "MountainCarVectorEnv", 200, -110.0)
MOUNTAIN_CAR_CONTINUOUS_V0 = _spec(
    "MountainCarContinuous-v0", "Continuous_MountainCarEnv", "MountainCarContinuousVectorEnv", 999, 90.0
)
PENDULUM_V1 = _spec("Pendulum-v1", "PendulumEnv", "PendulumVectorEnv", 200)
ACROBOT_V1 = _spec("Acrobot-v1", "AcrobotEnv", "AcrobotVectorEnv", 500, -100.0)


def __getattr__(name: str) -> Any:
    """Import a name from this package, or a module of this package, when it is first used."""
    if name in {*_MODULE.values(), "utils"}:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
