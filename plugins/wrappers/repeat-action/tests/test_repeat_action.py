"""Tests of `RepeatAction`, in particular the number of steps and the returned values."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.wrappers import RepeatAction


class Count(Env[Any, Any]):
    """An environment with episodes of five steps. The observation and the reward are the step number."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.time = 0
        return 0, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return self.time, self.time, self.time == 5, False, {"time": self.time}


def test_action_is_repeated_and_rewards_are_summed() -> None:
    env = RepeatAction(Count(), 3)
    env.reset()

    assert env.step(0) == (3, 6.0, False, False, {"time": 3})


def test_end_of_an_episode_ends_the_repetition() -> None:
    env = RepeatAction(Count(), 3)
    env.reset()
    env.step(0)

    assert env.step(0) == (5, 9.0, True, False, {"time": 5})


def test_repeating_once_changes_nothing() -> None:
    env = RepeatAction(Count(), 1)
    env.reset()

    assert env.step(0) == (1, 1.0, False, False, {"time": 1})


@pytest.mark.parametrize("number", [1.5, "2", None, True])
def test_non_integer_is_rejected(number: Any) -> None:
    with pytest.raises(TypeError, match=r"^RepeatAction expects num_repeats to be an integer, got "):
        RepeatAction(Count(), number)


@pytest.mark.parametrize("number", [0, -1])
def test_number_below_one_is_rejected(number: int) -> None:
    with pytest.raises(ValueError, match=f"^RepeatAction expects num_repeats to be at least 1, got {number}$"):
        RepeatAction(Count(), number)


def test_wrapper_is_recreated_from_spec_and_json() -> None:
    wrapped = RepeatAction(Count(), np.int64(4))  # type: ignore[arg-type]

    again = RepeatAction(Count(), **json.loads(json.dumps(wrapped._saved_kwargs)))

    assert again.num_repeats == 4
