"""What `make` and `make_vec` call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel_env_functional.cartpole import CartPoleFunctional
from gymkernel_env_functional.pendulum import PendulumFunctional
from gymkernel_env_functional.single import FunctionalEnv
from gymkernel_env_functional.vector import FunctionalVectorEnv

if TYPE_CHECKING:
    from gymkernel_env_functional.func_env import FuncEnv

__all__ = ["cartpole", "cartpoles", "pendulum", "pendulums"]


def _single(functions: FuncEnv[Any, Any, Any, Any, Any, Any, Any], render_mode: str | None, constants: Any) -> Any:
    params = functions.get_default_params(**constants) if constants else None
    return FunctionalEnv(functions, None, render_mode, params=params)


def _many(
    functions: FuncEnv[Any, Any, Any, Any, Any, Any, Any],
    num_envs: int,
    max_episode_steps: int | None,
    render_mode: str | None,
    autoreset_mode: Any,
    constants: Any,
) -> Any:
    params = functions.get_default_params(**constants) if constants else None
    return FunctionalVectorEnv(
        functions, num_envs, max_episode_steps, None, render_mode, autoreset_mode=autoreset_mode, params=params
    )


def cartpole(render_mode: str | None = None, **constants: Any) -> Any:
    """CartPole; the constants are those of `CartPoleParams`."""
    return _single(CartPoleFunctional(), render_mode, constants)


def pendulum(render_mode: str | None = None, **constants: Any) -> Any:
    """Pendulum; the constants are those of `PendulumParams`."""
    return _single(PendulumFunctional(), render_mode, constants)


def cartpoles(
    num_envs: int = 1,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    autoreset_mode: Any = "NextStep",
    **constants: Any,
) -> Any:
    """Many of CartPole."""
    return _many(CartPoleFunctional(), num_envs, max_episode_steps, render_mode, autoreset_mode, constants)


def pendulums(
    num_envs: int = 1,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    autoreset_mode: Any = "NextStep",
    **constants: Any,
) -> Any:
    """Many of Pendulum."""
    return _many(PendulumFunctional(), num_envs, max_episode_steps, render_mode, autoreset_mode, constants)
