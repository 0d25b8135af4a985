"""Tests of `DelayObservation`, in particular the delayed observations and the initial zeros."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import DelayObservation
from gymkernel.wrappers.utils import create_zero_array


class Counts(Env[Any, Any]):
    """An environment whose observation is the number of all steps so far."""

    def __init__(self) -> None:
        self.observation_space = Numbers()
        self.seen = np.array([9])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.seen = self.seen + 1
        return self.seen, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.seen = self.seen + 1
        return self.seen, 0.0, False, False, {}


class Numbers(Space[Any]):
    """A space of arrays with one number."""


@create_zero_array.register(Numbers)
def _zero(space: Numbers) -> Any:
    return np.array([0])


def episode(env: Any) -> list[int]:
    return [int(env.reset()[0][0])] + [int(env.step(0)[0][0]) for _ in range(3)]


@pytest.mark.parametrize("delay, wanted", [(0, [10, 11, 12, 13]), (1, [0, 10, 11, 12]), (3, [0, 0, 0, 10])])
def test_observations_are_delayed(delay: int, wanted: list[int]) -> None:
    assert episode(DelayObservation(Counts(), delay)) == wanted


def test_episodes_are_independent() -> None:
    env = DelayObservation(Counts(), 2)
    assert episode(env) == [0, 0, 10, 11]
    assert episode(env) == [0, 0, 14, 15]


@pytest.mark.parametrize("delay", [1.0, "1", True])
def test_non_integer_is_rejected(delay: Any) -> None:
    with pytest.raises(TypeError, match=r"^DelayObservation expects delay to be an integer, got"):
        DelayObservation(Counts(), delay)


def test_negative_delay_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^DelayObservation expects delay to be at least 0, got -1$"):
        DelayObservation(Counts(), -1)


def test_spec_contains_the_wrapper_as_json() -> None:
    env = Counts()
    env.spec = EnvSpec("Counts-v0", entry_point=Counts)
    spec = DelayObservation(env, np.int64(3)).spec  # type: ignore[arg-type]
    assert spec is not None
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == {"delay": 3}
