"""Tests of `FlattenObservation` with simple spaces. Other tests cover composite spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box, Discrete
from gymkernel.wrappers import FlattenObservation


class Shows(Env[Any, Any]):
    """An environment that always returns the same observation."""

    def __init__(self, space: Any, seen: Any = None) -> None:
        self.observation_space, self.seen = space, seen

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.seen, 0.0, False, False, {}


@pytest.mark.parametrize(
    "space, seen, wanted",
    [
        (Box(0, 9, (2, 2), np.int64), np.array([[1, 2], [3, 4]]), [1, 2, 3, 4]),
        (Box(0, 9, (2, 2), np.float32), np.array([[1, 2], [3, 4]], np.int8), [1, 2, 3, 4]),
        (Box(0, 9, (2,)), [5, 6], [5, 6]),
        (Box(0, 9, ()), np.float32(5), [5]),
        (Discrete(3), 1, [0, 1, 0]),
    ],
    ids=str,
)
def test_observation_is_flattened(space: Any, seen: Any, wanted: list[float]) -> None:
    env = FlattenObservation(Shows(space, seen))
    observation = env.step(0)[0]
    assert observation.tolist() == wanted
    assert observation in env.observation_space


def test_flattened_observation_does_not_share_memory() -> None:
    seen = np.zeros(3, np.float32)
    assert not np.shares_memory(FlattenObservation(Shows(Box(0, 1, (3,)), seen)).step(0)[0], seen)


def test_non_space_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"^flatten_space expects a space, got 'nothing'"):
        FlattenObservation(Shows("nothing"))


def test_spec_contains_the_wrapper() -> None:
    env = Shows(Box(0, 1))
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    spec = FlattenObservation(env).spec
    assert spec is not None
    assert (spec.additional_wrappers[-1].name, spec.additional_wrappers[-1].kwargs) == ("FlattenObservation", {})
