"""Test that PettingZoo's games give the same trajectories in gymkernel as in PettingZoo, and that tools accept them.

The tox environment pettingzoo runs these tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from tests.multi_agent.games import PARALLEL, TURNS, last_valid, play_turns

import gymkernel as gk
from gymkernel.ops import batch_space
from gymkernel.rollouts import collect
from gymkernel.utils.env_checker import check_env
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("pettingzoo", reason="the tox environment pettingzoo installs PettingZoo")
    pytest.importorskip("mpe2", reason="the tox environment pettingzoo installs the games of mpe")
    from gymkernel.utils.pettingzoo import make_pettingzoo_vec
    from gymkernel_bridge_pettingzoo.families import creator

pytestmark = pytest.mark.filterwarnings("ignore")  # the games emit warnings
STEPS = 1000


KWARGS: dict[str, dict[str, Any]] = {"butterfly/pistonball_v6": {"n_pistons": 4}}
"""Arguments that make a game faster."""


def create(name: str, form: str) -> Any:
    found = creator(name, form)
    assert found is not None
    return found(**KWARGS.get(name, {}))


@pytest.mark.parametrize("name", PARALLEL)
def test_vector_environment_has_the_trajectory_of_1000_steps(name: str) -> None:
    envs, original = (
        make_pettingzoo_vec(name, autoreset_mode="Disabled", **KWARGS.get(name, {})),
        create(name, "parallel"),
    )
    envs.action_space.seed(3)
    observations, _ = envs.reset(seed=7)
    expected, _ = original.reset(seed=7)
    agents = original.possible_agents
    for _ in range(STEPS):
        for i, agent in enumerate(agents):
            if agent in expected:
                np.testing.assert_array_equal(observations[i], expected[agent])
        actions = envs.action_space.sample()
        live = list(original.agents)
        expected, rewards, terminated, truncated, _ = original.step(
            {agent: actions[i] for i, agent in enumerate(agents) if agent in live}
        )
        observations, seen_rewards, terminations, truncations, infos = envs.step(actions)
        assert seen_rewards.tolist() == [float(rewards[agent]) if agent in live else 0.0 for agent in agents]
        assert infos["active"].tolist() == [agent in original.agents for agent in agents]
        assert bool((terminations | truncations).all()) == (not original.agents)
        if not original.agents:
            assert [bool(terminations[agents.index(agent)]) for agent in live] == [terminated[agent] for agent in live]
            assert [bool(truncations[agents.index(agent)]) for agent in live] == [truncated[agent] for agent in live]
            expected, _ = original.reset()
            observations, _ = envs.reset()
    envs.close()
    original.close()


@pytest.mark.parametrize("name", TURNS)
def test_learner_has_the_trajectory_of_1000_turns(name: str) -> None:
    original = create(name, "aec")
    learner = original.possible_agents[1]
    original.reset(seed=7)
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    expected = play_turns(original, learner, lambda o, _: rng.choice(np.flatnonzero(o["action_mask"])), STEPS)
    env: Any = gk.make(f"pettingzoo/{name}", agent=learner, policies=last_valid)
    observation, info = env.reset(seed=7)
    seen: list[tuple[Any, ...]] = [(observation, 0, False, False)]
    for _ in range(STEPS):
        action = other.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append((observation, reward, terminated, truncated))
        if terminated or truncated:
            observation, info = env.reset()
            seen.append((observation, 0, False, False))

    assert len(expected) > STEPS
    for one, two in zip(seen, expected, strict=False):
        np.testing.assert_equal(one[0], two[0])
        assert one[1:] == two[1:]


@pytest.mark.parametrize("name", [*PARALLEL, *TURNS])
@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
def test_backends_step_like_single_environments(name: str, vector: Any) -> None:
    env_id = f"pettingzoo/{name}"
    envs, single = vector([lambda: gk.make(env_id)] * 2), gk.make(env_id)
    observations, _ = envs.reset(seed=6)
    observation, info = single.reset(seed=7)
    envs.action_space.seed(3)
    done = False
    for _ in range(10):
        np.testing.assert_equal(next_row(observations), observation)
        if done:
            break
        actions = np.array(envs.action_space.sample())
        if "action_mask" in info:
            actions[1] = np.flatnonzero(info["action_mask"])[0]
        observations = envs.step(actions)[0]
        observation, _, terminated, truncated, info = single.step(actions[1])
        done = terminated or truncated
    envs.close()
    single.close()


def next_row(observations: Any) -> Any:
    if isinstance(observations, dict):
        return {key: value[1] for key, value in observations.items()}
    return observations[1]


@pytest.mark.parametrize("name", [*PARALLEL, *TURNS])
def test_wrappers_accept_the_environment(name: str) -> None:
    env = gk.wrappers.RecordEpisodeStatistics(gk.wrappers.TimeLimit(gk.make(f"pettingzoo/{name}"), 1))
    env.reset(seed=1)

    assert env.step(env.action_space.sample())[4]["episode"]["l"] == 1
    env.close()


@pytest.mark.parametrize("name", [*PARALLEL, *TURNS])
def test_vector_wrappers_accept_all_agents(name: str) -> None:
    if name in TURNS:
        with pytest.raises(TypeError, match="agents act in turn"):
            make_pettingzoo_vec(name)
        return
    envs = gk.wrappers.vector.RecordEpisodeStatistics(make_pettingzoo_vec(name, 2))
    observations, _ = envs.reset(seed=1)
    for _ in range(3):
        observations, rewards, *_ = envs.step(envs.action_space.sample())

    assert observations in envs.observation_space
    assert rewards.shape == (envs.num_envs,)
    envs.close()


@pytest.mark.parametrize("name", [*PARALLEL, *TURNS])
def test_checker_finds_no_errors(name: str) -> None:
    env = gk.make(f"pettingzoo/{name}")
    if "knights" not in name:
        check_env(env, skip_render_check=True)
        return
    # A reset of the original game does not restart the clock that decides when zombies appear. It depends on this clock
    # which of the rules that compare two episodes notices the difference first.
    with pytest.raises(Exception, match=r"GK(303|501)"):
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("name", [*PARALLEL, *TURNS])
def test_rollouts_collect_transitions(name: str) -> None:
    env_id = f"pettingzoo/{name}"
    space = batch_space(gk.make(env_id).action_space, 2)
    with collect(env_id, lambda observations: space.sample(), num_envs=2, num_steps=6) as fragments:
        rewards = [fragment["rewards"] for fragment in fragments]

    assert sum(map(np.size, rewards)) == 6


def test_commands_accept_the_ids() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "gymkernel", "info", "pettingzoo/classic/rps_v2"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "Discrete(3)" in found
