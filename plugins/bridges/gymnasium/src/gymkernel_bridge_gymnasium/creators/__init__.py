"""Callable objects that Gymnasium uses as entry points to create gymkernel's environments, one per id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymkernel_bridge_gymnasium as bridge
from gymkernel.making import make, make_vec
from gymkernel.registration import load_env_creator
from gymkernel.registration import spec as spec_of

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec
    from gymkernel_bridge_gymnasium.outward import KernelEnv, KernelVectorEnv

__all__ = ["Creator", "VectorCreator"]


class _OfId:
    """The base class of entry points for a gymkernel id. They store the spec as well if no plugin provides the id.

    This class is not a dataclass, because Gymnasium would convert a dataclass to JSON.
    """

    def __init__(self, env_id: str, spec: EnvSpec | None = None) -> None:
        self.env_id, self.spec = env_id, spec

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.env_id!r})"

    def _spec(self) -> EnvSpec:
        return spec_of(self.env_id) if self.spec is None else self.spec


class Creator(_OfId):
    """An entry point that creates an environment without a time limit, because Gymnasium adds the time limit.

    If the spec contains additional wrappers, which must be outside the time limit, gymkernel adds the time limit
    instead.

    Args:
        env_id: the environment's id in gymkernel.
        spec: the environment's spec; None if a plugin provides the id.

    >>> Creator("gymnasium/CartPole-v1")(render_mode="rgb_array").render_mode
    'rgb_array'
    """

    def __call__(self, **kwargs: Any) -> KernelEnv:
        """Create the environment.

        Args:
            **kwargs: keyword arguments for the environment's constructor.
        """
        spec = self._spec()
        return bridge.KernelEnv(make(spec, None if spec.additional_wrappers else -1, **kwargs))

    def __getattr__(self, name: str) -> Any:
        """Return the environment's `metadata`, which `gymnasium.make` reads to choose a wrapper for a render mode."""
        if name != "metadata":
            raise AttributeError(name)
        entry_point = self._spec().entry_point
        creator = load_env_creator(entry_point) if isinstance(entry_point, str) else entry_point
        return creator.metadata  # type: ignore[union-attr]


class VectorCreator(_OfId):
    """An entry point that creates an environment's own vector environment, or one from a gymkernel backend.

    It takes the same arguments as `Creator`.
    """

    def __call__(
        self, num_envs: int = 1, backend: str | None = None, backend_kwargs: Any = None, **kwargs: Any
    ) -> KernelVectorEnv:
        """Create the vector environment.

        Args:
            num_envs: the number of environments.
            backend: "async", "sync" or another gymkernel backend, or "vector_entry_point" for the environment's own
                vector environment. None uses the environment's own vector environment if there is one, and "sync"
                otherwise.
            backend_kwargs: keyword arguments for the backend, such as `{"autoreset_mode": "SameStep"}`.
            **kwargs: keyword arguments for each environment.
        """
        return bridge.KernelVectorEnv(make_vec(self._spec(), num_envs, backend, backend_kwargs, **kwargs))
