"""Tests of `EnvPoolVectorEnv`, whose results are compared with those of pools that EnvPool itself creates."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import Error, ResetNeeded, UnsupportedMode
from gymkernel.infos import info_of
from gymkernel_bridge_envpool import EnvPoolVectorEnv

pytestmark = pytest.mark.filterwarnings("ignore:.*precision lowered")  # Gymnasium warns about the pools of the tests

TASKS = ["CartPole-v1", "Pong-v5", "HalfCheetah-v4", "LunarLander-v3", "FrozenLake-v1"]
STEPS = 1000


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in theirs)
    return np.array_equal(ours, theirs, equal_nan=np.asarray(theirs).dtype.kind == "f")


def make_vec(env_id: Any, num_envs: int = 1, **options: Any) -> Any:
    return gym.make_vec(env_id, num_envs, **options)


def without_masks(infos: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in infos.items() if not key.startswith("_")}


def of_envpool(infos: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in infos.items() if key != "players"}


@pytest.mark.parametrize("task", TASKS)
def test_trajectories_equal_those_of_envpool(task: str) -> None:
    envs = make_vec(f"envpool/{task}", 3)
    pool = envpool.make(task, "gymnasium", num_envs=3, seed=7)
    observations, infos = envs.reset(seed=7)
    expected, expected_infos = pool.reset()
    envs.action_space.seed(1)

    assert same(observations, expected)
    assert same(without_masks(infos), of_envpool(expected_infos))
    ended = 0
    for _ in range(STEPS):
        actions = envs.action_space.sample()
        ours, theirs = envs.step(actions), pool.step(actions)
        assert all(same(*pair) for pair in zip(ours[:4], theirs[:4], strict=True))
        assert same(without_masks(ours[4]), of_envpool(theirs[4]))
        ended += int((ours[2] | ours[3]).sum())
    assert ended > 0
    envs.close()


def test_observations_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = EnvPoolVectorEnv("CartPole-v1", 2)
    envs.reset(seed=1)
    results: list[Any] = []
    recv = type(envs.pool).recv

    def record(pool: Any) -> Any:
        results.append(recv(pool))
        return results[-1]

    monkeypatch.setattr(type(envs.pool), "recv", record)

    observations, *_ = envs.step(np.array([0, 1]))

    assert observations is results[0][0]


def test_earlier_observations_are_not_overwritten() -> None:
    envs = EnvPoolVectorEnv("CartPole-v1", 2)
    first, _ = envs.reset(seed=1)
    copied = first.copy()
    for _ in range(50):
        envs.step(np.array([0, 1]))

    assert np.array_equal(first, copied)


def test_autoreset_mode_is_next_step() -> None:
    envs = EnvPoolVectorEnv("CartPole-v1", 2)
    envs.reset(seed=1)
    assert envs.metadata["autoreset_mode"] is gym.vector.AutoresetMode.NEXT_STEP
    final = np.zeros(4)
    for _ in range(200):
        observations, rewards, terminations, _, infos = envs.step(np.array([1, 0]))
        if terminations[0]:
            final = observations[0]
            break
    assert abs(final[2]) > 0.2  # the observation of the terminal state, in which the pole has fallen

    observations, rewards, terminations, truncations, infos = envs.step(np.array([1, 0]))

    assert rewards[0] == 0.0
    assert not terminations[0]
    assert not truncations[0]
    assert np.abs(observations[0]).max() <= 0.05
    assert infos["elapsed_step"][0] == 0


def test_time_limit_truncates() -> None:
    envs = make_vec("envpool/Pendulum-v1", 2, max_episode_steps=5)
    envs.reset(seed=1)
    for _ in range(5):
        _, _, terminations, truncations, _ = envs.step(envs.action_space.sample())

    assert truncations.tolist() == [True, True]
    assert not terminations.any()


def test_results_have_the_documented_types() -> None:
    envs = make_vec("envpool/CartPole-v1", 3)
    observations, infos = envs.reset(seed=1)
    _, rewards, terminations, truncations, _ = envs.step(envs.action_space.sample())

    assert observations in envs.observation_space
    assert (rewards.dtype, terminations.dtype, truncations.dtype) == (np.float64, np.bool_, np.bool_)
    assert infos["_elapsed_step"].tolist() == [True] * 3
    assert info_of(infos, 2) == {"env_id": 2, "elapsed_step": 0}


class TestSeeds:
    def test_same_seed_gives_the_same_observations(self) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 2)
        first, _ = envs.reset(seed=3)
        envs.step(np.array([0, 1]))

        assert np.array_equal(envs.reset(seed=3)[0], first)
        assert not np.array_equal(envs.reset()[0], first)

    def test_environment_i_uses_seed_plus_i(self) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 2)

        assert np.array_equal(envs.reset(seed=3)[0][1], envs.reset(seed=[4, 9])[0][0])

    def test_constructor_seed_is_used_in_the_first_reset(self) -> None:
        first, _ = EnvPoolVectorEnv("CartPole-v1", 2, seed=3).reset()

        assert np.array_equal(first, EnvPoolVectorEnv("CartPole-v1", 2).reset(seed=3)[0])

    def test_pools_without_a_seed_differ(self) -> None:
        first, second = (EnvPoolVectorEnv("CartPole-v1", 2).reset()[0] for _ in range(2))

        assert not np.array_equal(first, second)

    def test_seed_above_32_bits_is_supported(self) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 1)

        assert np.array_equal(envs.reset(seed=2**40)[0], envs.reset(seed=2**40)[0])
        assert not np.array_equal(envs.reset(seed=2**40)[0], envs.reset(seed=2**40 + 1)[0])


class TestMasks:
    def test_reset_mask_resets_only_the_selected_environments(self) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 3)
        envs.reset(seed=1)
        before, *_ = envs.step(np.array([0, 1, 0]))

        observations, infos = envs.reset(options={"reset_mask": np.array([False, True, False])})

        assert np.array_equal(observations[[0, 2]], before[[0, 2]])
        assert not np.array_equal(observations[1], before[1])
        assert infos["_elapsed_step"].tolist() == [False, True, False]
        assert envs.step(np.array([0, 1, 0]))[4]["elapsed_step"].tolist() == [2, 1, 2]

    def test_step_masked_steps_only_the_selected_environments(self) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 3)
        start, _ = envs.reset(seed=1)

        observations, rewards, *_, infos = envs.step_masked(np.array([0, 1, 0]), np.array([True, False, True]))

        assert np.array_equal(observations[1], start[1])
        assert not np.array_equal(observations[0], start[0])
        assert rewards.tolist() == [1.0, 0.0, 1.0]
        assert infos["_elapsed_step"].tolist() == [True, False, True]
        assert envs.step(np.array([0, 1, 0]))[4]["elapsed_step"].tolist() == [2, 1, 2]


class TestAsync:
    def test_recv_returns_the_rows_of_some_environments(self) -> None:
        envs = make_vec("envpool/CartPole-v1", 6, batch_size=2, seed=1)
        envs.async_reset()
        steps = np.zeros(6, int)
        for _ in range(60):
            observations, rewards, _, _, infos = envs.recv()
            rows = infos["env_id"]
            assert observations.shape == (2, 4)
            assert len(rewards) == len(infos["_env_id"]) == 2
            steps[rows] += 1
            envs.send(np.zeros(2, int), rows)

        assert steps.sum() == 120
        assert (steps > 0).all()
        assert (envs.num_envs, envs.batch_size, envs.is_async) == (6, 2, True)

    def test_rows_equal_those_of_the_synchronous_pool(self) -> None:
        envs, reference = EnvPoolVectorEnv("CartPole-v1", 4, batch_size=2, seed=1), EnvPoolVectorEnv("CartPole-v1", 4)
        expected = [reference.reset(seed=1)[0]] + [reference.step(np.ones(4, int))[0] for _ in range(20)]
        envs.async_reset()
        steps = np.zeros(4, int)
        for _ in range(20):
            observations, *_, infos = envs.recv()
            for row, i in enumerate(infos["env_id"]):
                assert np.array_equal(observations[row], expected[steps[i]][i])
                steps[i] += 1
            envs.send(np.ones(2, int), infos["env_id"])

    @pytest.mark.parametrize("method", ["reset", "step"])
    def test_methods_for_all_environments_name_the_others(self, method: str) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 4, batch_size=2)
        arguments = () if method == "reset" else (np.zeros(4, int),)

        with pytest.raises(UnsupportedMode, match=r"batch_size=2 and num_envs=4; use (async_reset|send and recv)"):
            getattr(envs, method)(*arguments)


class TestErrors:
    @pytest.mark.parametrize("actions", [np.zeros(2, int), np.zeros((3, 1), int), 0])
    def test_wrong_number_of_actions_is_an_error(self, actions: Any) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 3)
        envs.reset(seed=1)

        with pytest.raises(ValueError, match=r"Expected actions of shape \(3,\), got"):
            envs.step(actions)

    def test_step_before_reset_is_an_error(self) -> None:
        with pytest.raises(ResetNeeded, match="reset before the first step"):
            EnvPoolVectorEnv("CartPole-v1", 2).step(np.zeros(2, int))

    def test_send_before_async_reset_is_an_error(self) -> None:
        with pytest.raises(ResetNeeded, match="async_reset before the first call of send"):
            EnvPoolVectorEnv("CartPole-v1", 4, batch_size=2).send(np.zeros(2, int), np.arange(2))

    def test_closed_pool_is_an_error(self) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 2)
        envs.reset(seed=1)
        envs.close()
        envs.close()

        with pytest.raises(Error, match="is closed"):
            envs.reset()

    def test_unknown_option_is_an_error(self) -> None:
        with pytest.raises(TypeError, match="depth"):
            make_vec("envpool/CartPole-v1", 2, depth=3)

    def test_unsupported_reset_options_are_an_error(self) -> None:
        envs = EnvPoolVectorEnv("CartPole-v1", 2)
        with pytest.raises(ValueError, match="no reset options except reset_mask"):
            envs.reset(options={"low": -1})
        with pytest.raises(ValueError, match="cannot omit environments from the first reset"):
            envs.reset(options={"reset_mask": np.array([True, False])})
        envs.reset()
        with pytest.raises(ValueError, match="cannot seed only some environments"):
            envs.reset(seed=1, options={"reset_mask": np.array([True, False])})

    def test_several_players_are_an_error(self) -> None:
        with pytest.raises(Error, match=r"up to 2 players per environment.* use envpool.make"):
            make_vec("envpool/TicTacToe-v1", 2)


def test_spec_creates_the_same_environments_again() -> None:
    envs = make_vec("envpool/CartPole-v1", 2, max_episode_steps=9)
    again = make_vec(envs.spec)

    assert np.array_equal(envs.reset(seed=4)[0], again.reset(seed=4)[0])
    assert again.config["max_episode_steps"] == 9


def test_frames_are_rendered() -> None:
    envs = make_vec("envpool/CartPole-v1", 2, render_mode="rgb_array")
    envs.reset(seed=1)
    frames = envs.render()

    assert [frame.shape for frame in frames] == [(400, 600, 3)] * 2
    assert frames[0].dtype == np.uint8
    assert not np.array_equal(*frames)


def test_unbounded_observations_are_inside_their_space() -> None:
    envs = make_vec("envpool/LunarLander-v3", 2)
    observations, _ = envs.reset(seed=1)

    assert np.isneginf(envs.single_observation_space.low).all()
    assert observations in envs.observation_space
