"""Tests of `TimeAwareObservation`, in particular the time and where it is added."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Wrapper
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box, Dict, Tuple
from gymkernel.wrappers import TimeAwareObservation

SPACE = Box(-1, 1, (2,))
SEEN = np.array([0.5, -0.5], np.float32)


class Shows(Env[Any, Any]):
    """An environment with episodes of four steps that always returns the same observation."""

    def __init__(self, space: Any = SPACE, seen: Any = SEEN, limit: int | None = 4) -> None:
        self.observation_space, self.seen = space, seen
        self.spec = EnvSpec("Shows-v0", entry_point=Shows, max_episode_steps=limit)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return self.seen, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.seen, 0.0, False, False, {}


class Limit(Wrapper[Any, Any, Any, Any]):
    """A wrapper with a step limit, like `TimeLimit`."""

    _max_episode_steps = 8


def times(env: Any, find: Any) -> list[float]:
    return [float(find(env.reset()[0]))] + [float(find(env.step(0)[0])) for _ in range(3)]


def test_time_counts_the_steps_of_an_episode() -> None:
    env = TimeAwareObservation(Shows(), flatten=False)
    assert times(env, lambda seen: seen["time"][0]) == [0, 1, 2, 3]
    assert times(env, lambda seen: seen["time"][0]) == [0, 1, 2, 3]


def test_any_observation_becomes_a_dict() -> None:
    env = TimeAwareObservation(Shows(), flatten=False)
    assert env.observation_space == Dict(obs=SPACE, time=Box(0, 4, (1,), np.int32))
    assert env.reset()[0]["obs"] is SEEN
    assert env.step(0)[0] in env.observation_space


def test_dict_observation_gets_a_key() -> None:
    env = TimeAwareObservation(Shows(Dict(a=SPACE), {"a": SEEN}), flatten=False, dict_time_key="clock")
    assert env.observation_space == Dict(a=SPACE, clock=Box(0, 4, (1,), np.int32))
    assert list(env.reset()[0]) == ["clock", "a"]


def test_tuple_gets_an_element_at_the_end() -> None:
    env = TimeAwareObservation(Shows(Tuple([SPACE]), (SEEN,)), flatten=False)
    assert env.observation_space == Tuple([SPACE, Box(0, 4, (1,), np.int32)])
    assert env.reset()[0][1].tolist() == [0]


def test_time_can_be_a_fraction_of_the_limit() -> None:
    env = TimeAwareObservation(Shows(), flatten=False, normalize_time=True)
    assert times(env, lambda seen: seen["time"][0]) == [0, 0.25, 0.5, 0.75]
    assert env.step(0)[0] in env.observation_space


def test_flattened_observation_ends_with_the_time() -> None:
    env = TimeAwareObservation(Shows(), normalize_time=True)
    assert env.observation_space == Box(np.array([-1, -1, 0], "f4"), np.array([1, 1, 1], "f4"))
    assert times(env, lambda seen: seen[-1]) == [0, 0.25, 0.5, 0.75]
    assert env.step(0)[0] in env.observation_space


def test_limit_of_an_inner_wrapper_is_used() -> None:
    env = TimeAwareObservation(Wrapper(Limit(Shows(limit=None))))
    assert env.max_timesteps == 8


def test_time_is_unbounded_without_a_limit() -> None:
    env: Any = TimeAwareObservation(Shows(limit=None))
    assert env.observation_space == Box(np.array([-1, -1, 0], "f4"), np.array([1, 1, np.inf], "f4"))
    assert times(env, lambda seen: seen[-1]) == [0, 1, 2, 3]
    assert env.step(0)[0] in env.observation_space


def test_fraction_without_a_limit_is_rejected() -> None:
    with pytest.raises(
        ValueError, match=r"^TimeAwareObservation expects an environment with a step limit for normalize_time=True"
    ):
        TimeAwareObservation(Shows(limit=None), normalize_time=True)


def test_existing_key_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^TimeAwareObservation expects an unused dict_time_key, got 'time' of"):
        TimeAwareObservation(Shows(Dict(time=SPACE)))


def test_spec_contains_the_wrapper_as_json() -> None:
    spec = TimeAwareObservation(Shows(), normalize_time=True).spec
    assert spec is not None
    wanted = {"flatten": True, "normalize_time": True, "dict_time_key": "time"}
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == wanted
