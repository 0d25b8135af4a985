"""Functions that make each gymkernel class derive from its counterpart in Gymnasium, if there is one.

`join` adds the base classes. `gymkernel_bridge_gymnasium.companion` calls `join` when both libraries are imported. A
space, wrapper or backend class that is imported later gets its base when it is defined.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from typing import Any

import gymnasium
from gymnasium.envs import registration as their_registration

from gymkernel import core, error, plugins, specs
from gymkernel import vector_wrapper as vector_wrappers
from gymkernel.env import Env
from gymkernel.making import VectorizeMode
from gymkernel.space import Space
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel_bridge_gymnasium.bases import Bases, subclasses
from gymkernel_bridge_gymnasium.dispatch import register_class
from gymkernel_bridge_gymnasium.errors import create_ours

__all__ = ["is_joined", "join"]

CORE = ("Env", "Wrapper", "ObservationWrapper", "ActionWrapper", "RewardWrapper")
VECTOR = ("VectorEnv", "VectorWrapper", "VectorObservationWrapper", "VectorActionWrapper", "VectorRewardWrapper")
SPECS = ("EnvSpec", "WrapperSpec")
CONTRACTS: dict[type, type] = {
    Space: gymnasium.Space,
    Env: gymnasium.Env,
    VectorEnv: gymnasium.vector.VectorEnv,
    **{getattr(core, name): getattr(gymnasium, name) for name in CORE[1:]},
    **{getattr(vector_wrappers, name): getattr(gymnasium.vector, name) for name in VECTOR[1:]},
}
"""Maps gymkernel's abstract base classes, such as `Env` and `Space`, to their counterparts in Gymnasium."""
ENUMS: tuple[tuple[type[Enum], type[Enum]], ...] = (
    (AutoresetMode, gymnasium.vector.AutoresetMode),
    (VectorizeMode, gymnasium.VectorizeMode),
)

_joined = False


def is_joined() -> bool:
    """Return whether gymkernel's classes derive from Gymnasium's in this process."""
    return _joined


def join() -> None:
    """Add Gymnasium's classes to the bases of gymkernel's classes. If this fails, undo all changes and warn."""
    global _joined  # noqa: PLW0603 - the state belongs to the process
    if _joined:
        return
    bases = Bases()
    try:
        for ours, theirs in _pairs():
            bases.add(ours, theirs)
        for cls in [cls for contract in (Space, Env, VectorEnv) for cls in subclasses(contract)]:
            _add_counterpart(cls, bases)
            _name_contract(cls, bases)
        for ours, theirs in ENUMS:
            bases.replace(ours, theirs)
    except TypeError as exc:
        bases.restore()
        warnings.warn(
            f"gymkernel's classes do not derive from Gymnasium's classes: {exc}{_wrong_order_hint()}", stacklevel=2
        )
        return
    for ours, theirs in ENUMS:
        _equate(ours, theirs)
    create_ours({theirs: ours for ours, theirs in _errors()})
    _joined = True


def _pairs() -> Iterator[tuple[type, type]]:
    """Yield pairs of a gymkernel class (an abstract base, wrapper, spec or error) and its counterpart in Gymnasium."""
    yield from (CONTRACTS | {Space: JoinedSpace, Env: JoinedEnv, VectorEnv: JoinedVectorEnv}).items()
    yield from ((getattr(specs, name), getattr(their_registration, name)) for name in SPECS)
    yield from _errors()


def _errors() -> Iterator[tuple[type, type]]:
    """Yield pairs of a gymkernel error class and its counterpart in Gymnasium."""
    for name, theirs in inspect.getmembers(gymnasium.error, inspect.isclass):
        ours = getattr(error, name, None)
        if ours is not None and issubclass(ours, error.Error):
            yield ours, theirs


