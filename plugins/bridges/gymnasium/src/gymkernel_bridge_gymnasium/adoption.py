"""Functions that automatically convert Gymnasium specs that are passed to `make`, and environments' spaces.

An environment's spaces are converted to gymkernel's spaces when `make` or a backend creates the environment, and when a
gymkernel wrapper is applied to a Gymnasium environment. If a Gymnasium wrapper around a gymkernel environment sets a
space, that space is converted, too. A converted space is an instance of both libraries' classes. Its elements and the
state of its random number generator stay the same.
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
"""The names of the attributes in which MO-Gymnasium's environments and vector environments store the reward space."""

_converted: dict[int, tuple[weakref.ref[Any], Any]] = {}
"""Maps the `id()` of each space that still exists to a weak reference to the space and the converted space."""


def adopt_spaces(env: Any, names: tuple[str, ...]) -> None:
    """Replace an environment's spaces with gymkernel's spaces. Spaces that cannot be converted or set are not changed.

    Args:
        env: an environment from either library.
        names: the names of the attributes that contain the spaces.
    """
    for name in names:
        space = getattr(env, name, None)
        if isinstance(space, gymnasium.Space) and not is_converted(space):
            with suppress(Exception):  # third-party code may raise any exception, and the original space still works
                setattr(env, name, _convert(space))


def _convert(space: Any) -> Any:
    """Convert a space to a gymkernel space. If environments share a space, they also share the converted space."""
    key = id(space)
    known = _converted.get(key)
    if known is not None and known[0]() is space:
        return known[1]
    # This import also imports all space classes.
    from gymkernel_bridge_gymnasium.conversion import from_gymnasium

    converted = from_gymnasium(space)
    with suppress(TypeError):  # a class with slots may not support weak references
        _converted[key] = weakref.ref(space, lambda _: _converted.pop(key, None)), converted
    return converted


def _adopt_assigned_spaces() -> None:
    """Make a wrapper convert each space that it sets if the wrapper or anything inside it belongs to gymkernel."""
    kinds: tuple[tuple[tuple[Any, ...], type, tuple[str, ...]], ...] = (
        ((Wrapper, gymnasium.Wrapper), Env, SINGLE),
        ((VectorWrapper, gymnasium.vector.VectorWrapper), VectorEnv, VECTOR),
    )
    for wrappers, contract, names in kinds:
        for wrapper in wrappers:
            for name in names:
                setattr(wrapper, name, _converting(vars(wrapper)[name], name, wrapper, contract))


def _converting(attribute: property, name: str, wrapper: type, contract: type) -> property:
    """Return a property whose setter converts the space if the wrapper or anything inside it belongs to gymkernel."""
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
    """Convert the spaces of a gymkernel environment, whose author may have used Gymnasium's spaces."""
    adopt_spaces(env.unwrapped, SINGLE)
    adopt_spaces(env, SINGLE)


@adopt.register(VectorEnv)
def _adopt_own_vector_env(env: Any) -> None:
    adopt_spaces(env, VECTOR)


@find.register(TheirSpec)
def _spec_from_gymnasium(spec: Any) -> EnvSpec | None:
    """Convert a Gymnasium spec to a gymkernel spec."""
    from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

    return spec_from_gymnasium(spec)


if is_joined():
    _adopt_assigned_spaces()
