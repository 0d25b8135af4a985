"""The installed vector backends, by name, and the bases of vector environments and of wrappers around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade
from gymkernel.vector import utils
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorActionWrapper, VectorObservationWrapper, VectorRewardWrapper, VectorWrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gymkernel.specs import EnvSpec

__getattr__, __dir__ = facade(__name__, "vector", globals())


def make(
    id: str | EnvSpec,  # noqa: A002 - the name is part of this API
    num_envs: int = 1,
    asynchronous: bool = True,
    wrappers: Callable[[Any], Any] | Iterable[Callable[[Any], Any]] | None = None,
    disable_env_checker: bool | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Make a vector environment in worker processes, or in this one where not `asynchronous`; see `make_vec`.

    `wrappers` is called on every environment, one or several in order; `kwargs` are for `make` of every environment.
    """
    from gymkernel.making import make_vec

    each = [wrappers] if callable(wrappers) else list(wrappers or ())
    if disable_env_checker is not None:
        kwargs["disable_env_checker"] = disable_env_checker
    return make_vec(id, num_envs, "async" if asynchronous else "sync", wrappers=each, **kwargs)
