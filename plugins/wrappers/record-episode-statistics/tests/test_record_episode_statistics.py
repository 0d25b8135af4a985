"""Tests of `RecordEpisodeStatistics`, in particular saved statistics."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.wrappers import RecordEpisodeStatistics
from gymkernel.wrappers.vector import RecordEpisodeStatistics as OfMany


class Echo(Env[Any, Any]):
    """An environment whose reward is the action. A negative action ends the episode."""

    info: dict[str, Any] = {}  # noqa: RUF012 - the object is reused on purpose

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: float) -> tuple[int, Any, bool, bool, dict[str, Any]]:
        return 0, action, action < -1, -1 <= action < 0, self.info


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return now


def play(env: Any, *rewards: float) -> dict[str, Any]:
    env.reset()
    for reward in rewards:
        info: dict[str, Any] = env.step(reward)[4]
    return info


@pytest.mark.parametrize("options", [{"buffer_length": 2}, {"deque_size": 2}], ids=str)
def test_queues_keep_the_last_episodes(options: dict[str, Any]) -> None:
    env: Any = RecordEpisodeStatistics(Echo(), **options)
    for _ in range(3):
        play(env, 1.0, -1.0)
    assert (list(env.return_queue), list(env.length_queue)) == ([0.0, 0.0], [2, 2])
    assert env._saved_kwargs == {"buffer_length": 2, "stats_key": "episode"}


@pytest.mark.parametrize("last", [-1.0, -2.0], ids=["truncated", "terminated"])
def test_last_step_info_has_return_length_and_time(clock: list[float], last: float) -> None:
    env = RecordEpisodeStatistics(Echo())
    env.reset()
    env.step(3.0)
    clock[0] += 2.5

    assert env.step(last)[4] == {"episode": {"r": 3.0 + last, "l": 2, "t": 2.5}}


def test_other_steps_have_no_statistics() -> None:
    assert play(RecordEpisodeStatistics(Echo()), 1.0) == {}


def test_last_episodes_are_kept() -> None:
    env = RecordEpisodeStatistics(Echo(), buffer_length=2)

    for length in (1, 2, 3):
        play(env, *[4.0] * (length - 1), -1.0)

    assert list(env.return_queue) == [3.0, 7.0]
    assert list(env.length_queue) == [2, 3]
    assert len(env.time_queue) == 2
    assert env.episode_count == 3


def test_environments_info_is_not_modified() -> None:
    play(RecordEpisodeStatistics(Echo()), -1.0)

    assert Echo.info == {}


def test_stats_key_can_be_chosen() -> None:
    assert list(play(RecordEpisodeStatistics(Echo(), stats_key="seen"), -1.0)) == ["seen"]


def test_existing_stats_key_is_rejected() -> None:
    class Taken(Echo):
        info = {"episode": 3}  # noqa: RUF012

    with pytest.raises(ValueError, match=r"^The environment already uses the info key 'episode'; pass another"):
        play(RecordEpisodeStatistics(Taken()), -1.0)


def test_loaded_state_continues_identically(clock: list[float]) -> None:
    env, other = RecordEpisodeStatistics(Echo()), RecordEpisodeStatistics(Echo())
    play(env, 1.0, -1.0)
    play(env, 5.0)
    clock[0] += 1

    other.load_state_dict(json.loads(json.dumps(env.state_dict())))
    clock[0] += 2

    assert other.step(-1.0)[4] == env.step(-1.0)[4] == {"episode": {"r": 4.0, "l": 2, "t": 3.0}}
    assert other.state_dict() == env.state_dict()


def test_incomplete_state_is_rejected() -> None:
    with pytest.raises(KeyError, match=r"length_queue, episode_count, .* is missing"):
        RecordEpisodeStatistics(Echo()).load_state_dict({"return_queue": [], "time_queue": []})


def test_wrapper_is_recreated_from_spec_and_json() -> None:
    env = RecordEpisodeStatistics(Echo(), 7, "seen")
    again = RecordEpisodeStatistics(Echo(), **json.loads(json.dumps(env._saved_kwargs)))

    assert again.return_queue.maxlen == 7
    assert again._stats_key == "seen"


class Many(VectorEnv[Any, Any, Any]):
    """Three `Echo` environments. The action of a step that begins an episode is ignored."""

    num_envs = 3

    def __init__(self, mode: AutoresetMode) -> None:
        self.metadata = {"autoreset_mode": mode}
        self.done = np.zeros(3, np.bool_)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.done[... if options is None else options["reset_mask"]] = False
        return np.zeros(3), {}

    def step(self, actions: Any) -> Any:
        return self.step_masked(actions, np.ones(3, np.bool_))

    def step_masked(self, actions: Any, mask: Any) -> Any:
        resets = self.done & (self.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP)
        rewards = np.where(resets | ~mask, 0.0, actions)
        done = rewards < 0
        infos = {}
        if self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP and done.any():
            infos = {"final_info": {"x": np.arange(3), "_x": done}, "_final_info": done}
        self.done = np.where(mask, done, self.done)
        return np.zeros(3), rewards, done, np.zeros(3, np.bool_), infos


def steps(envs: Any, *rewards: list[float]) -> list[Any]:
    envs.reset()
    return [envs.step(np.array(row))[4] for row in rewards]


MODES = pytest.mark.parametrize("mode", list(AutoresetMode))


@MODES
def test_finished_episodes_of_vector_envs_have_a_mask(mode: AutoresetMode) -> None:
    first, second = steps(OfMany(Many(mode)), [1, 2, 3], [4, -1, -2])

    assert first == {}
    assert second["_episode"].tolist() == [False, True, True]
    assert list(second["episode"]) == ["r", "l", "t"]
    assert second["episode"]["r"].tolist() == [0, 1, 1]
    assert second["episode"]["l"].tolist() == [0, 2, 2]


def test_resetting_step_is_not_counted() -> None:
    infos = steps(OfMany(Many(AutoresetMode.NEXT_STEP)), [1, 1, -1], [1, 1, 50], [1, 1, 2], [-1, -1, -1])

    assert infos[-1]["episode"]["l"].tolist() == [4, 4, 2]
    assert infos[-1]["episode"]["r"].tolist() == [2, 2, 1]


def test_same_step_mode_starts_the_next_episode() -> None:
    infos = steps(OfMany(Many(AutoresetMode.SAME_STEP)), [1, 1, -1], [1, 1, 50], [-1, -1, -1])

    assert infos[-1]["episode"]["l"].tolist() == [3, 3, 2]
    assert infos[0]["final_info"]["episode"]["r"].tolist() == [0, 0, -1]
    assert infos[0]["final_info"]["x"].tolist() == [0, 1, 2]


@MODES
def test_partial_reset_affects_only_its_rows(mode: AutoresetMode) -> None:
    envs = OfMany(Many(mode))
    steps(envs, [5, 5, 5])
    options = {"reset_mask": np.array([False, True, False])}

    envs.reset(options=options)

    assert list(options) == ["reset_mask"]
    assert envs.step(np.array([-1, -1, -1]))[4]["episode"]["r"].tolist() == [4, -1, 4]


@MODES
def test_masked_step_affects_only_its_rows(mode: AutoresetMode) -> None:
    envs = OfMany(Many(mode))
    steps(envs, [5, 5, 5])

    infos = envs.step_masked(np.array([-1, -1, -1]), np.array([False, True, False]))[4]

    assert infos["_episode"].tolist() == [False, True, False]
    assert envs.episode_lengths[[0, 2]].tolist() == [1, 1]


def test_last_episodes_of_all_environments_are_kept() -> None:
    envs = OfMany(Many(AutoresetMode.SAME_STEP), buffer_length=3)
    steps(envs, [1, 1, -1], [1, -1, -2], [-4, 1, 1])

    assert list(envs.return_queue) == [0.0, -2.0, -2.0]
    assert list(envs.length_queue) == [2, 1, 3]
    assert envs.episode_count == 4


def test_vector_state_continues() -> None:
    envs, others = OfMany(Many(AutoresetMode.SAME_STEP)), OfMany(Many(AutoresetMode.SAME_STEP))
    steps(envs, [1, 2, -1], [1, 1, 1])

    others.load_state_dict(json.loads(json.dumps(envs.state_dict())))

    assert others.step(np.array([-1] * 3))[4]["episode"]["r"].tolist() == [1, 2, 0]
    assert others.episode_count == 4


def test_state_for_another_number_of_envs_is_rejected() -> None:
    envs = OfMany(Many(AutoresetMode.SAME_STEP))

    with pytest.raises(ValueError, match=r"^Expected the state of 3 environments, got returns of shape \(2,\)"):
        envs.load_state_dict({**envs.state_dict(), "episode_returns": [1, 2]})


def test_existing_stats_key_is_rejected_for_vector_envs() -> None:
    envs = OfMany(OfMany(Many(AutoresetMode.SAME_STEP)))

    with pytest.raises(ValueError, match=r"^The environments already use the info key 'episode'"):
        steps(envs, [-1, 1, 1])


def test_subclass_that_replaces_step_may_set_the_mask_of_ended_episodes() -> None:
    envs = OfMany(Many(AutoresetMode.DISABLED))
    envs.reset()

    envs.prev_dones = np.array([False, True, False])
    assert envs.prev_dones.tolist() == [False, True, False]

    envs.reset(options={"reset_mask": np.array([False, True, False])})
    assert envs.prev_dones.tolist() == [False, False, False]
