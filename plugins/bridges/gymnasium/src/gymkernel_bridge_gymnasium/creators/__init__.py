"""What makes gymkernel's environments for Gymnasium: an object for each id, with the `metadata` of its environment."""

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
    """An id of gymkernel's, with its spec where no plugin provides it; no dataclass, of which JSON would be made."""

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
    """Makes an environment; the limit of steps is Gymnasium's to put on, unless wrappers of the spec go outside of it.

    Args:
        env_id: gymkernel's id.
        spec: its spec, where no plugin provides the id.

    >>> Creator("gymnasium/CartPole-v1")(render_mode="rgb_array").render_mode
    'rgb_array'
    """

    def __call__(self, **kwargs: Any) -> KernelEnv:
        """Make it, with arguments for the environment."""
        spec = self._spec()
        return bridge.KernelEnv(make(spec, None if spec.additional_wrappers else -1, **kwargs))

    def __getattr__(self, name: str) -> Any:
        """`metadata` of the environment, by which `gymnasium.make` finds a wrapper for a render mode."""
        if name != "metadata":
            raise AttributeError(name)
        made_by = self._spec().entry_point
        return (load_env_creator(made_by) if isinstance(made_by, str) else made_by).metadata  # type: ignore[union-attr]


class VectorCreator(_OfId):
    """Makes a vector environment: the environment's own vectorised form, or a backend of gymkernel's.

    Arguments are those of `Creator`.
    """

    def __call__(
        self, num_envs: int = 1, backend: str | None = None, backend_kwargs: Any = None, **kwargs: Any
    ) -> KernelVectorEnv:
        """Make it.

        Args:
            num_envs: number of environments.
            backend: "async", "sync" or another backend of gymkernel's, "vector_entry_point" for the own vectorised
                form; None for that where there is one, else "sync".
            backend_kwargs: arguments of the backend, such as `{"autoreset_mode": "SameStep"}`.
            **kwargs: for every environment.
        """
        return bridge.KernelVectorEnv(make_vec(self._spec(), num_envs, backend, backend_kwargs, **kwargs))
