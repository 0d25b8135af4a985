"""The functions that `make` and `make_vec` call to create the registered environments."""

from __future__ import annotations

from functools import partial
from typing import Any

from gymkernel_env_functional.cartpole import CartPoleFunctional
from gymkernel_env_functional.pendulum import PendulumFunctional
from gymkernel_env_functional.single import FunctionalEnv
from gymkernel_env_functional.vector import FunctionalVectorEnv

__all__ = ["cartpole", "cartpoles", "pendulum", "pendulums"]


def _single(kind: Any, render_mode: str | None = None, **constants: Any) -> Any:
    """Create a single environment. Each constant replaces the default value of the parameter with the same name."""
    functions = kind()
    params = functions.get_default_params(**constants) if constants else None
    return FunctionalEnv(functions, None, render_mode, params=params)


def _many(
    kind: Any,
    num_envs: int = 1,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    autoreset_mode: Any = "NextStep",
    **constants: Any,
) -> Any:
    """Create a vector environment. Each constant replaces the default value of the parameter with the same name."""
    functions = kind()
    params = functions.get_default_params(**constants) if constants else None
    return FunctionalVectorEnv(
        functions, num_envs, max_episode_steps, None, render_mode, autoreset_mode=autoreset_mode, params=params
    )


cartpole, cartpoles = partial(_single, CartPoleFunctional), partial(_many, CartPoleFunctional)
pendulum, pendulums = partial(_single, PendulumFunctional), partial(_many, PendulumFunctional)
