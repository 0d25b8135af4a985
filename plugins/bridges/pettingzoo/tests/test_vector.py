"""Test the vector environment whose rows are the agents of parallel environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.classic.rps import rps
from pettingzoo.classic.tictactoe import tictactoe

import gymkernel as gk
from gymkernel.error import ResetNeeded
from gymkernel.vector import AutoresetMode
from gymkernel_bridge_pettingzoo import ParallelVectorEnv, from_pettingzoo

each_mode = pytest.mark.parametrize("mode", AutoresetMode)


class Candles(ParallelEnv):  # type: ignore[misc]
    """A parallel environment with three agents. Agent i is done after 2 + i steps; the second agent is truncated."""

    metadata = {"name": "candles", "render_modes": ["ansi"]}  # noqa: RUF012 - PettingZoo defines it like this
    render_mode = "ansi"

    def __init__(self, late: bool = False) -> None:
        self.possible_agents = ["a", "b", "c"]
        self.late = late
        self.seeds: list[int | None] = []
        self.closed = 0

    def observation_space(self, agent: Any) -> Any:
        return spaces.Box(0, 100, (2,), np.float32)

    def action_space(self, agent: Any) -> Any:
        return spaces.Discrete(3)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.seeds.append(seed)
        self.steps = 0
        self.agents = self.possible_agents[1:] if self.late else self.possible_agents[:]
        self.taken: list[dict[str, Any]] = []
        return {agent: self._seen(agent) for agent in self.agents}, {
            agent: {"options": options} for agent in self.agents
        }

    def step(self, actions: dict[str, Any]) -> Any:
        self.taken.append(actions)
        self.steps += 1
        acted = self.agents
        done = {agent: self.steps >= 2 + self.possible_agents.index(agent) for agent in acted}
        truncated = {agent: done[agent] and agent == "b" for agent in acted}
        terminated = {agent: done[agent] and agent != "b" for agent in acted}
        self.agents = [agent for agent in acted if not done[agent]]
        observations = {agent: self._seen(agent) for agent in acted}
        return (
            observations,
            dict.fromkeys(acted, 1.5),
            terminated,
            truncated,
            {agent: {"n": self.steps} for agent in acted},
        )

    def _seen(self, agent: str) -> Any:
        return np.array([1 + self.possible_agents.index(agent), self.steps], np.float32)

    def render(self) -> str:
        return f"step {self.steps}"

    def close(self) -> None:
        self.closed += 1


def play(envs: ParallelVectorEnv, steps: int) -> list[tuple[Any, ...]]:
    return [envs.step(np.array([0, 1, 2])) for _ in range(steps)]


@each_mode
def test_agent_that_ends_early_is_masked_until_all_agents_are_done(mode: AutoresetMode) -> None:
    env = Candles()
    envs = ParallelVectorEnv(env, autoreset_mode=mode)
    _, infos = envs.reset(seed=1)
    results = play(envs, 3)

    assert infos["active"].tolist() == [True] * 3
    assert [result[4]["active"].tolist() for result in results] == [
        [True, True, True],
        [False, True, True],
        [False, False, True],
    ]
    assert [result[1].tolist() for result in results] == [[1.5, 1.5, 1.5], [1.5, 1.5, 1.5], [0.0, 1.5, 1.5]]
    assert [result[0][0].tolist() for result in results] == [[1, 1], [1, 2], [1, 2]]
    assert not any((result[2] | result[3]).any() for result in results)
    assert [sorted(actions) for actions in env.taken] == [["a", "b", "c"], ["a", "b", "c"], ["b", "c"]]


@each_mode
def test_each_row_ends_once_with_the_reason_of_its_agent(mode: AutoresetMode) -> None:
    envs = ParallelVectorEnv(Candles(), autoreset_mode=mode)
    envs.reset()
    _, rewards, terminations, truncations, _ = play(envs, 4)[-1]

    assert rewards.tolist() == [0.0, 0.0, 1.5]
    assert terminations.tolist() == [True, False, True]
    assert truncations.tolist() == [False, True, False]


def test_next_step_mode_resets_all_agents_in_the_step_after_the_end() -> None:
    envs = ParallelVectorEnv(Candles())
    envs.reset()
    *_, last, first = play(envs, 5)

    assert last[4]["active"].tolist() == [False] * 3
    assert first[0].tolist() == [[1, 0], [2, 0], [3, 0]]
    assert first[1].tolist() == [0.0] * 3
    assert not (first[2] | first[3]).any()
    assert first[4]["active"].tolist() == [True] * 3


def test_same_step_mode_returns_the_final_observations_and_starts_again() -> None:
    envs = ParallelVectorEnv(Candles(), autoreset_mode="SameStep")
    envs.reset()
    observations, _, _, _, infos = play(envs, 4)[-1]

    assert observations.tolist() == [[1, 0], [2, 0], [3, 0]]
    assert np.stack(infos["final_obs"]).tolist() == [[1, 2], [2, 3], [3, 4]]
    assert infos["final_info"]["n"].tolist() == [0, 0, 4]
    assert infos["active"].tolist() == [True] * 3


def test_disabled_mode_needs_a_reset_of_all_agents() -> None:
    envs = ParallelVectorEnv([Candles(), Candles()], autoreset_mode="Disabled")
    envs.reset()
    for _ in range(4):
        _, _, terminations, truncations, _ = envs.step(np.zeros(6, np.int64))
    over = terminations | truncations
    with pytest.raises(ResetNeeded, match="autoreset_mode is DISABLED"):
        envs.step(np.zeros(6, np.int64))
    with pytest.raises(ValueError, match="rows 3 to 5 or none, because their agents share an episode"):
        envs.reset(options={"reset_mask": np.array([True] * 4 + [False] * 2)})

    assert over.all()
    assert envs.reset(options={"reset_mask": over})[1]["active"].all()


def test_copies_of_an_environment_end_independently() -> None:
    envs = ParallelVectorEnv([Candles(), Candles()], autoreset_mode="Disabled")
    envs.reset()
    envs.step(np.zeros(6, np.int64))
    envs.reset(options={"reset_mask": np.array([False] * 3 + [True] * 3)})
    for _ in range(3):
        observations, _, terminations, truncations, _ = envs.step(np.zeros(6, np.int64))

    assert (terminations | truncations).tolist() == [True] * 3 + [False] * 3
    assert observations[:, 1].tolist() == [2, 3, 4, 2, 3, 3]


def test_each_copy_uses_the_seed_of_its_first_row() -> None:
    copies = [Candles(), Candles()]
    envs = ParallelVectorEnv(copies)
    envs.reset(seed=5)
    envs.reset(seed=[1, 2, 3, 4, 5, 6])

    assert [env.seeds for env in copies] == [[5, 1], [8, 4]]


def test_agent_that_has_not_appeared_is_not_active() -> None:
    envs = ParallelVectorEnv(Candles(late=True))
    observations, infos = envs.reset()

    assert observations.tolist() == [[0, 0], [2, 0], [3, 0]]
    assert infos["active"].tolist() == [False, True, True]
    assert play(envs, 1)[0][1].tolist() == [0.0, 1.5, 1.5]


def test_options_and_infos_are_passed_on() -> None:
    _, infos = ParallelVectorEnv(Candles()).reset(options={"size": 3})

    assert infos["options"]["size"].tolist() == [3, 3, 3]


def test_statistics_contain_one_episode_per_agent() -> None:
    envs = gk.wrappers.vector.RecordEpisodeStatistics(ParallelVectorEnv(Candles()))
    envs.reset()
    *_, last = (envs.step(np.array([0, 1, 2])) for _ in range(4))

    assert last[4]["episode"]["r"].tolist() == [3.0, 4.5, 6.0]


def test_spaces_and_metadata_are_those_of_a_vector_environment() -> None:
    envs = from_pettingzoo(Candles())
    assert isinstance(envs, gk.vector.VectorEnv)
    observations, _ = envs.reset(seed=1)

    assert isinstance(envs.single_action_space, gk.spaces.Discrete)
    assert observations in envs.observation_space
    assert ParallelVectorEnv(Candles()).agents == ["a", "b", "c"]
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.render() == ("step 0",) * 3


def test_environments_are_closed_once() -> None:
    env = Candles()
    with ParallelVectorEnv(env) as envs:
        envs.reset()
    envs.close()

    assert env.closed == 1


def test_results_belong_to_the_caller() -> None:
    envs = ParallelVectorEnv(Candles())
    first, _ = envs.reset()
    copy = first.copy()
    play(envs, 2)

    np.testing.assert_array_equal(first, copy)


class Unequal(Candles):
    """An environment whose agents have different action spaces."""

    def action_space(self, agent: Any) -> Any:
        return spaces.Discrete(2 if agent == "a" else 3)


@pytest.mark.parametrize(
    "envs,error,message",
    [
        (Unequal(), ValueError, r"equal action spaces, got Discrete\(2\) for 'a' and Discrete\(3\) for 'b'"),
        (tictactoe.env(), TypeError, "got the AEC environment .* whose agents act in turn"),
        ([], ValueError, "at least one parallel environment"),
        (7, TypeError, "Expected a PettingZoo parallel environment, got 7"),
        (Candles, TypeError, "Expected a PettingZoo parallel environment, got <class"),
    ],
)
def test_unsuitable_objects_are_rejected(envs: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        from_pettingzoo(envs)


def test_wrong_number_of_actions_is_rejected() -> None:
    envs = ParallelVectorEnv(rps.parallel_env())
    envs.reset()
    with pytest.raises(ValueError, match="Expected 2 actions, one for each agent, got 3"):
        envs.step(np.zeros(3, np.int64))
