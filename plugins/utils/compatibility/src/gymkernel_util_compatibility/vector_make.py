"""The function `gymkernel.vector.make`, for programs that were written for Gym's API of 2022."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gymkernel.making import make_vec
from gymkernel.specs import EnvSpec
from gymkernel.vector_env import VectorEnv

__all__ = ["make"]


def make(
    id: str | EnvSpec,  # noqa: A002 - the name is part of the API
    num_envs: int = 1,
    asynchronous: bool = True,
    wrappers: Callable[[Any], Any] | Iterable[Callable[[Any], Any]] | None = None,
    disable_env_checker: bool | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Create a vector environment. This function exists for older programs; new programs should use `make_vec`.

    Args:
        id: the environment's id or spec.
        num_envs: the number of environments.
        asynchronous: whether to run the environments in worker processes instead of in the calling process.
        wrappers: a function that wraps each environment, or several such functions, which are applied in order.
        disable_env_checker: whether to omit the `PassiveEnvChecker` wrapper.
        **kwargs: keyword arguments to pass to `make` for every environment.
    """
    wrapper_list = [wrappers] if callable(wrappers) else list(wrappers or ())
    if disable_env_checker is not None:
        kwargs["disable_env_checker"] = disable_env_checker
    return make_vec(id, num_envs, "async" if asynchronous else "sync", wrappers=wrapper_list, **kwargs)
