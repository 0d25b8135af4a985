"""Tests that vector wrappers with state, alone and stacked, behave like n single-environment wrappers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tests.wrappers.test_vectorized_wrappers import BOX, NESTED, STEPS, Case, N, both, play

import gymkernel as gym
from gymkernel import spaces
from gymkernel.vector import AutoresetMode, SyncVectorEnv
from gymkernel.vector.utils import info_of
from gymkernel.wrappers.vector import DictInfoToList, NormalizeReward, RecordEpisodeStatistics, StickyAction, TimeLimit

MODES = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


@dataclass(frozen=True)
class Stack(Case):
    """Several wrappers, the innermost first."""

    others: tuple[tuple[str, dict[str, Any]], ...] = ()

    def single(self) -> Any:
        env = super().single()
        for name, kwargs in self.others:
            env = getattr(gym.wrappers, name)(env, **kwargs)
        return env

    def vector(self, envs: Any) -> Any:
        envs = super().vector(envs)
        for name, kwargs in self.others:
            envs = getattr(gym.wrappers.vector, name)(envs, **kwargs)
        return envs


LIMIT = ("TimeLimit", {"max_episode_steps": 4})
REPEAT = ("RepeatAction", {"num_repeats": 3})
STICKY = ("StickyAction", {"repeat_action_probability": 0.3})
STACKS = [
    Stack(*LIMIT, others=(REPEAT, STICKY)),
    Stack(*REPEAT, others=(("TimeLimit", {"max_episode_steps": 2}), ("ClipReward", {"min_reward": -1.0}))),
    Stack(*STICKY, observations=NESTED, others=(REPEAT, LIMIT)),
    Stack(
        *LIMIT, actions=BOX, others=(("DiscretizeAction", {"bins": 2}), REPEAT, ("TimeLimit", {"max_episode_steps": 1}))
    ),
]


@MODES
@pytest.mark.parametrize("stack", STACKS, ids=["limit first", "repeat first", "sticky first", "two limits"])
def test_vector_stack_equals_single_stacks(stack: Stack, mode: AutoresetMode) -> None:
    play(stack, mode, lambda _, step: {"options": {"reset_mask": np.arange(N) == step % N}} if step % 6 == 5 else None)


@pytest.fixture
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)


@pytest.mark.usefixtures("_still")
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED], ids=lambda mode: mode.name)
def test_statistics_equal_single_wrappers(mode: AutoresetMode) -> None:
    play(
        Case("RecordEpisodeStatistics"),
        mode,
        lambda _, step: {"options": {"reset_mask": np.arange(N) == step % N}} if step % 6 == 5 else None,
    )


@pytest.mark.usefixtures("_still")
def test_same_step_mode_puts_statistics_in_final_info() -> None:
    form, singles = both(Case("RecordEpisodeStatistics"), AutoresetMode.SAME_STEP)
    form.reset(seed=7)
    singles.reset(seed=7)
    ended = 0
    for _ in range(STEPS):
        actions = singles.action_space.sample()
        got, wanted = form.step(actions)[4], singles.step(actions)[4]
        for i in np.flatnonzero(got.get("_episode", [])).tolist():
            statistics = info_of(wanted, i)["final_info"]["episode"]
            assert info_of(got, i)["final_info"]["episode"] == info_of(got, i)["episode"] == statistics
            ended += 1
    assert ended == form.episode_count > 0


def test_episode_time_starts_with_the_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    envs = RecordEpisodeStatistics(TimeLimit(SyncVectorEnv([Case("").env] * 3), 1))
    envs.reset(seed=1)
    now[0] = 2.0
    first = envs.step(np.zeros(3, np.int64))[4]
    now[0] = 3.0
    envs.step(np.zeros(3, np.int64))
    now[0] = 7.0

    assert first["episode"]["t"].tolist() == [2, 2, 2]
    assert envs.step(np.zeros(3, np.int64))[4]["episode"]["t"].tolist() == [4, 4, 4]


@MODES
def test_listed_infos_equal_single_environments(mode: AutoresetMode) -> None:
    envs = SyncVectorEnv([Case("").env] * 4, autoreset_mode=mode)
    listed = DictInfoToList(SyncVectorEnv([Case("").env] * 4, autoreset_mode=mode))

    _, infos = envs.reset(seed=2)
    _, lists = listed.reset(seed=2)

    assert lists == [info_of(infos, i) for i in range(4)]
    assert [info["time"] for info in listed.step(np.zeros(4, np.int64))[4] if "time" in info]


class TestNormalizeReward:
    def envs(self, mode: AutoresetMode) -> Any:
        return NormalizeReward(SyncVectorEnv([Case("").env] * 3, autoreset_mode=mode), gamma=0.9)

    def test_resetting_step_has_reward_0_and_is_not_counted(self) -> None:
        envs = NormalizeReward(TimeLimit(SyncVectorEnv([Case("").env] * 3), 1))
        envs.reset(seed=0)
        envs.step(np.zeros(3, np.int64))
        before = envs.return_rms.count

        rewards = envs.step(np.zeros(3, np.int64))[1]

        assert envs.return_rms.count == before
        assert rewards.tolist() == [0, 0, 0]

    @MODES
    def test_partial_reset_affects_only_its_rows(self, mode: AutoresetMode) -> None:  # defect D10 in Gymnasium
        envs = self.envs(mode)
        envs.reset(seed=0)
        envs.step(np.ones(3, np.int64))
        before = envs.accumulated_reward.copy()
        mask = np.array([False, True, False])

        envs.reset(options={"reset_mask": mask})

        assert envs.accumulated_reward.tolist() == [before[0], 0, before[2]]

    @MODES
    def test_masked_step_affects_only_its_rows(self, mode: AutoresetMode) -> None:
        envs = self.envs(mode)
        envs.reset(seed=0)
        mask = np.array([False, True, False])

        envs.step_masked(np.ones(3, np.int64), mask)

        assert (envs.accumulated_reward != 0).tolist() == mask.tolist()
        assert envs.return_rms.count == pytest.approx(1.0001)

    @MODES
    def test_loaded_state_continues_identically(self, mode: AutoresetMode) -> None:
        envs, others = self.envs(mode), self.envs(mode)
        envs.reset(seed=0)
        others.reset(seed=0)
        envs.step(np.ones(3, np.int64))
        others.env.step(np.ones(3, np.int64))

        others.load_state_dict(envs.state_dict())

        actions = np.zeros(3, np.int64)
        assert np.array_equal(envs.step(actions)[1], others.step(actions)[1])

    def test_state_for_another_number_of_envs_is_rejected(self) -> None:
        envs = self.envs(AutoresetMode.NEXT_STEP)

        with pytest.raises(ValueError, match=r"^Expected the state of 3 environments, got returns of shape \(2,\)$"):
            envs.load_state_dict({**envs.state_dict(), "accumulated_reward": np.zeros(2)})


class TestStickyAction:
    def test_backend_without_masked_calls_uses_its_generators(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def acted() -> list[Any]:
            envs = StickyAction(SyncVectorEnv([Case("").env] * 3), 0.5)
            envs.reset(seed=4)
            return [envs.batched_wrapper.action(np.full(3, i), ...).tolist() for i in range(20)]

        expected = acted()
        monkeypatch.delattr(SyncVectorEnv, "call_masked")

        assert acted() == expected

    def test_copied_generators_of_workers_continue(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import copy

        monkeypatch.delattr(SyncVectorEnv, "call_masked")
        drawn = property(lambda envs: tuple(copy.deepcopy(env.np_random) for env in envs.envs))
        monkeypatch.setattr(SyncVectorEnv, "np_random", drawn)
        envs = StickyAction(SyncVectorEnv([Case("").env] * 3), 0.5)
        envs.reset(seed=4)

        acted = np.array([envs.batched_wrapper.action(np.full(3, i), ...) for i in range(40)])

        assert 0.2 < np.mean(np.diff(acted, axis=0) == 0) < 0.8

    def test_one_shared_generator_is_enough(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(SyncVectorEnv, "call_masked")
        monkeypatch.setattr(SyncVectorEnv, "np_random", np.random.default_rng(3))
        envs = StickyAction(SyncVectorEnv([Case("").env] * 3), 0.5, (1, 3))
        envs.reset(seed=4)

        acted = np.array([envs.batched_wrapper.action(np.full(3, i), ...) for i in range(40)])

        assert 0.3 < np.mean(np.diff(acted, axis=0) == 0) < 0.9


def test_time_limit_without_truncation_needs_no_masked_steps() -> None:
    class Whole(SyncVectorEnv[Any, Any, Any]):
        step_masked = gym.vector.VectorEnv.step_masked

    envs = TimeLimit(Whole([Case("", observations=spaces.Discrete(3)).env] * 3), 100)
    envs.reset(seed=0)

    assert not envs.step(np.zeros(3, np.int64))[3].any()


ACROSS = [
    ("TimeLimit", {"max_episode_steps": 3}),
    ("RepeatAction", {"num_repeats": 3}),
    ("StickyAction", {"repeat_action_probability": 0.4, "repeat_action_duration": (1, 3)}),
    ("NormalizeReward", {}),
]


@MODES
@pytest.mark.parametrize("name, kwargs", ACROSS, ids=[name for name, _ in ACROSS])
def test_backends_give_the_same_results(name: str, kwargs: dict[str, Any], mode: AutoresetMode) -> None:
    played = []
    for backend in ("sync", "async"):
        envs = gym.make_vec("CartPole-v1", 3, backend, vector_kwargs={"autoreset_mode": mode})
        envs = getattr(gym.wrappers.vector, name)(envs, **kwargs)
        with envs:
            seen: list[Any] = [envs.reset(seed=3)[0]]
            for step in range(40):
                observations, rewards, terminations, truncations, infos = envs.step(np.array([0, 1, step % 2]))
                seen += [observations, rewards, terminations, truncations]
                seen += [info for info in infos.get("final_obs", ()) if info is not None]
                if mode is AutoresetMode.DISABLED and (done := terminations | truncations).any():
                    seen.append(envs.reset(options={"reset_mask": done})[0][done])
        played.append(seen)

    assert len(played[0]) == len(played[1])
    assert all(np.array_equal(item, other) for item, other in zip(*played, strict=True))


@pytest.mark.parametrize("name, kwargs", ACROSS, ids=[name for name, _ in ACROSS])
def test_wrapped_vectorised_environment_works(name: str, kwargs: dict[str, Any]) -> None:
    envs = gym.make_vec("CartPole-v1", 4, "vector_entry_point")
    wrapped = getattr(gym.wrappers.vector, name)(envs, **kwargs)
    wrapped.reset(seed=3)

    for step in range(40):
        observations, *_, infos = wrapped.step(np.full(4, step % 2))
        assert observations in wrapped.observation_space
        assert isinstance(infos, dict)
