"""Test environments in which one agent learns while policies control the others."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.rps import rps
from pettingzoo.classic.tictactoe import tictactoe

import gymkernel as gk
from gymkernel.error import NameNotFound, ResetNeeded
from gymkernel.utils.env_checker import check_env
from gymkernel_bridge_pettingzoo import OneAgentEnv, from_pettingzoo, make_pettingzoo_vec

ROCK, PAPER, SCISSORS = range(3)


def first_valid(observation: Any, info: dict[str, Any]) -> int:
    return int(np.flatnonzero(info["action_mask"])[0])


@pytest.mark.parametrize("create", [rps.env, rps.parallel_env], ids=["AEC", "parallel"])
@pytest.mark.parametrize("agent", ["player_0", "player_1"])
def test_policy_plays_the_other_agent(create: Any, agent: str) -> None:
    env = from_pettingzoo(create(), agent, lambda observation, info: ROCK)
    env.reset(seed=1)

    assert [env.step(action)[1] for action in (ROCK, PAPER, SCISSORS)] == [0, 1, -1]


def test_policy_of_a_single_agent_is_chosen_by_name() -> None:
    env = from_pettingzoo(rps.parallel_env(), "player_1", {"player_0": lambda observation, info: SCISSORS})
    env.reset(seed=1)

    assert env.step(ROCK)[1] == 1


def test_random_actions_of_other_agents_are_seeded() -> None:
    def rewards(seed: int) -> list[Any]:
        env = OneAgentEnv(rps.parallel_env(max_cycles=40))
        env.reset(seed=seed)
        return [env.step(ROCK)[1] for _ in range(30)]

    assert rewards(1) == rewards(1)
    assert rewards(1) != rewards(2)
    assert {-1, 0, 1} == set(rewards(1))


def test_action_mask_is_in_the_info() -> None:
    env = from_pettingzoo(tictactoe.env(), "player_2", first_valid)
    observation, info = env.reset(seed=1)

    assert info["action_mask"].tolist() == [0] + [1] * 8  # the other agent has taken the first square
    np.testing.assert_array_equal(info["action_mask"], observation["action_mask"])
    assert observation in env.observation_space
    _, _, _, _, info = env.step(4)
    assert info["action_mask"].tolist() == [0, 0, 1, 1, 0, 1, 1, 1, 1]


def test_random_agents_perform_valid_actions_only() -> None:
    env = OneAgentEnv(tictactoe.env())
    for seed in range(20):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            _, reward, terminated, truncated, info = env.step(first_valid(None, info))
            done = terminated or truncated
        assert reward in {-1, 0, 1}


def test_reward_of_a_win_and_of_a_loss_reaches_the_learner() -> None:
    def second_column(observation: Any, info: dict[str, Any]) -> int:
        return 1

    winner = from_pettingzoo(connect_four.env(), "player_0", second_column)
    loser = from_pettingzoo(connect_four.env(), "player_1", second_column)
    winner.reset(seed=1)
    loser.reset(seed=1)

    assert [winner.step(0)[1:3] for _ in range(4)] == [(0, False)] * 3 + [(1, True)]
    assert [loser.step(0)[1:3] for _ in range(3)] == [(0, False)] * 2 + [(-1, True)]


def test_step_after_the_end_is_an_error() -> None:
    env = from_pettingzoo(connect_four.env(), "player_0", lambda observation, info: 1)
    with pytest.raises(ResetNeeded, match="'player_0' is done: call reset"):
        env.step(0)
    env.reset()
    for _ in range(4):
        env.step(0)
    with pytest.raises(ResetNeeded, match="'player_0' is done: call reset"):
        env.step(0)


class Short:
    """An AEC environment whose first agent ends every second episode before the learner's turn."""

    metadata: dict[str, Any] = {"name": "short"}  # noqa: RUF012 - PettingZoo defines it like this
    possible_agents = ("first", "learner")
    render_mode = None

    def __init__(self, survives: bool = True) -> None:
        self.episodes, self.survives = 0, survives

    unwrapped = property(lambda self: self)

    def observation_space(self, agent: str) -> Any:
        return gk.spaces.Discrete(100)

    action_space = observation_space

    def agent_iter(self) -> Any:
        raise NotImplementedError

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.episodes += 1
        self.agents, self.agent_selection, self.done = list(self.possible_agents), "first", False

    def last(self) -> Any:
        return self.episodes, 0.0, self.done, False, {}

    def step(self, action: Any) -> None:
        if action is None:
            self.agents.remove(self.agent_selection)
        self.done = self.done or not (self.survives and self.episodes % 2 == 0)
        self.agent_selection = "learner"


def test_episode_without_a_turn_of_the_learner_is_repeated() -> None:
    env = OneAgentEnv(Short(), "learner")

    assert env.reset(seed=1)[0] == 2
    with pytest.raises(RuntimeError, match="100 episodes ended before the first turn of the agent 'learner'"):
        OneAgentEnv(Short(survives=False), "learner").reset()


@pytest.mark.parametrize(
    "arguments,error,message",
    [
        ({"env": 7}, TypeError, "expects a PettingZoo environment, got 7"),
        ({"agent": "player_9"}, ValueError, "agent to be one of .*'player_0', 'player_1'.*, got 'player_9'"),
        (
            {"policies": {"player_0": first_valid}},
            ValueError,
            r"policies for the agents \['player_1'\], got a policy for",
        ),
        ({"policies": {"player_1": 3}}, TypeError, "policy of 'player_1' to be a function, got 3"),
    ],
)
def test_invalid_arguments_are_rejected(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        OneAgentEnv(**{"env": rps.parallel_env(), **arguments})


def test_id_creates_an_environment_for_the_given_agent() -> None:
    env: Any = gk.make("pettingzoo/classic/tictactoe_v3", agent="player_2", policies=first_valid)
    _, info = env.reset(seed=1)

    assert env.unwrapped.agent == "player_2"
    assert info["action_mask"][0] == 0
    assert env.spec.id == "pettingzoo/classic/tictactoe_v3"


@pytest.mark.parametrize("name", ["classic/tictactoe_v2", "classic/tictacto_v3"])
def test_unknown_id_is_an_error_that_names_the_right_one(name: str) -> None:
    with pytest.raises(NameNotFound, match=r"did you mean .*pettingzoo/classic/tictactoe_v3"):
        gk.make(f"pettingzoo/{name}")


def test_vector_environment_needs_a_parallel_form() -> None:
    with pytest.raises(TypeError, match="classic/tictactoe_v3 has no parallel form, because its agents act in turn"):
        make_pettingzoo_vec("classic/tictactoe_v3")

    assert make_pettingzoo_vec("classic/rps_v2", 3).num_envs == 6


def test_checker_finds_no_errors() -> None:
    check_env(from_pettingzoo(rps.parallel_env(), "player_0"), skip_render_check=True)


def test_loading_the_hook_does_not_import_the_library() -> None:
    code = "import sys, gymkernel_bridge_pettingzoo.resolve; print({'gymnasium', 'pettingzoo'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
