"""Static protocols and type variables: what a type checker asks of spaces and environments, whoever wrote them.

None is `runtime_checkable` (7 members cost 21 us a call): at run time, things are used as they are given.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, SupportsFloat, TypeAlias, overload

import numpy as np

from gymkernel import plugins

if TYPE_CHECKING:
    from typing_extensions import TypeVar
else:

    def TypeVar(name: str, *bounds: Any, default: Any = None, **options: Any) -> typing.TypeVar:  # noqa: N802
        """A type variable whose default (PEP 696) is for type checkers alone: Python 3.11 has none."""
        return typing.TypeVar(name, *bounds, **options)


__all__ = ["ActType", "ArrayType", "EnvLike", "FlatType", "Generics", "Info", "Mask", "ObsType", "Operation", "Options"]
__all__ += ["RenderFrame", "ScalarType", "Seed", "SpaceLike", "T_co", "VectorEnvLike", "WrapperActType"]
__all__ += ["WrapperObsType"]

FlatType: TypeAlias = np.ndarray[Any, Any] | dict[str, Any] | tuple[Any, ...]
"""What `flatten` returns: an array, or containers of arrays where a space has parts that are no arrays."""

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

Info: TypeAlias = dict[str, Any]
Options: TypeAlias = dict[str, Any] | None
"""What `reset` is given beside a seed."""
Seed: TypeAlias = int | Sequence[int | None] | None
"""Of several environments: for the first of them, each other's is one more; or one for each; None to go on."""
Mask: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]
"""Which of several environments are meant."""


class Generics:
    """Mix-in of spaces and environments: omitted type arguments are `Any`, and a plugin draws for notebooks."""

    def _repr_html_(self) -> str | None:
        """Return what the adapter of this method draws; without one, a notebook shows the `repr`."""
        draw = plugins.load_all("adapters", ["gymkernel.protocols.Generics._repr_html_"], "notebooks show text alone")
        return str(draw[0](self)) if draw else None

    if not TYPE_CHECKING:

        def __class_getitem__(cls, types: Any) -> Any:
            """Fill up with `Any`."""
            given = types if isinstance(types, tuple) else (types,)
            absent = len(getattr(cls, "__parameters__", ())) - len(given)
            return super().__class_getitem__(given + (Any,) * absent)


class SpaceLike(Protocol[T_co]):
    """Anything that describes a set of values and can draw from it."""

    @property
    def shape(self) -> tuple[int, ...] | None: ...
    @property
    def dtype(self) -> np.dtype[Any] | None: ...
    def sample(self) -> T_co: ...
    def seed(self, seed: Any = ...) -> Any: ...
    def contains(self, x: Any) -> bool: ...


class EnvLike(Protocol[_ObsCo, _ActContra]):
    """Anything with the five-value step API, of any library."""

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


class VectorEnvLike(Protocol[_ObsCo, _ActContra]):
    """Anything that steps several environments at once."""

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
    def step(self, actions: _ActContra, /) -> tuple[_ObsCo, Any, Any, Any, Info]: ...
    def close(self, **kwargs: Any) -> None: ...


class Operation(Protocol[_P, T_co]):
    """A table of one operation on spaces: call it, or register a function for a class of spaces."""

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
