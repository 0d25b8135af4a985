# What type checkers see of making.py: the arguments that most environments take have types here.
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from gymkernel.env import Env
from gymkernel.specs import EnvSpec
from gymkernel.vector_env import VectorEnv

__all__ = ["VectorizeMode", "make", "make_vec"]

class VectorizeMode(Enum):
    ASYNC = "async"
    SYNC = "sync"
    VECTOR_ENTRY_POINT = "vector_entry_point"

def make(
    id: str | EnvSpec,
    max_episode_steps: int | None = None,
    disable_env_checker: bool | None = None,
    *,
    autoreset: bool = False,
    apply_api_compatibility: bool | None = None,
    render_mode: str | None = ...,
    **kwargs: Any,
) -> Env[Any, Any]: ...
def make_vec(
    id: str | EnvSpec,
    num_envs: int = 1,
    vectorization_mode: VectorizeMode | str | None = None,
    vector_kwargs: dict[str, Any] | None = None,
    wrappers: Sequence[Callable[[Any], Any]] | None = None,
    *,
    render_mode: str | None = ...,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]: ...
def _make_one(env_spec: EnvSpec, wrappers: Sequence[Callable[[Any], Any]], kwargs: dict[str, Any]) -> Any: ...
