"""Tests of `VectorizeTransformObservation`, in which each environment has its own wrapper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel import Env, ObservationWrapper, Space, Wrapper
from gymkernel.vector import VectorEnv
from gymkernel.vector.utils import batch_space, create_empty_array, iterate
from gymkernel.wrappers.vector import VectorizeTransformObservation


class Numbers(Space[Any]):
    """A space of numbers. A batch is an array."""


class Batches(Space[Any]):
    """The space of batches of `Numbers`."""


@batch_space.register(Numbers)
def _batch(space: Any, n: int = 1) -> Any:
    return Batches()


@iterate.register(Batches)
def _iterate(space: Any, items: Any) -> Any:
    return iter(items.tolist())


@create_empty_array.register(Numbers)
def _empty(space: Any, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn(n, dtype=np.int64)


class Counts(VectorEnv[Any, Any, Any]):
    """A vector environment with three environments, which count steps in tens, hundreds and thousands."""

    num_envs = 3
    single_observation_space, observation_space = Numbers(), Batches()
    single_action_space, action_space = Numbers(), Batches()
    time = 0

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.time = 1
        return np.array([10, 100, 1000]), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        self.time += 1
        nothing = np.zeros(3, np.bool_)
        return np.array([10, 100, 1000]) * self.time, np.zeros(3), nothing, nothing, {}


class Plus(ObservationWrapper[Any, Any, Any]):
    """A wrapper that returns the sum of all observations in the episode so far, plus a constant."""

    def __init__(self, env: Any, number: int) -> None:
        super().__init__(env)
        self.number = self.sum = number

    def on_reset(self, where: Any = ...) -> None:
        self.sum = self.number

    def observation(self, observation: Any) -> Any:
        self.sum += observation
        return self.sum


def test_each_environment_has_a_wrapper_with_the_arguments() -> None:
    envs = VectorizeTransformObservation(Counts(), Plus, number=7)
    assert list(envs.reset()[0]) == [17, 107, 1007]
    assert list(envs.step(None)[0]) == [37, 307, 3007]


@pytest.mark.parametrize("wrapper", [Wrapper, Env, lambda env: env])
def test_other_wrappers_are_rejected(wrapper: Any) -> None:
    with pytest.raises(TypeError, match=r"^VectorizeTransformObservation expects a subclass of gymkernel.ObservationW"):
        VectorizeTransformObservation(Counts(), wrapper)
