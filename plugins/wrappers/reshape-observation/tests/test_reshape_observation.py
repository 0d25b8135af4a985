"""Tests of `ReshapeObservation`, in particular the order of the numbers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box
from gymkernel.wrappers import ReshapeObservation

SPACE = Box(np.arange(6), np.arange(6) + 10, dtype=np.int64)


class Shows(Env[Any, Any]):
    """An environment whose observation is the action."""

    def __init__(self, space: Any = SPACE) -> None:
        self.observation_space = space

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@pytest.mark.parametrize("shape, wanted", [((2, 3), (2, 3)), ([3, 1, 2], (3, 1, 2)), (6, (6,)), ((np.int64(6),), (6,))])
def test_values_and_bounds_keep_their_order(shape: Any, wanted: tuple[int, ...]) -> None:
    env = ReshapeObservation(Shows(), shape)
    observation = env.step(np.arange(6))[0]
    assert np.array_equal(observation, np.arange(6).reshape(wanted))
    assert env.observation_space == Box(SPACE.low.reshape(wanted), SPACE.high.reshape(wanted), dtype=np.int64)


def test_zero_dimensional_observation_has_one_value() -> None:
    assert ReshapeObservation(Shows(Box(0, 1, ())), (1, 1)).step(np.float32(0.5))[0].tolist() == [[0.5]]


@pytest.mark.parametrize(
    "shape, kind, message",
    [
        ((2, 2), ValueError, r"^ReshapeObservation expects a shape of 6 elements, like \(6,\), got \(2, 2\) with 4$"),
        ((-1, 6), ValueError, r"^ReshapeObservation expects a shape of integers of at least 0, got \(-1, 6\)$"),
        ((2.0, 3.0), TypeError, r"^ReshapeObservation expects a shape of integers of at least 0, got \(2.0, 3.0\)$"),
    ],
)
def test_incompatible_shapes_are_rejected(shape: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ReshapeObservation(Shows(), shape)


def test_other_spaces_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"^ReshapeObservation expects a Box as observation space, got a word$"):
        ReshapeObservation(Shows("a word"), (1,))


def test_wrapper_is_recreated_from_json() -> None:
    env = Shows()
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    spec = ReshapeObservation(env, (2, 3)).spec
    assert spec is not None
    kwargs = json.loads(json.dumps(spec.additional_wrappers[-1].kwargs))
    assert ReshapeObservation(env, **kwargs).shape == (2, 3)
