"""The classic control problems: CartPole, one environment or many at once as NumPy arrays."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymkernel.envs.registration import EnvSpec

if TYPE_CHECKING:
    from gymkernel_env_classic_control.cartpole import CartPoleEnv
    from gymkernel_env_classic_control.cartpole_vector import CartPoleVectorEnv

__all__ = ["CARTPOLE_V0", "CARTPOLE_V1", "CartPoleEnv", "CartPoleVectorEnv"]

_MODULE = {"CartPoleEnv": f"{__name__}.cartpole", "CartPoleVectorEnv": f"{__name__}.cartpole_vector"}


def _cartpole(env_id: str, steps: int, threshold: float) -> EnvSpec:
    return EnvSpec(
        env_id,
        entry_point=f"{_MODULE['CartPoleEnv']}:CartPoleEnv",
        vector_entry_point=f"{_MODULE['CartPoleVectorEnv']}:CartPoleVectorEnv",
        max_episode_steps=steps,
        reward_threshold=threshold,
    )


CARTPOLE_V0 = _cartpole("CartPole-v0", 200, 195.0)
CARTPOLE_V1 = _cartpole("CartPole-v1", 500, 475.0)


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE[name]), name)
