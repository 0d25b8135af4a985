"""Tests of `StickyAction`, in particular the frequency and the length of repetitions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.error import InvalidBound, InvalidProbability
from gymkernel.wrappers import StickyAction


class Echo(Env[Any, Any]):
    """An environment whose observation is the action."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return None, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


def taken_actions(steps: int, probability: float, duration: Any = 1, seed: int = 3) -> list[int]:
    """Return the actions that the environment receives if the step number is passed as the action."""
    env = StickyAction(Echo(), probability, duration)
    env.reset(seed=seed)
    return [env.step(i)[0] for i in range(steps)]


def test_probability_of_zero_changes_nothing() -> None:
    assert taken_actions(50, 0) == list(range(50))


def test_actions_stick_with_the_given_probability() -> None:
    actions = taken_actions(4000, 0.25)

    assert np.mean(np.diff(actions) == 0) == pytest.approx(0.25, abs=0.02)


def test_repetition_has_the_given_duration() -> None:
    actions = taken_actions(4000, 0.1, 5)
    lengths = np.unique(actions, return_counts=True)[1][:-1]  # the last repetition may be shorter

    assert set((lengths - 1) % 5) == {0}
    assert max(lengths) > 5


def test_duration_can_be_random() -> None:
    lengths = np.unique(taken_actions(4000, 0.001, (2, 4)), return_counts=True)[1]

    assert set(lengths.tolist()) == {1, 3, 4, 5}


def test_first_action_of_an_episode_is_never_replaced() -> None:
    env = StickyAction(Echo(), 0.99, 10)
    env.reset(seed=0)
    env.step(1)
    env.step(2)

    env.reset()

    assert env.step(3)[0] == 3


def test_repetition_state_is_readable() -> None:
    env = StickyAction(Echo(), 0.999, 2)
    env.reset(seed=0)
    seen = [(env.step(i)[0], env.is_sticky_actions) for i in range(3)]

    assert seen == [(0, False), (0, True), (0, False)]


@pytest.mark.parametrize("probability", [-0.1, 1, 1.5, np.nan])
def test_invalid_probability_is_rejected(probability: float) -> None:
    with pytest.raises(InvalidProbability, match=r"^StickyAction expects the probability to be in \[0, 1\), got"):
        StickyAction(Echo(), probability)


@pytest.mark.parametrize("duration", [0, (0, 2), (1, 2, 3), 1.5, "ab", None], ids=repr)
def test_invalid_duration_is_rejected(duration: Any) -> None:
    with pytest.raises(ValueError, match=r"^StickyAction expects repeat_action_duration to be an integer"):
        StickyAction(Echo(), 0.5, duration)


def test_crossed_duration_is_rejected() -> None:
    with pytest.raises(
        InvalidBound, match=r"^StickyAction expects repeat_action_duration to be \(minimum, maximum\), got"
    ):
        StickyAction(Echo(), 0.5, (3, 2))


@pytest.mark.parametrize("duration", [2, np.int64(2), (1, 3), [1, 3]], ids=repr)
def test_wrapper_is_recreated_from_spec_and_json(duration: Any) -> None:
    wrapped = StickyAction(Echo(), 0.5, duration)

    again = StickyAction(Echo(), **json.loads(json.dumps(wrapped._saved_kwargs)))

    assert again.repeat_action_duration_range == wrapped.repeat_action_duration_range
