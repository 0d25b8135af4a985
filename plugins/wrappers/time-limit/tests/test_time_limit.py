"""Tests of `TimeLimit`, in particular truncation and the limit in the spec."""

from __future__ import annotations

import copy
import json
import operator
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gymkernel as gym
from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.wrappers import TimeLimit

KEY = "TimeLimit.truncated"


class Walk(Env[int, int]):
    """An environment with episodes of `length` steps, whose observation is the step number."""

    def __init__(self, length: int = 1000) -> None:
        self.length, self.time = length, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.asked, self.time = (seed, options), 0
        return 0, {"options": options}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return self.time, float(action), self.time == self.length, False, {"time": self.time}


class Three:
    """An integer from another library."""

    def __index__(self) -> int:
        return 3

    def __lt__(self, other: int) -> bool:
        return other > 3


def episode(env: Env[int, int]) -> list[tuple[bool, bool]]:
    env.reset()
    ends: list[tuple[bool, bool]] = []
    while not ends or not any(ends[-1]):
        _, _, terminated, truncated, _ = env.step(0)
        ends.append((terminated, truncated))
    return ends


class TestEpisodes:
    @given(st.integers(1, 20), st.integers(1, 20))
    def test_episode_is_truncated_at_the_limit(self, limit: int, length: int) -> None:
        ends = episode(TimeLimit(Walk(length), limit))

        assert len(ends) == min(limit, length)
        assert ends[-1] == (length <= limit, limit <= length)

    def test_reset_restarts_the_count(self) -> None:
        env = TimeLimit(Walk(), 3)

        assert len(episode(env)) == len(episode(env)) == 3

    def test_steps_beyond_the_limit_stay_truncated(self) -> None:
        env = TimeLimit(Walk(), 1)
        env.reset()

        assert [env.step(0)[3] for _ in range(3)] == [True] * 3

    def test_other_values_are_unchanged(self) -> None:
        env = TimeLimit(Walk(), 2)

        assert env.reset(seed=3, options={"a": 1}) == (0, {"options": {"a": 1}})
        assert env.unwrapped.asked == (3, {"a": 1})  # type: ignore[attr-defined]
        assert env.step(7) == (1, 7.0, False, False, {"time": 1})
        assert env.step(8) == (2, 8.0, False, True, {"time": 2, KEY: True})

    def test_info_at_the_limit_shows_whether_the_task_ended(self) -> None:
        for length, expected in ((3, False), (4, True)):
            env = TimeLimit(Walk(length), 3)
            env.reset()

            assert [env.step(0)[4].get(KEY) for _ in range(4)] == [None, None, expected, length != 4 or False]

    def test_info_of_the_environment_is_not_modified(self) -> None:
        class Same(Walk):
            info: dict[str, Any] = {}  # noqa: RUF012 - the object is reused on purpose

            def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
                return 0, 0.0, False, False, self.info

        env = TimeLimit(Same(), 1)
        env.reset()

        assert env.step(0)[4] == {KEY: True}
        assert Same.info == {}

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    def test_copy_continues_counting(self, duplicate: Any) -> None:
        env = TimeLimit(Walk(), 2)
        env.reset()
        env.step(0)

        assert duplicate(env).step(0)[3] is True
        assert env.step(0)[3] is True

    def test_count_can_be_read_and_set(self) -> None:
        env = TimeLimit(Walk(), 5)
        env.reset()
        seen = []
        for _ in range(7):
            env.step(0)
            seen.append(env._elapsed_steps)
        env._elapsed_steps = 3

        assert seen == [1, 2, 3, 4, 5, 6, 7]
        assert (env._elapsed_steps, [env.step(0)[3] for _ in range(3)]) == (3, [False, True, True])

    @pytest.mark.parametrize("limit, left", [(4, [False, True]), (2, [True]), (1, [True])])
    def test_new_limit_applies_from_the_next_step(self, limit: int, left: list[bool]) -> None:
        env = TimeLimit(Walk(), 100)
        env.reset()
        env.step(0), env.step(0)
        env._max_episode_steps = limit

        assert [env.step(0)[3] for _ in left] == left
        assert (env._max_episode_steps, env._elapsed_steps) == (limit, 2 + len(left))

    def test_limit_can_be_removed(self) -> None:
        env = TimeLimit(Walk(), 2)
        env.reset()
        env._max_episode_steps = float("inf")  # type: ignore[assignment]

        assert not any(env.step(0)[3] for _ in range(50))

    def test_failed_step_is_not_counted(self) -> None:
        env = TimeLimit(Walk(), 2)
        env.reset()
        with pytest.raises(ValueError, match="nonsense"):
            env.step("nonsense")  # type: ignore[arg-type]

        assert [env.step(0)[3] for _ in range(2)] == [False, True]


