"""Tests of `to_dm_env`, including the test suite that dm_env provides for environments."""

from __future__ import annotations

from typing import Any

import dm_env
import numpy as np
import pytest
from absl.testing import absltest
from dm_env import specs, test_utils

import gymkernel as gym
from gymkernel_bridge_dm_env import to_dm_env
from gymkernel_bridge_dm_env.outward import spec_of
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete
from gymkernel_space_multi_binary import MultiBinary
from gymkernel_space_multi_discrete import MultiDiscrete
from gymkernel_space_text import Text
from gymkernel_space_tuple import Tuple

NESTED = Dict(
    {
        "image": Box(0, 255, (2, 2), np.uint8),
        "pair": Tuple([Discrete(3), Discrete(3, start=-1)]),
        "switches": MultiBinary(3),
        "dials": MultiDiscrete([3, 4], start=[1, 0]),
        "word": Text(5),
    }
)


class Walk(gym.Env[Any, Any]):
    """A gymkernel environment with the given spaces, whose episodes end after a fixed number of steps.

    Args:
        observation_space: the observation space.
        action_space: the action space.
        end: the number of steps in an episode.
        truncates: whether episodes are truncated instead of terminated.
    """

    def __init__(self, observation_space: Any, action_space: Any, end: int = 5, truncates: bool = False) -> None:
        self.observation_space, self.action_space = observation_space, action_space
        self._end, self._truncates, self._steps = end, truncates, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self.observation_space.seed(seed)
        self._steps = 0
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert action in self.action_space
        self._steps += 1
        is_over = self._steps == self._end
        return self.observation_space.sample(), 1, is_over and not self._truncates, is_over and self._truncates, {}


class Conformance(test_utils.EnvironmentTestMixin, absltest.TestCase):  # type: ignore[misc,name-defined,unused-ignore]
    """dm_env's test suite for environments, applied to an environment whose episodes terminate."""

    __test__ = True

    def make_object_under_test(self) -> Any:
        return to_dm_env(Walk(Box(-1, 1, (3,)), Discrete(3)))


class ConformanceOfTruncation(Conformance):
    def make_object_under_test(self) -> Any:
        return to_dm_env(Walk(Box(-np.inf, np.inf, (3,), np.float64), Box(-1, 1, (2,)), truncates=True))


class ConformanceOfNestedSpaces(Conformance):
    def make_object_under_test(self) -> Any:
        parts = Dict({"pair": NESTED["pair"], "switches": NESTED["switches"], "dials": NESTED["dials"]})
        return to_dm_env(Walk(NESTED, parts))


@pytest.mark.parametrize("truncates, discount", [(False, 0.0), (True, 1.0)], ids=["terminated", "truncated"])
def test_last_step_has_the_correct_discount(truncates: bool, discount: float) -> None:
    env = to_dm_env(Walk(Box(-1, 1), Discrete(2), end=2, truncates=truncates))
    steps = [env.reset(), env.step(0), env.step(1), env.step(1)]

    assert [step.step_type for step in steps] == [dm_env.StepType(kind) for kind in (0, 1, 2, 0)]
    assert [step.discount for step in steps] == [None, 1.0, discount, None]


def test_both_ends_are_a_termination() -> None:
    class Both(Walk):
        def step(self, action: Any) -> Any:
            observation, reward, *_, info = super().step(action)
            return observation, reward, True, True, info

    env = to_dm_env(Both(Box(-1, 1), Discrete(2)))
    env.reset()

    assert env.step(0).discount == 0.0


def test_seed_is_used_in_the_first_reset() -> None:
    first, again = (to_dm_env(Walk(Box(-1, 1, (3,)), Discrete(2)), seed=4) for _ in range(2))

    assert np.array_equal(first.reset().observation, again.reset().observation)


@pytest.mark.parametrize(
    "space, spec",
    [
        (Discrete(3), specs.DiscreteArray(3, np.int64, "x")),
        (Discrete(3, start=2), specs.BoundedArray((), np.int64, 2, 4, "x")),
        (Box(-1, 1, (2,)), specs.BoundedArray((2,), np.float32, -1, 1, "x")),
        (Box(-np.inf, np.inf, (2,)), specs.Array((2,), np.float32, "x")),
        (MultiBinary(2), specs.BoundedArray((2,), np.int8, 0, 1, "x")),
        (MultiDiscrete([2, 3]), specs.BoundedArray((2,), np.int64, 0, [1, 2], "x")),
    ],
    ids=str,
)
def test_space_is_converted_to_its_spec(space: Any, spec: Any) -> None:
    assert spec_of(space, "x") == spec


def test_nested_space_is_converted_to_nested_specs() -> None:
    spec = spec_of(NESTED)

    assert isinstance(spec["word"], specs.StringArray)
    assert isinstance(spec["pair"], tuple)
    assert spec["image"].name == "image"


def test_space_without_a_spec_is_an_error() -> None:
    from gymkernel.space import Space

    with pytest.raises(TypeError, match="dm_env has no spec for"):
        to_dm_env(Walk(Space((2,), float), Discrete(2)))
