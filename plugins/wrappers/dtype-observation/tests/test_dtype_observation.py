"""Tests of `DtypeObservation`, in particular the observations and the observation space."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box, MultiDiscrete
from gymkernel.wrappers import DtypeObservation


class Shows(Env[Any, Any]):
    """An environment that always returns the same observation."""

    def __init__(self, space: Any, observation: Any) -> None:
        self.observation_space, self.seen = space, observation

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return self.seen, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.seen, 0.0, False, False, {}


def cast(space: Any, observation: Any, dtype: Any) -> tuple[Any, Any]:
    env = DtypeObservation(Shows(space, observation), dtype)
    assert np.array_equal(env.reset()[0], env.step(0)[0])
    return env.observation_space, env.reset()[0]


class Counts:
    """A Discrete space from another library."""

    n, start, shape = 4, 3, ()

    def __str__(self) -> str:
        return f"of {self.n}"


class Bits:
    """A MultiBinary space from another library."""

    n, shape = 2, (2,)

    def __str__(self) -> str:
        return f"of {self.n}"


@pytest.mark.parametrize(
    "space, seen, dtype, wanted",
    [
        (Box(-1, 1, (2,)), np.array([0.1, 1], np.float32), np.float64, Box(-1, 1, (2,), np.float64)),
        (Box(-4.8, np.inf, (1,), np.float64), np.array([0.1]), "f4", Box(np.float32(-4.8), np.inf, (1,))),
        (Box(-1.5, 300.7, (1,)), np.array([-0.5], np.float32), "i2", Box(-1, 300, (1,), np.int16)),
        (Box(0, 255, (2, 2), np.uint8), np.ones((2, 2), np.uint8), float, Box(0, 255, (2, 2), np.float64)),
        (Box(-2, 2, (1,)), np.ones(1, np.float32), bool, Box(0, 1, (1,), np.bool_)),
        (Box(-1, 1, ()), np.zeros((), np.float32), "f8", Box(-1, 1, (), np.float64)),
        (Counts(), np.int64(5), np.float32, Box(3, 6, ())),
        (Counts(), 5, "u1", Box(3, 6, (), np.uint8)),
        (MultiDiscrete([2, 3], start=[1, 2]), np.array([1, 4]), "i4", MultiDiscrete([2, 3], np.int32, start=[1, 2])),
        (MultiDiscrete([2, 3]), np.array([1, 2]), "f4", Box(np.array([0, 0]), np.array([1, 2]))),
        (Bits(), np.array([0, 1], np.int8), "f4", Box(0, 1, (2,))),
    ],
    ids=lambda value: f"{type(value).__name__} {value}",
)
def test_observations_and_space_have_the_dtype(space: Any, seen: Any, dtype: Any, wanted: Any) -> None:
    got, observation = cast(space, seen, dtype)
    assert got == wanted
    assert observation in wanted
    assert np.array_equal(observation, np.asarray(seen).astype(dtype))


def test_observation_does_not_share_memory() -> None:
    seen = np.zeros(2, np.float32)
    assert not np.shares_memory(cast(Box(-1, 1, (2,)), seen, np.float32)[1], seen)


def test_bounds_outside_the_dtype_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"^DtypeObservation cannot cast observations of Box\(-1.0, .* to uint8: "):
        cast(Box(-1, 1), None, np.uint8)


def test_other_spaces_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"^DtypeObservation expects a Box, Discrete, .* space, got a word$"):
        cast("a word", None, np.uint8)


def test_spec_contains_the_wrapper_as_json() -> None:
    env = Shows(Box(-1, 1), None)
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    spec = DtypeObservation(env, np.float64).spec
    assert spec is not None
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == {"dtype": "float64"}


def test_invalid_dtype_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^DtypeObservation expects a dtype such as np.float32, got None$"):
        cast(Box(0, 1), np.zeros(1, np.float32), None)
