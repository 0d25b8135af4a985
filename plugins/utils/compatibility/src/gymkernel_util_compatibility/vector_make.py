"""`gymkernel.vector.make`, as it was in 2022."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gymkernel.making import make_vec

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec
    from gymkernel.vector_env import VectorEnv

__all__ = ["make"]


def make(
    id: str | EnvSpec,  # noqa: A002 - the name is part of this API
    num_envs: int = 1,
    asynchronous: bool = True,
    wrappers: Callable[[Any], Any] | Iterable[Callable[[Any], Any]] | None = None,
    disable_env_checker: bool | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Make a vector environment in worker processes, or in this one where not `asynchronous`; see `make_vec`.

    Args:
        id: of the environment, or its spec.
        num_envs: how many.
        asynchronous: whether they are in worker processes.
        wrappers: called on every environment: one, or several in order.
        disable_env_checker: whether `make` leaves out its checker.
        **kwargs: for `make` of every environment.
    """
    each = [wrappers] if callable(wrappers) else list(wrappers or ())
    if disable_env_checker is not None:
        kwargs["disable_env_checker"] = disable_env_checker
    return make_vec(id, num_envs, "async" if asynchronous else "sync", wrappers=each, **kwargs)
