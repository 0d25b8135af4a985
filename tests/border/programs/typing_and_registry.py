"""Use Gymnasium's classes as type annotations, and read the registries of both libraries."""

import typing
from typing import Any

import gymnasium
import numpy as np

import gymkernel


def run(env: gymnasium.Env[np.ndarray, int], space: "gymnasium.spaces.Box | None" = None) -> gymkernel.Env[Any, Any]:
    return env


class Typed(gymkernel.Env[np.ndarray, int]):
    pass


class Wrapping(gymkernel.Wrapper[np.ndarray, int, np.ndarray, int]):
    pass


class Spaced(gymkernel.Space[np.ndarray]):
    pass


hints = typing.get_type_hints(run)
assert isinstance(gymkernel.make("CartPole-v1"), typing.get_origin(hints["env"]))
assert isinstance(Typed(), gymnasium.Env)
assert issubclass(Wrapping, gymnasium.Wrapper) and issubclass(Spaced, gymnasium.Space)
assert "CartPole-v1" in gymkernel.registry and "CartPole-v1" in gymnasium.registry
assert gymkernel.spec("CartPole-v1").id == gymnasium.spec("CartPole-v1").id
gymkernel.pprint_registry
