"""Tests of `MaxAndSkipObservation`, in particular the number of steps and the returned values."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import MaxAndSkipObservation

ARRAYS = SimpleNamespace(shape=(2,), dtype=np.dtype(int))


class Crosses(Env[Any, Any]):
    """An environment whose reward is t and whose observation is [-t, t - 10], in an array that is reused."""

    def __init__(self, steps: int = 99, space: Any = ARRAYS) -> None:
        self.observation_space = space
        self.steps, self.time, self.seen = steps, 0, np.zeros(2, int)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.time = 0
        return np.array([5, 5]), {"begun": True}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.time += 1
        self.seen[:] = -self.time, self.time - 10
        return self.seen, float(self.time), self.time == self.steps, False, {"time": self.time}


def test_step_returns_the_maximum_of_the_last_two_observations() -> None:
    assert MaxAndSkipObservation(Crosses(), 4).step(0)[0].tolist() == [-3, -6]


def test_rewards_are_summed_and_the_last_info_is_returned() -> None:
    _, reward, terminated, truncated, info = MaxAndSkipObservation(Crosses(), 3).step(0)
    assert (reward, terminated, truncated, info) == (6.0, False, False, {"time": 3})


@pytest.mark.parametrize("steps, wanted", [(1, [-1, -9]), (2, [-1, -8]), (3, [-2, -7]), (4, [-3, -6])], ids=str)
@pytest.mark.parametrize("before", [0, 1])
def test_episode_that_ends_within_a_step_uses_its_frames(steps: int, wanted: list[int], before: int) -> None:
    """Check that no older observation enters the maximum (Farama-Foundation/Gymnasium#1692)."""
    env = MaxAndSkipObservation(Crosses(4 * before + steps), 4)
    for _ in range(before):
        env.step(0)
    observation, reward, terminated, _, _ = env.step(0)
    assert observation.tolist() == [wanted[0] - 4 * before, wanted[1] + 4 * before]
    assert terminated
    assert reward == sum(range(4 * before + 1, 4 * before + steps + 1))


@pytest.mark.parametrize("skip, wanted", [(2, [-4, -5]), (3, [-3, -5]), (4, [-3, -6])])
def test_observations_of_an_earlier_step_are_kept_on_request(
    skip: int, wanted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check the results of Gymnasium, where only the last two of all repetitions enter the maximum."""
    monkeypatch.setattr(MaxAndSkipObservation, "keeps_old_observations", True)
    env = MaxAndSkipObservation(Crosses(5), skip)
    while not (result := env.step(0))[2]:
        pass
    assert result[0].tolist() == wanted


def test_reset_observation_is_unchanged() -> None:
    observation, info = MaxAndSkipObservation(Crosses(), 4).reset()
    assert (observation.tolist(), info) == ([5, 5], {"begun": True})


def test_returned_observation_is_not_overwritten() -> None:
    env = MaxAndSkipObservation(Crosses(), 2)
    first = env.step(0)[0]
    env.step(0)
    assert first.tolist() == [-1, -8]


@pytest.mark.parametrize("skip", [2.0, "4", True])
def test_non_integer_skip_is_rejected(skip: Any) -> None:
    with pytest.raises(TypeError, match=r"^MaxAndSkipObservation expects skip to be an integer, got"):
        MaxAndSkipObservation(Crosses(), skip)


def test_skip_of_one_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^MaxAndSkipObservation expects skip to be at least 2, got 1$"):
        MaxAndSkipObservation(Crosses(), 1)


def test_other_spaces_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"^MaxAndSkipObservation expects observations to be arrays of the same shape"):
        MaxAndSkipObservation(Crosses(space=SimpleNamespace(shape=None, dtype=None)))


def test_spec_contains_the_wrapper_as_json() -> None:
    env = Crosses()
    env.spec = EnvSpec("Crosses-v0", entry_point=Crosses)
    spec = MaxAndSkipObservation(env, np.int64(3)).spec  # type: ignore[arg-type]
    assert spec is not None
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == {"skip": 3}
