"""Tests that wrappers with a fast path in `step` still call a hook that a subclass overrides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.wrappers.test_vectorized_wrappers import BOX, MIXED, Walk

import gymkernel as gym

OBSERVATIONS: list[tuple[str, dict[str, Any], Any]] = [
    ("DelayObservation", {"delay": 1}, BOX),
    ("DtypeObservation", {"dtype": "float32"}, BOX),
    ("FilterObservation", {"filter_keys": ["pose"]}, MIXED),
    ("FlattenObservation", {}, BOX),
    ("RescaleObservation", {"min_obs": -3.0, "max_obs": 5.0}, BOX),
    ("ReshapeObservation", {"shape": (2, 1)}, BOX),
    ("TransformObservation", {"func": np.negative}, BOX),
]
ACTIONS = [("RescaleAction", {"min_action": -1.0, "max_action": 1.0}), ("TransformAction", {"func": np.negative})]
REWARDS = [("ClipReward", {"min_reward": -1.0}), ("TransformReward", {"func": np.negative})]


def stepped(name: str, hook: Any, kwargs: dict[str, Any], observations: Any = BOX) -> tuple[Any, list[Any]]:
    """Return the results of four steps of a subclass that overrides a hook, and the actions that were received."""
    arrived: list[Any] = []

    class Inside(Walk):
        def step(self, action: Any) -> Any:
            arrived.append(action)
            self.left = 9
            return super().step(BOX.low)

    if name == "TransformAction":
        kwargs = {**kwargs, "action_space": None}
    cls = type("Own", (getattr(gym.wrappers, name),), {hook.__name__: hook})
    env = cls(Inside(observations, BOX), **kwargs)
    env.reset(seed=1)
    return [env.step(BOX.high) for _ in range(4)], arrived


@pytest.mark.parametrize("name, kwargs, space", OBSERVATIONS, ids=[item[0] for item in OBSERVATIONS])
def test_overridden_observation_method(name: str, kwargs: dict[str, Any], space: Any) -> None:
    def observation(self: Any, observation: Any) -> str:
        return "mine"

    results, _ = stepped(name, observation, kwargs, space)

    assert [result[0] for result in results] == ["mine"] * 4


@pytest.mark.parametrize("name, kwargs", ACTIONS, ids=[item[0] for item in ACTIONS])
def test_overridden_action_method(name: str, kwargs: dict[str, Any]) -> None:
    def action(self: Any, action: Any) -> str:
        return "mine"

    _, arrived = stepped(name, action, kwargs)

    assert arrived == ["mine"] * 4


@pytest.mark.parametrize("name, kwargs", REWARDS, ids=[item[0] for item in REWARDS])
def test_overridden_reward_method(name: str, kwargs: dict[str, Any]) -> None:
    def reward(self: Any, reward: Any) -> str:
        return "mine"

    results, _ = stepped(name, reward, kwargs)

    assert [result[1] for result in results] == ["mine"] * 4


def test_replaced_function_applies_from_the_next_step() -> None:
    env: Any = gym.wrappers.TransformReward(Walk(BOX, BOX), lambda _: 1.0)
    env.reset(seed=1)
    env.func = lambda _: 2.0

    assert env.step(BOX.low)[1] == 2.0