class TestArguments:
    @pytest.mark.parametrize("limit", [0, -1, 2.5, 3.0, True, "5"], ids=repr)
    def test_limit_must_be_a_positive_integer(self, limit: Any) -> None:
        kind = ValueError if type(limit) is int else TypeError
        with pytest.raises(kind, match=f"max_episode_steps to be an integer of at least 1, got {limit!r}"):
            TimeLimit(Walk(), limit)

    def test_none_uses_the_limit_of_the_spec(self) -> None:
        env = Walk()
        env.spec = EnvSpec("lab/Walk-v1", Walk, max_episode_steps=4)

        assert len(episode(TimeLimit(env))) == 4
        assert TimeLimit(env)._saved_kwargs == {"max_episode_steps": 4}

    @pytest.mark.parametrize("limit", [None, 7, -1], ids=repr)
    @pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "wrapped"])
    def test_none_uses_the_limit_registered_for_the_id(
        self, monkeypatch: pytest.MonkeyPatch, limit: int | None, wrapped: bool
    ) -> None:
        spec = EnvSpec("lab/Walk-v1", Walk, max_episode_steps=4, order_enforce=False, disable_env_checker=True)
        monkeypatch.setitem(gym.registry, "lab/Walk-v1", spec)
        bare = gym.make("lab/Walk-v1", max_episode_steps=limit).unwrapped
        env: Any = TimeLimit(gym.Wrapper(bare) if wrapped else bare, None)

        assert len(episode(env)) == 4
        assert env.spec.max_episode_steps == 4
        assert env._saved_kwargs == {"max_episode_steps": 4}

    def test_none_without_a_limit_in_the_spec_is_rejected(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(gym.registry, "lab/Walk-v2", EnvSpec("lab/Walk-v2", Walk))
        registered, unregistered = Walk(), Walk()
        registered.spec, unregistered.spec = EnvSpec("lab/Walk-v2", Walk), EnvSpec("lab/Walk-v1", Walk)
        for env, why in (
            (Walk(), "has no spec"),
            (registered, "registered spec of lab/Walk-v2"),
            (unregistered, "registered spec of lab/W"),
        ):
            with pytest.raises(
                ValueError, match=f"^TimeLimit expects a number for max_episode_steps, because .*<Walk.*{why}"
            ):
                TimeLimit(env)

    def test_numpy_integer_is_a_valid_limit(self) -> None:
        env = TimeLimit(Walk(), Three())  # type: ignore[arg-type]

        assert len(episode(env)) == 3
        assert type(env._saved_kwargs["max_episode_steps"]) is int

    def test_non_environment_is_rejected(self) -> None:
        with pytest.raises(
            TypeError, match=r"TimeLimit expects an environment \(an object with reset and step\), got 3"
        ):
            TimeLimit(3, 5)  # type: ignore[arg-type]


class TestSpec:
    def env(self, **fields: Any) -> Env[int, int]:
        env = Walk()
        env.spec = EnvSpec("lab/Walk-v1", Walk, order_enforce=False, disable_env_checker=True, **fields)
        return env

    def test_limit_is_a_field_of_the_spec(self) -> None:
        inside = self.env()

        spec = TimeLimit(inside, 5).spec

        assert spec is not None
        assert spec.max_episode_steps == 5
        assert spec.additional_wrappers == ()
        assert inside.spec.max_episode_steps is None  # type: ignore[union-attr]

    def test_spec_recreates_the_wrapper(self) -> None:
        spec = TimeLimit(self.env(), 5).spec

        again = gym.make(spec)  # type: ignore[arg-type]

        assert isinstance(again, TimeLimit)
        assert again.spec == spec
        assert len(episode(again)) == 5

    def test_outer_limit_is_in_the_spec(self) -> None:
        assert TimeLimit(TimeLimit(self.env(), 5), 3).spec.max_episode_steps == 3  # type: ignore[union-attr]

    def test_numpy_limit_is_serialized(self) -> None:
        env = self.env()
        env.spec.entry_point = "lab:Walk"  # type: ignore[union-attr]

        text = TimeLimit(env, Three()).spec.to_json()  # type: ignore[arg-type, union-attr]

        assert operator.getitem(json.loads(text), "max_episode_steps") == 3

    def test_spec_is_none_without_an_inner_spec(self) -> None:
        assert TimeLimit(Walk(), 5).spec is None

    def test_arguments_are_recorded(self) -> None:
        assert TimeLimit(Walk(), 5)._saved_kwargs == {"max_episode_steps": 5}
