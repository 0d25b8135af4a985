"""Tests of `RescaleObservation`. The tests of `rescale_box` cover the calculation."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box
from gymkernel.wrappers import RescaleObservation


class Shows(Env[Any, Any]):
    """An environment whose observation is the action."""

    def __init__(self, space: Any) -> None:
        self.observation_space = space

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


def test_bounds_map_to_bounds() -> None:
    env = RescaleObservation(
        Shows(Box(np.array([0.0, -2.0]), np.array([4.0, 2.0]), dtype=np.float64)), [-1, 0], [1, 10]
    )
    assert env.step(np.array([0.0, -2.0]))[0].tolist() == [-1, 0]
    assert env.step(np.array([4.0, 2.0]))[0].tolist() == [1, 10]
    assert env.step(np.array([2.0, 0.0]))[0].tolist() == [0, 5]


def test_space_has_new_bounds_and_old_dtype() -> None:
    env = RescaleObservation(Shows(Box(0, 4, (2,))), -1, np.array([1, 2]))
    assert env.observation_space == Box(np.array([-1, -1], "f4"), np.array([1, 2], "f4"))
    assert env.step(np.ones(2, np.float32))[0].dtype == np.float32


def test_other_spaces_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"^RescaleObservation expects a Box as observation space, got a word$"):
        RescaleObservation(Shows("a word"), 0, 1)


def test_half_infinite_bounds_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"expects new_max to be infinite exactly where the old bound is"):
        RescaleObservation(Shows(Box(0, np.inf)), 0, 1)


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (np.zeros(2), np.ones(2)), (np.float32(0), [1, 2])])
def test_wrapper_is_recreated_from_json(bounds: Any) -> None:
    env = Shows(Box(0, 4, (2,)))
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    wrapped = RescaleObservation(env, *bounds)
    assert wrapped.spec is not None
    kwargs = json.loads(json.dumps(wrapped.spec.additional_wrappers[-1].kwargs))
    assert RescaleObservation(env, **kwargs).observation_space == wrapped.observation_space