def _add_counterpart(cls: type, bases: Bases) -> None:
    """Add the Gymnasium class of the same kind and name, if there is one, to the bases of a class."""
    if not cls.__module__.startswith("gymkernel_"):
        return
    home: Any
    if issubclass(cls, Space):
        kind, home = "spaces", gymnasium.spaces
    elif issubclass(cls, vector_wrappers.VectorWrapper):
        kind, home = "vector_wrappers", gymnasium.wrappers.vector
    elif issubclass(cls, VectorEnv):
        kind, home = "vector", gymnasium.vector
    else:
        kind, home = "wrappers", gymnasium.wrappers
    package = cls.__module__.partition(".")[0]
    providers = plugins.providers(kind, cls.__name__)
    if not any(provider.value.replace(":", ".").startswith(f"{package}.") for provider in providers):
        return
    changed: Any = cls
    has_finalizer = hasattr(cls, "__del__")
    with suppress(AttributeError, ImportError, gymnasium.error.DependencyNotInstalled):
        # Reading this attribute may import an array library.
        theirs = getattr(home, cls.__name__)
        bases.add(cls, theirs)
    if hasattr(cls, "__del__") and not has_finalizer:
        # Gymnasium's `__del__` method would warn about lost data.
        changed.__del__ = lambda _self: None
    if kind == "spaces":
        register_class(cls)
    if cls.__name__ == "Graph":
        bases.replace(vars(sys.modules[cls.__module__])["GraphInstance"], gymnasium.spaces.GraphInstance)


def _name_contract(cls: type, bases: Bases) -> None:
    """Make Gymnasium's abstract base class a direct base of a class that derives directly from gymkernel's.

    For classes in gymkernel's own distributions, deriving indirectly is sufficient.
    """
    is_part = cls.__module__.startswith("gymkernel_") and not any(base in CONTRACTS.values() for base in cls.__bases__)
    for base in cls.__bases__:
        mro = base.__mro__ if is_part else (base,)
        theirs = next((CONTRACTS[parent] for parent in mro if parent in CONTRACTS), None)
        if theirs is not None:
            bases.name(cls, theirs, after=base)


def _equate(ours: type[Enum], theirs: type[Enum]) -> None:
    """Make members of two enums with equal values compare equal, and let each enum accept the other enum's members."""

    def equals(self: Enum, other: object) -> Any:
        return self.value == other.value if isinstance(other, theirs) else NotImplemented

    changed: Any = ours
    changed.__eq__, changed.__hash__ = equals, Enum.__hash__
    changed._missing_ = classmethod(lambda cls, value: cls(value.value) if isinstance(value, theirs) else None)
    for member in ours:
        theirs._value2member_map_[member] = theirs(member.value)


def _wrong_order_hint() -> str:
    """Return a hint that names a class with bases from both libraries in the wrong order, or "" if there is none."""
    for cls in subclasses(Env):
        if issubclass(cls, gymnasium.Env):
            return f" (see {cls.__module__}.{cls.__qualname__}: write gymkernel's class before Gymnasium's)"
    return ""


class Joining:
    """A mix-in that adds the counterpart in Gymnasium to the bases of each class that is defined later."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Add the Gymnasium class of the same name to the bases of a new class from gymkernel's own distributions."""
        super().__init_subclass__(**kwargs)
        _add_counterpart(cls, Bases())
        _name_contract(cls, Bases())


class JoinedSpace(Joining, gymnasium.Space[Any]):
    """The class that is added to the bases of `gymkernel.Space`."""


class JoinedEnv(Joining, gymnasium.Env[Any, Any]):
    """The class that is added to the bases of `gymkernel.Env`."""


class JoinedVectorEnv(Joining, gymnasium.vector.VectorEnv[Any, Any, Any]):
    """The class that is added to the bases of `gymkernel.vector.VectorEnv`."""

    if hasattr(gymnasium.vector.VectorEnv, "__del__"):

        def __del__(self) -> None:
            """Do nothing, because in Gymnasium before 1.4, deleting a wrapper closes the wrapped environment."""
