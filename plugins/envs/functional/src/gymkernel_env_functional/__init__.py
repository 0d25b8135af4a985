"""Environments that are written as functions of a state, and classes that turn such functions into an `Env`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.specs import EnvSpec
from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_env_functional.cartpole import CartPoleFunctional, CartPoleParams
    from gymkernel_env_functional.func_env import (
        ActType,
        FuncEnv,
        ObsType,
        Params,
        RenderStateType,
        RewardType,
        StateType,
        TerminalType,
    )
    from gymkernel_env_functional.pendulum import PendulumFunctional, PendulumParams
    from gymkernel_env_functional.single import FunctionalEnv
    from gymkernel_env_functional.vector import FunctionalVectorEnv

__all__ = ["CARTPOLE", "PENDULUM", "CartPoleFunctional", "CartPoleParams", "FuncEnv", "FunctionalEnv"]
__all__ += ["FunctionalVectorEnv", "PendulumFunctional", "PendulumParams"]
__all__ += ["ActType", "ObsType", "Params", "RenderStateType", "RewardType", "StateType", "TerminalType"]

__getattr__ = lazy_names(
    __name__,
    cartpole=("CartPoleFunctional", "CartPoleParams"),
    func_env=("FuncEnv", "ActType", "ObsType", "Params", "RenderStateType", "RewardType", "StateType", "TerminalType"),
    pendulum=("PendulumFunctional", "PendulumParams"),
    single=("FunctionalEnv",),
    vector=("FunctionalVectorEnv",),
)

CARTPOLE = EnvSpec(
    "functional/CartPole-v1",
    entry_point=f"{__name__}.registered:cartpole",
    vector_entry_point=f"{__name__}.registered:cartpoles",
    max_episode_steps=500,
    reward_threshold=475.0,
)
PENDULUM = EnvSpec(
    "functional/Pendulum-v1",
    entry_point=f"{__name__}.registered:pendulum",
    vector_entry_point=f"{__name__}.registered:pendulums",
    max_episode_steps=200,
)
