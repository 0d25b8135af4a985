"""What gymkernel takes of Gymnasium's: specs for `make`, and environments that `make` or a backend has made.

The spaces of such an environment become gymkernel's, and so does a space that a wrapper of Gymnasium's kind sets around
an environment of gymkernel's. A converted space is an instance of both libraries' classes; its elements and the state
of its generator stay the same.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec as TheirSpec

from gymkernel.env import Env
from gymkernel.registration import adopt, find
from gymkernel.space import Space
from gymkernel.vector_env import VectorEnv
from gymkernel_bridge_gymnasium.hierarchy import is_joined

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["adopt_spaces"]

SINGLE = ("observation_space", "action_space")
VECTOR = ("single_observation_space", "single_action_space", *SINGLE)


def adopt_spaces(env: Any, names: tuple[str, ...]) -> None:
    """Replace spaces of an environment by gymkernel's; what cannot be converted or set stays as it is.

    Args:
        env: an environment of Gymnasium's.
        names: the attributes that hold the spaces.
    """
    from gymkernel_bridge_gymnasium.conversion import from_gymnasium

    for name in names:
        space = getattr(env, name, None)
        if isinstance(space, gymnasium.Space) and not isinstance(space, Space):
            with suppress(Exception):  # a space or property of anybody's, with which Gymnasium works
                setattr(env, name, from_gymnasium(space))


def _adopt_assigned_spaces() -> None:
    """Have wrappers of Gymnasium's kind convert each space that they set around an environment of gymkernel's."""
    kinds: tuple[tuple[Any, type, tuple[str, ...]], ...] = (
        (gymnasium.Wrapper, Env, SINGLE),
        (gymnasium.vector.VectorWrapper, VectorEnv, VECTOR),
    )
    for wrapper, contract, names in kinds:
        for name in names:
            setattr(wrapper, name, _converting(vars(wrapper)[name], name, wrapper, contract))


def _converting(attribute: property, name: str, wrapper: Any, contract: type) -> property:
    """Return the property with a setter that converts a space where the wrapped environment is gymkernel's."""
    assign: Any = attribute.fset

    def set_space(self: Any, space: Any) -> None:
        assign(self, space)
        env = getattr(self, "env", None)
        while isinstance(env, wrapper) and not isinstance(env, contract):
            env = env.env
        if isinstance(env, contract):
            adopt_spaces(self, (name,))

    return attribute.setter(set_space)


@adopt.register(gymnasium.Env)
def _adopt_env(env: Any) -> None:
    adopt_spaces(env, SINGLE)


@adopt.register(gymnasium.vector.VectorEnv)
def _adopt_vector_env(env: Any) -> None:
    adopt_spaces(env, VECTOR)


@adopt.register(Env)
@adopt.register(VectorEnv)
def _leave(env: Any) -> None:
    """Leave an environment of gymkernel's as it is, although its class derives from Gymnasium's, too."""


@find.register(TheirSpec)
def _spec_from_gymnasium(spec: Any) -> EnvSpec | None:
    """Return gymkernel's spec of what Gymnasium's spec makes."""
    from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

    return spec_from_gymnasium(spec)


if is_joined():
    _adopt_assigned_spaces()
