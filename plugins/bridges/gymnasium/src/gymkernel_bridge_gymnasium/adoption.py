"""Adopt Gymnasium's objects: specs that are passed to `make`, and spaces of environments that are made or wrapped.

The spaces of an environment are converted to gymkernel's spaces when `make` or a backend creates the environment, and
when a wrapper of gymkernel is put around an environment of Gymnasium. A space that a wrapper of Gymnasium sets around
an environment of gymkernel is converted, too. A converted space is an instance of both libraries' classes, and its
elements and the state of its generator stay the same.
"""

from __future__ import annotations

import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec as TheirSpec

from gymkernel.env import Env
from gymkernel.registration import find
from gymkernel.vector_env import VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel.wrapper import Wrapper, adopt
from gymkernel_bridge_gymnasium.hierarchy import is_joined
from gymkernel_bridge_gymnasium.parts import is_converted

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["adopt_spaces"]

SINGLE = ("observation_space", "action_space")
VECTOR = ("single_observation_space", "single_action_space", *SINGLE)
REWARD = ("reward_space",)
"""MO-Gymnasium's space of rewards, on the innermost environment and on its vector environments."""

_converted: dict[int, tuple[weakref.ref[Any], Any]] = {}
"""By the id of each space that still exists: a reference to the space, and the converted space."""


def adopt_spaces(env: Any, names: tuple[str, ...]) -> None:
    """Replace the spaces of an environment by gymkernel's spaces. Spaces that cannot be converted or set are kept.

    Args:
        env: an environment of either library.
        names: the names of the attributes with the spaces.
    """
    for name in names:
        space = getattr(env, name, None)
        if isinstance(space, gymnasium.Space) and not is_converted(space):
            with suppress(Exception):  # third-party spaces and properties may raise anything, and work with Gymnasium
                setattr(env, name, _convert(space))


def _convert(space: Any) -> Any:
    """Convert a space to gymkernel's space. Environments that share a space also share the converted space."""
    key = id(space)
    known = _converted.get(key)
    if known is not None and known[0]() is space:
        return known[1]
    from gymkernel_bridge_gymnasium.conversion import from_gymnasium  # this module imports every kind of space

    converted = from_gymnasium(space)
    with suppress(TypeError):  # the class has slots and does not support weak references
        _converted[key] = weakref.ref(space, lambda _: _converted.pop(key, None)), converted
    return converted


def _adopt_assigned_spaces() -> None:
    """Make wrappers convert each space that they set, unless they and their environments are only Gymnasium's."""
    kinds: tuple[tuple[tuple[Any, ...], type, tuple[str, ...]], ...] = (
        ((Wrapper, gymnasium.Wrapper), Env, SINGLE),
        ((VectorWrapper, gymnasium.vector.VectorWrapper), VectorEnv, VECTOR),
    )
    for wrappers, contract, names in kinds:
        for wrapper in wrappers:
            for name in names:
                setattr(wrapper, name, _converting(vars(wrapper)[name], name, wrapper, contract))


def _converting(attribute: property, name: str, wrapper: type, contract: type) -> property:
    """Return a property whose setter converts the space if the wrapper or an environment inside is gymkernel's."""
    assign: Any = attribute.fset

    def set_space(self: Any, space: Any) -> None:
        assign(self, space)
        env = self
        while isinstance(env, wrapper) and not isinstance(env, contract):
            env = getattr(env, "env", None)
        if isinstance(env, contract):
            adopt_spaces(self, (name,))

    return attribute.setter(set_space)


@adopt.register(gymnasium.Env)
def _adopt_env(env: Any) -> None:
    adopt_spaces(env, SINGLE)
    adopt_spaces(getattr(env, "unwrapped", env), REWARD)


@adopt.register(gymnasium.vector.VectorEnv)
def _adopt_vector_env(env: Any) -> None:
    adopt_spaces(env, (*VECTOR, *REWARD))


@adopt.register(Env)
def _adopt_own_env(env: Any) -> None:
    """Convert the spaces of an environment of gymkernel, whose author may have used Gymnasium's spaces."""
    adopt_spaces(env.unwrapped, SINGLE)
    adopt_spaces(env, SINGLE)


@adopt.register(VectorEnv)
def _adopt_own_vector_env(env: Any) -> None:
    adopt_spaces(env, VECTOR)


@find.register(TheirSpec)
def _spec_from_gymnasium(spec: Any) -> EnvSpec | None:
    """Convert a spec of Gymnasium to a spec of gymkernel."""
    from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

    return spec_from_gymnasium(spec)


if is_joined():
    _adopt_assigned_spaces()
