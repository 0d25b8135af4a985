"""Entry points with which Gymnasium makes gymkernel's environments: an object for each id."""

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
    """An id of gymkernel, with its spec if no plugin provides the id.

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
    """An entry point that makes an environment without a time limit, because Gymnasium adds the time limit.

    If the spec has additional wrappers, which must be outside of the time limit, gymkernel adds the time limit.

    Args:
        env_id: the id in gymkernel.
        spec: the spec, if no plugin provides the id.

    >>> Creator("gymnasium/CartPole-v1")(render_mode="rgb_array").render_mode
    'rgb_array'
    """

    def __call__(self, **kwargs: Any) -> KernelEnv:
        """Make the environment.

        Args:
            **kwargs: keyword arguments of the environment.
        """
        spec = self._spec()
        return bridge.KernelEnv(make(spec, None if spec.additional_wrappers else -1, **kwargs))

    def __getattr__(self, name: str) -> Any:
        """Return the `metadata` of the environment, from which `gymnasium.make` chooses a wrapper for a render mode."""
        if name != "metadata":
            raise AttributeError(name)
        entry_point = self._spec().entry_point
        creator = load_env_creator(entry_point) if isinstance(entry_point, str) else entry_point
        return creator.metadata  # type: ignore[union-attr]


class VectorCreator(_OfId):
    """An entry point that makes a vector environment: the environment's own vectorised form, or a backend of gymkernel.

    The arguments are those of `Creator`.
    """

    def __call__(
        self, num_envs: int = 1, backend: str | None = None, backend_kwargs: Any = None, **kwargs: Any
    ) -> KernelVectorEnv:
        """Make the vector environment.

        Args:
            num_envs: the number of environments.
            backend: "async", "sync" or another backend of gymkernel, or "vector_entry_point" for the environment's own
                vectorised form. None uses the vectorised form if there is one, and "sync" otherwise.
            backend_kwargs: keyword arguments of the backend, such as `{"autoreset_mode": "SameStep"}`.
            **kwargs: keyword arguments of every environment.
        """
        return bridge.KernelVectorEnv(make_vec(self._spec(), num_envs, backend, backend_kwargs, **kwargs))
