"""Protocols and type variables that describe spaces and environments from any library to type checkers.

The protocols are not `runtime_checkable`, because an `isinstance` check of a protocol with seven members takes 21 us.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, SupportsFloat, TypeAlias, overload

import numpy as np

from gymkernel import plugins

if TYPE_CHECKING:
    from typing_extensions import TypeVar
else:

    def TypeVar(name: str, *bounds: Any, default: Any = None, **options: Any) -> typing.TypeVar:  # noqa: N802
        """Create a type variable, ignoring its default (PEP 696), which Python 3.11 does not support."""
        return typing.TypeVar(name, *bounds, **options)


__all__ = ["ActType", "ArrayType", "EnvLike", "FlatType", "Generics", "Info", "Mask", "ObsType", "Operation", "Options"]
__all__ += ["RenderFrame", "Results", "ScalarType", "Seed", "SpaceLike", "T_co", "VectorEnvLike", "Where"]
__all__ += ["WrapperActType", "WrapperObsType"]

FlatType: TypeAlias = np.ndarray[Any, Any] | dict[str, Any] | tuple[Any, ...]
"""The type of a flattened element: an array, or a container of arrays if the elements have no fixed size."""

T_co = TypeVar("T_co", covariant=True, default=Any)
ObsType = TypeVar("ObsType", default=Any)
ActType = TypeVar("ActType", default=Any)
WrapperObsType = TypeVar("WrapperObsType", default=Any)
WrapperActType = TypeVar("WrapperActType", default=Any)
ArrayType = TypeVar("ArrayType", default=Any)
RenderFrame = TypeVar("RenderFrame", default=Any)
ScalarType = TypeVar("ScalarType", bound=np.generic, default=Any)
_P = ParamSpec("_P")
_Function = TypeVar("_Function", bound="Callable[..., Any]")
_ObsCo = TypeVar("_ObsCo", covariant=True, default=Any)
_ActContra = TypeVar("_ActContra", contravariant=True, default=Any)
_ArrayCo = TypeVar("_ArrayCo", covariant=True, default=Any)

Info: TypeAlias = dict[str, Any]
Options: TypeAlias = dict[str, Any] | None
"""The type of the `options` argument of `reset`."""
Seed: TypeAlias = int | Sequence[int | None] | None
"""The type of the `seed` argument of a vector environment's `reset`: the seed of the first environment (the following
environments are seeded with seed + 1, ...), a sequence with one seed per environment, or None to continue with the
current state of each generator."""
Mask: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]
"""The type of a mask that selects environments."""
Results: TypeAlias = tuple[Any, Any, Any, Any, Info]
"""The type of the results of a step of several environments."""
Where: TypeAlias = EllipsisType | Mask
"""The type of a selection of environments: a mask, or an ellipsis for all environments."""


class Generics:
    """A mix-in that makes type arguments optional and lets plugins provide an HTML representation."""

    def _repr_html_(self) -> str | None:
        """Return the HTML that a plugin creates for notebooks, or None to show the `repr`."""
        draw = plugins.load_all("adapters", ["gymkernel.protocols.Generics._repr_html_"], "notebooks show text only")
        return str(draw[0](self)) if draw else None

    if not TYPE_CHECKING:

        def __class_getitem__(cls, types: Any) -> Any:
            """Return the parametrized class, filling in `Any` for omitted type arguments."""
            arguments = types if isinstance(types, tuple) else (types,)
            missing = len(getattr(cls, "__parameters__", ())) - len(arguments)
            return super().__class_getitem__(arguments + (Any,) * missing)


class SpaceLike(Protocol[T_co]):
    """A space from any library, which describes a set of values and can sample from the set."""

    @property
    def shape(self) -> tuple[int, ...] | None: ...
    @property
    def dtype(self) -> np.dtype[Any] | None: ...
    def sample(self) -> T_co: ...
    def seed(self, seed: Any = ...) -> Any: ...
    def contains(self, x: Any) -> bool: ...


class EnvLike(Protocol[_ObsCo, _ActContra]):
    """An environment from any library whose `step` returns five values."""

    @property
    def observation_space(self) -> Any: ...
    @property
    def action_space(self) -> Any: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    @property
    def render_mode(self) -> str | None: ...
    def reset(self, *, seed: int | None = ..., options: dict[str, Any] | None = ...) -> tuple[_ObsCo, Info]: ...
    def step(self, action: _ActContra, /) -> tuple[_ObsCo, SupportsFloat, bool, bool, Info]: ...
    def render(self) -> Any: ...
    def close(self) -> None: ...


class VectorEnvLike(Protocol[_ObsCo, _ActContra, _ArrayCo]):
    """A vector environment from any library, which steps several environments at once."""

    @property
    def num_envs(self) -> int: ...
    @property
    def observation_space(self) -> Any: ...
    @property
    def action_space(self) -> Any: ...
    @property
    def single_observation_space(self) -> Any: ...
    @property
    def single_action_space(self) -> Any: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    def reset(self, *, seed: Any = ..., options: dict[str, Any] | None = ...) -> tuple[_ObsCo, Info]: ...
    def step(self, actions: _ActContra, /) -> tuple[_ObsCo, _ArrayCo, _ArrayCo, _ArrayCo, Info]: ...
    def close(self, **kwargs: Any) -> None: ...


class Operation(Protocol[_P, T_co]):
    """An operation on spaces, a callable for which implementations can be registered by class."""

    __name__: str

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> T_co: ...
    @property
    def registry(self) -> Mapping[type, Callable[..., T_co]]: ...
    @property
    def miss(self) -> Callable[..., T_co]: ...
    def dispatch(self, cls: type, /) -> Callable[..., T_co]: ...
    @overload
    def register(self, cls: type) -> Callable[[_Function], _Function]: ...
    @overload
    def register(self, cls: type, func: _Function) -> _Function: ...
