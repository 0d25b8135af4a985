"""Environments that are written as functions of a state, and classes that turn such functions into an `Env`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymkernel.specs import EnvSpec

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

_MODULE = {
    "CartPoleFunctional": "cartpole",
    "CartPoleParams": "cartpole",
    **dict.fromkeys(("FuncEnv", "ActType", "ObsType", "Params", "RenderStateType", "RewardType"), "func_env"),
    **dict.fromkeys(("StateType", "TerminalType"), "func_env"),
    "FunctionalEnv": "single",
    "FunctionalVectorEnv": "vector",
    "PendulumFunctional": "pendulum",
    "PendulumParams": "pendulum",
}

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


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
