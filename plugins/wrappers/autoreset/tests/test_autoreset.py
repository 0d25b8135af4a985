"""Tests of `Autoreset`, in particular the steps before and after the end of an episode."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.vector import AutoresetMode
from gymkernel.wrappers import Autoreset, AutoResetWrapper


class Count(Env[Any, Any]):
    """An environment whose episodes have two steps. It returns the step number in an array that it reuses."""

    def __init__(self, truncates: bool = False) -> None:
        self.truncates, self.seeds, self.seen = truncates, [], np.zeros(1)  # type: ignore[var-annotated]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.seeds.append(seed)
        self.seen[0] = 0
        return self.seen, {"began": len(self.seeds)}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.seen[0] += 1
        done = self.seen[0] == 2
        return self.seen, 1.0, done and not self.truncates, done and self.truncates, {"time": int(self.seen[0])}


def played(env: Any, steps: int) -> list[Any]:
    env.reset(seed=5)
    played = []
    for _ in range(steps):
        observation, *rest = env.step(0)
        played.append((float(observation[0]), *rest))
    return played


@pytest.mark.parametrize("truncates", [False, True])
def test_next_step_mode_resets_without_a_reward(truncates: bool) -> None:
    end = (not truncates, truncates)

    assert played(Autoreset(Count(truncates)), 4) == [
        (1, 1.0, False, False, {"time": 1}),
        (2, 1.0, *end, {"time": 2}),
        (0, 0.0, False, False, {"began": 2}),
        (1, 1.0, False, False, {"time": 1}),
    ]


@pytest.mark.parametrize("truncates", [False, True])
def test_same_step_mode_resets_and_returns_final_values(truncates: bool) -> None:
    end = (not truncates, truncates)
    final = {"final_obs": np.array([2.0]), "final_info": {"time": 2}, "began": 2}

    assert played(Autoreset(Count(truncates), AutoresetMode.SAME_STEP), 3) == [
        (1, 1.0, False, False, {"time": 1}),
        (0, 1.0, *end, final),
        (1, 1.0, False, False, {"time": 1}),
    ]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_only_the_callers_reset_is_seeded(mode: str) -> None:
    env = Autoreset(Count(), mode)
    played(env, 6)

    assert set(env.unwrapped.seeds[1:]) == {None}  # type: ignore[attr-defined]


def test_reset_by_the_caller_replaces_the_autoreset() -> None:
    env = Autoreset(Count())
    played(env, 2)
    was = env.autoreset
    env.reset()

    assert was
    assert env.step(0)[1] == 1.0


def test_disabled_mode_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^Autoreset expects the autoreset_mode NEXT_STEP or SAME_STEP"):
        Autoreset(Count(), "Disabled")


def test_unknown_mode_is_rejected() -> None:
    with pytest.raises(ValueError, match="'Never' is not a valid AutoresetMode"):
        Autoreset(Count(), "Never")


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, "SameStep"])
def test_wrapper_is_recreated_from_spec_and_json(mode: Any) -> None:
    again = Autoreset(Count(), **json.loads(json.dumps(Autoreset(Count(), mode)._saved_kwargs)))

    assert again.autoreset_mode is AutoresetMode(mode)


def test_auto_reset_wrapper_is_same_step_mode_with_old_keys() -> None:
    env, today = AutoResetWrapper(Count()), Autoreset(Count(), "SameStep")
    keys = {"final_obs": "terminal_observation", "final_info": "terminal_info"}

    assert env.reset() == today.reset()
    for _ in range(7):
        *mine, info = env.step(0)
        *theirs, known = today.step(0)
        assert mine == theirs
        assert info == {keys.get(key, key): value for key, value in known.items()}
    assert env._saved_kwargs == {}
