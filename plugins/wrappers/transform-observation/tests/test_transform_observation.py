"""Tests of `TransformObservation`, in particular the function and the observation space."""

from __future__ import annotations

from typing import Any

import pytest

from gymkernel import Env, Space
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import TransformObservation

INNER: Any = Space[int]()
OUTER: Any = Space[str]()


class Counts(Env[int, Any]):
    """An environment whose observation is the number of steps."""

    observation_space = INNER
    time = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.time = 0
        return self.time, {"inner": True}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return self.time, 1.5, self.time == 2, False, {}


def test_only_observations_are_transformed() -> None:
    env = TransformObservation(Counts(), lambda time: f"{time} steps", OUTER)
    assert env.reset() == ("0 steps", {"inner": True})
    assert env.step(0) == ("1 steps", 1.5, False, False, {})
    assert env.step(0) == ("2 steps", 1.5, True, False, {})


def test_f_is_an_alias_of_func() -> None:
    assert TransformObservation(Counts(), f=str).reset()[0] == "0"
    with pytest.raises(TypeError, match=r"to be a function of an observation, got both func and f"):
        TransformObservation(Counts(), str, f=str)


def test_space_is_the_given_one_or_unchanged() -> None:
    assert TransformObservation(Counts(), str, OUTER).observation_space is OUTER
    assert TransformObservation(Counts(), str).observation_space is INNER
    assert TransformObservation(Counts(), str, None).observation_space is INNER


def test_non_function_is_rejected() -> None:
    with pytest.raises(
        TypeError, match=r"^TransformObservation expects func to be a function of an observation, got 3$"
    ):
        TransformObservation(Counts(), 3)  # type: ignore[arg-type]


def test_function_is_in_the_spec_but_not_in_json() -> None:
    env = Counts()
    env.spec = EnvSpec("Counts-v0", entry_point="somewhere:Counts")
    spec = TransformObservation(env, str, OUTER).spec
    assert spec is not None
    assert spec.additional_wrappers[-1].kwargs == {"func": str, "observation_space": OUTER}
    with pytest.raises(ValueError, match=r"^additional_wrappers in the spec of Counts-v0 cannot be written as JSON"):
        spec.to_json()
