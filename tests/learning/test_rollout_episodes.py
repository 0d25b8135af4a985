"""Tests that rollouts collect the same episodes as loops over Gymnasium's LunarLander and HalfCheetah."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner
from tests.learning import policies
from tests.learning.forms import VECTORISED, make_same_step

from gymkernel.rollouts import collect
from gymkernel_tool_rollout.command import command

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 11
NUM_ENVS = 4
NUM_EPISODES = 4
FRAGMENT = 100
POLICIES: dict[str, Callable[[Any], Any]] = {"LunarLander-v3": policies.land, "HalfCheetah-v5": policies.balance}
STEPS = {"LunarLander-v3": 900, "HalfCheetah-v5": 1100}
"""The number of steps of each environment, in which every environment finishes at least one episode."""
COLUMNS = "observations", "actions", "rewards", "terminations", "truncations"
EPISODES = "episode_returns", "episode_lengths", "final_observations"
each_env = pytest.mark.parametrize("env_id", POLICIES)


@cache
def loop(env_id: str, index: int) -> dict[str, Any]:
    """Step one of Gymnasium's environments, and return the columns of a fragment and the columns of its episodes."""
    env, policy = gymnasium.make(env_id), POLICIES[env_id]
    rows: dict[str, list[Any]] = {name: [] for name in (*COLUMNS, *EPISODES)}
    observation, _ = env.reset(seed=SEED + index)
    rewards: list[float] = []
    for _ in range(STEPS[env_id]):
        action = policy(observation)
        following, *results, _ = env.step(action)
        for name, value in zip(COLUMNS, (observation, action, *results), strict=True):
            rows[name].append(value)
        rewards.append(float(results[0]))
        observation = following
        if any(results[1:]):
            for name, value in zip(EPISODES, (sum(rewards), len(rewards), following), strict=True):
                rows[name].append(value)
            observation, _ = env.reset()
            rewards = []
    env.close()
    assert rows["episode_lengths"]
    return {"last_observations": observation, **{name: np.array(values) for name, values in rows.items()}}


@each_env
@pytest.mark.parametrize("engine, num_shards", [("sync", 1), ("sync", 3), ("async", 2)])
def test_fragments_contain_the_same_episodes(env_id: str, engine: str, num_shards: int) -> None:
    shards: list[list[Any]] = [[] for _ in range(num_shards)]
    options: dict[str, Any] = {"num_envs": NUM_ENVS, "num_shards": num_shards, "fragment_length": FRAGMENT}
    with collect(
        env_id, POLICIES[env_id], num_steps=NUM_ENVS * STEPS[env_id], seed=SEED, engine=engine, **options
    ) as fragments:
        for fragment in fragments:
            shards[fragment.shard].append(fragment)
    index = 0
    for parts in shards:
        columns = {name: np.concatenate([part[name] for part in parts]) for name in (*COLUMNS, *EPISODES)}
        ends = np.concatenate([part["episode_ends"] for part in parts])
        for i in range(columns["rewards"].shape[1]):
            expected = loop(env_id, index)
            for name in COLUMNS:
                np.testing.assert_array_equal(columns[name][:, i], expected[name], err_msg=name)
            for name in EPISODES:
                np.testing.assert_array_equal(columns[name][ends[:, 1] == i], expected[name], err_msg=name)
            np.testing.assert_array_equal(parts[-1]["last_observations"][i], expected["last_observations"])
            index += 1
    assert index == NUM_ENVS


@pytest.mark.parametrize(
    "env_id, mode",
    [
        ("LunarLander-v3", "sync"),
        ("LunarLander-v3", "async"),
        ("HalfCheetah-v5", "sync"),
        ("HalfCheetah-v5", "async"),
        ("HalfCheetah-v5", VECTORISED),
    ],
)
def test_vector_environment_gives_the_same_episodes(env_id: str, mode: str) -> None:
    envs = make_same_step(env_id, NUM_ENVS, mode)
    rows: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    observations, _ = envs.reset(seed=SEED)
    for _ in range(STEPS[env_id]):
        actions = POLICIES[env_id](observations)
        following, *results, _ = envs.step(actions)
        for name, value in zip(COLUMNS, (observations, actions, *results), strict=True):
            rows[name].append(np.copy(value))
        observations = following
    envs.close()

    for i in range(NUM_ENVS):
        expected = loop(env_id, i)
        for name in COLUMNS:
            np.testing.assert_array_equal(np.array(rows[name])[:, i], expected[name], err_msg=name)
        np.testing.assert_array_equal(observations[i], expected["last_observations"])


@cache
def seeded_episodes(env_id: str) -> list[dict[str, Any]]:
    """Run Gymnasium's environment for the episodes of the command, and return them in the format of the report."""
    env, policy = gymnasium.make(env_id), POLICIES[env_id]
    episodes = []
    for number in range(NUM_EPISODES):
        observation, _ = env.reset(seed=SEED + number)
        rewards: list[float] = []
        terminated = truncated = False
        while not (terminated or truncated):
            observation, reward, terminated, truncated, _ = env.step(policy(observation))
            rewards.append(float(reward))
        ended = "terminated" if terminated else "truncated"
        length = len(rewards)
        episodes.append(
            {"number": number, "seed": SEED + number, "return": sum(rewards), "length": length, "ended": ended}
        )
    env.close()
    return episodes


@each_env
@pytest.mark.parametrize("engine", [[], ["--engine", "sync"], ["--engine", "async", "--num-envs", "3"]])
def test_command_reports_the_same_episodes(env_id: str, engine: list[str]) -> None:
    policy = f"{Path(policies.__file__)}:{POLICIES[env_id].__name__}_each"
    options = ["--policy", policy, "--episodes", str(NUM_EPISODES), "--seed", str(SEED), "--format", "json"]
    result = CliRunner().invoke(command, [env_id, *options, *engine])

    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["episodes"] == seeded_episodes(env_id)
