"""What gymkernel takes of Gymnasium's: specs for `make`, and environments that `make` or a backend has made.

The spaces of such an environment become gymkernel's. A converted space is an instance of both libraries' classes; its
elements and the state of its generator stay the same.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec as TheirSpec

from gymkernel import Env, Space
from gymkernel.registration import adopt, find
from gymkernel.vector_env import VectorEnv

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
