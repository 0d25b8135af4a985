"""Tests of the arguments of `VectorizeTransformReward`. Other tests use it with a vector backend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel import ActionWrapper, RewardWrapper, Space
from gymkernel.vector import VectorEnv
from gymkernel.wrappers.vector import VectorizeTransformReward


class Numbers(Space[Any]):
    """A space of arrays. A batch has an additional leading axis."""

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        super().__init__(shape, np.int64)


class Pair(VectorEnv[Any, Any, Any]):
    """A vector environment with two environments, whose rewards are the actions."""

    num_envs = 2

    def __init__(self) -> None:
        self.single_action_space, self.action_space = Numbers(), Numbers((2,))
        self.single_observation_space, self.observation_space = Numbers(), Numbers((2,))

    def step(self, actions: Any) -> Any:
        none = np.zeros(2, np.bool_)
        return np.zeros(2), actions, none, none, {}


class Plus(RewardWrapper[Any, Any]):
    batched = True

    def __init__(self, env: Any, number: int) -> None:
        super().__init__(env)
        self.number = number

    def reward(self, reward: Any) -> Any:
        return reward + self.number


def test_wrapper_gets_rewards_and_arguments() -> None:
    envs = VectorizeTransformReward(Pair(), Plus, number=3)

    assert envs.step(np.array([1, 2]))[1].tolist() == [4, 5]


def test_two_instances_are_independent() -> None:
    class Twice(Plus):
        def reward(self, reward: Any) -> Any:
            return 2 * reward

    outer = VectorizeTransformReward(VectorizeTransformReward(Pair(), Plus, number=3), Twice, number=1)

    assert outer.step(np.array([1, 2]))[1].tolist() == [8, 10]


@pytest.mark.parametrize(
    "wrapper", [ActionWrapper, Plus.reward, "Plus", None], ids=["wrapper", "method", "name", "None"]
)
def test_non_reward_wrapper_is_rejected(wrapper: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^VectorizeTransformReward expects a subclass of gymkernel.RewardWrapper, got"
    ):
        VectorizeTransformReward(Pair(), wrapper)


def test_arguments_are_recorded() -> None:
    assert VectorizeTransformReward(Pair(), Plus, number=3)._saved_kwargs == {"wrapper": Plus, "number": 3}
