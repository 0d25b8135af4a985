from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.spaces import Discrete
from gymkernel_env_toy_text import (
    CLIFF_WALKING,
    CLIFF_WALKING_SLIPPERY,
    FROZEN_LAKE,
    FROZEN_LAKE_8X8,
    TAXI,
    CliffWalkingEnv,
    FrozenLakeEnv,
    TaxiEnv,
    generate_random_map,
    is_valid,
)

CLASSES = (FrozenLakeEnv, CliffWalkingEnv, TaxiEnv)


def ready(env: Any, state: int | None = None) -> Any:
    env.reset(seed=0)
    if state is not None:
        env.s = state
    return env


def path(env: Any, *actions: int) -> list[int]:
    return [env.step(action)[0] for action in actions]


@pytest.mark.parametrize(
    "spec, steps, threshold",
    [
        (FROZEN_LAKE, 100, 0.7),
        (FROZEN_LAKE_8X8, 200, 0.85),
        (CLIFF_WALKING, None, None),
        (CLIFF_WALKING_SLIPPERY, None, None),
        (TAXI, 200, 8),
    ],
)
def test_registered_specs(spec: Any, steps: int | None, threshold: float | None) -> None:
    assert (spec.max_episode_steps, spec.reward_threshold) == (steps, threshold)
    assert type(spec).from_json(spec.to_json()) == spec
    assert gym.spec(spec.id) is spec
    assert gym.make(spec).unwrapped.spec is not None


@pytest.mark.parametrize("cls, states, actions", [(FrozenLakeEnv, 16, 4), (CliffWalkingEnv, 48, 4), (TaxiEnv, 500, 6)])
def test_spaces(cls: Any, states: int, actions: int) -> None:
    env = cls()
    assert env.observation_space == Discrete(states)
    assert env.action_space == Discrete(actions)
    assert sorted(env.P) == list(range(states))
    assert all(sorted(row) == list(range(actions)) for row in env.P.values())


@pytest.mark.parametrize(
    "env",
    [
        FrozenLakeEnv(),
        FrozenLakeEnv(success_rate=0.7),
        FrozenLakeEnv(is_slippery=False),
        CliffWalkingEnv(is_slippery=True),
        TaxiEnv(is_rainy=True, rainy_probability=0.35),
    ],
)
def test_probabilities_sum_to_one(env: Any) -> None:
    for row in env.P.values():
        for outcomes in row.values():
            assert math.isclose(sum(outcome[0] for outcome in outcomes), 1)
            assert all(outcome[1] in env.P for outcome in outcomes)
    assert env.initial_state_distrib.sum() == pytest.approx(1)


def test_step_selects_the_outcome_by_cumulative_probability() -> None:
    env = ready(FrozenLakeEnv(), 5 - 1)
    twin = copy.deepcopy(env.np_random)
    for _ in range(50):
        env.s = 4
        sums = np.cumsum([outcome[0] for outcome in env.P[4][2]])
        expected = env.P[4][2][int((sums <= twin.random()).sum())]
        assert env.step(2) == (*expected[1:], False, {"prob": expected[0]})


def test_transition_table_is_read_at_every_step() -> None:
    env = ready(FrozenLakeEnv(is_slippery=False))
    env.P[0][1] = [(1.0, 9, 7, False)]
    assert env.step(1)[:2] == (9, 7)


def test_initial_distribution_is_read_at_every_reset() -> None:
    env = FrozenLakeEnv()
    env.initial_state_distrib = np.eye(16)[13]
    assert env.reset(seed=4)[0] == 13


@pytest.mark.parametrize("cls", CLASSES)
def test_equal_seeds_give_equal_trajectories(cls: Any) -> None:
    one, other = cls(), cls()
    assert one.reset(seed=5)[0] == other.reset(seed=5)[0]
    for action in np.random.default_rng(2).integers(0, 4, 200):
        mine, theirs = one.step(action), other.step(action)
        assert mine[:4] == theirs[:4]
        if mine[2]:
            assert one.reset()[0] == other.reset()[0]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("action", [0, np.int64(1), np.int8(2), np.array(3), True])
def test_integer_types_are_valid_actions(cls: Any, action: Any) -> None:
    assert ready(cls()).step(action)[0] in cls().observation_space


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("action", [7, -1, 1.5, None, "1", np.array([1]), float("nan")])
def test_invalid_actions_are_rejected(cls: Any, action: Any) -> None:
    env = ready(cls())
    before, generator = env.s, copy.deepcopy(env.np_random)
    with pytest.raises(InvalidAction, match="Expected one of the actions 0"):
        env.step(action)
    assert env.s == before
    assert env.np_random.random() == generator.random()


@pytest.mark.parametrize("cls", CLASSES)
def test_step_before_reset_is_rejected(cls: Any) -> None:
    with pytest.raises(ResetNeeded, match="reset"):
        cls().step(0)
    with pytest.raises(ResetNeeded, match="reset"):
        cls(render_mode="ansi").render()


def test_invalid_state_is_rejected() -> None:
    with pytest.raises(ValueError, match="the state s to be in"):
        ready(FrozenLakeEnv(), 16).step(0)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_continues_identically(cls: Any, copied: Any) -> None:
    env = ready(cls())
    env.step(1)
    twin = copied(env)
    assert env.step(0)[:4] == twin.step(0)[:4]
    assert env.reset()[0] == twin.reset()[0]


@pytest.mark.parametrize("cls", CLASSES)
def test_unsupported_render_modes_are_rejected(cls: Any) -> None:
    with pytest.raises(UnsupportedMode, match="ansi"):
        cls(render_mode="depth")
    with pytest.warns(UserWarning, match="render_mode"):
        assert ready(cls()).render() is None


def test_frozen_lake_moves_left_down_right_up() -> None:
    env = ready(FrozenLakeEnv(is_slippery=False))
    assert path(env, 1, 1, 2, 3) == [4, 8, 9, 5]
    assert path(ready(FrozenLakeEnv(is_slippery=False)), 0, 3, 2, 0) == [0, 0, 1, 0]


def test_frozen_lake_ends_in_a_hole_and_at_the_goal() -> None:
    assert ready(FrozenLakeEnv(is_slippery=False), 4).step(2)[:3] == (5, 0, True)
    assert ready(FrozenLakeEnv(is_slippery=False), 14).step(2)[:3] == (15, 1, True)


def test_frozen_lake_stays_where_it_ended() -> None:
    env = ready(FrozenLakeEnv(), 5)
    assert env.step(2) == (5, 0, True, False, {"prob": 1.0})


def test_frozen_lake_slips_to_either_side() -> None:
    right, up, down = 7, 2, 10
    outcomes = FrozenLakeEnv(desc=["SFFF"] * 3 + ["FFFG"], success_rate=0.5).P[6][2]
    assert outcomes == [(0.25, down, 0, False), (0.5, right, 0, False), (0.25, up, 0, False)]


def test_frozen_lake_rewards() -> None:
    table = FrozenLakeEnv(desc=["SHG"], is_slippery=False, reward_schedule=(10, -10, -1)).P
    assert [table[state][action][0][2] for state, action in ((0, 0), (0, 2), (1, 2))] == [-1, -10, 0]
    assert FrozenLakeEnv(desc=["SFG"], is_slippery=False, reward_schedule=(10, -10, -1)).P[1][2][0][2] == 10


def test_frozen_lake_starts_at_any_start_tile() -> None:
    env = FrozenLakeEnv(desc=["SFS", "FFG"])
    assert {env.reset()[0] for _ in range(60)} == {0, 2}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"desc": ["SF", "F"]}, "rows of letters"),
        ({"desc": "SFFG"}, "rows of letters"),
        ({"desc": []}, "rows of letters"),
        ({"desc": ["FF", "FG"]}, "the letter S"),
        ({"map_name": "5x5"}, "4x4, 8x8"),
        ({"success_rate": 1.5}, "success_rate"),
        ({"reward_schedule": (1, 0)}, "reward_schedule"),
    ],
)
def test_invalid_frozen_lake_map_is_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FrozenLakeEnv(**options)


def test_frozen_lake_without_a_map_is_random() -> None:
    env = FrozenLakeEnv(map_name=None)
    assert env.desc.shape == (8, 8)
    assert is_valid(env.desc.astype(str).tolist(), 8)


def test_frozen_lake_ansi_rendering() -> None:
    env = ready(FrozenLakeEnv("ansi", is_slippery=False))
    assert env.render() == "\n\x1b[41mS\x1b[0mFFF\nFHFH\nFFFH\nHFFG\n"
    env.step(1)
    assert env.render().splitlines()[0] == "  (Down)"


@pytest.mark.parametrize("size", [2, 3, 8, 20])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_random_maps_are_solvable(size: int, seed: int) -> None:
    board = generate_random_map(size, 0.7, seed)
    assert board == generate_random_map(size, 0.7, seed)
    assert [len(row) for row in board] == [size] * size
    assert board[0][0] == "S"
    assert board[-1][-1] == "G"
    assert is_valid(board, size)


def test_map_with_a_winding_path_is_solvable() -> None:
    assert is_valid(["SFHF", "HFHF", "FFHF", "FHFG"], 4) is False
    assert is_valid(["SHFF", "FHFH", "FFFF", "HHHG"], 4) is True


@pytest.mark.parametrize("options", [{"size": 1}, {"size": 2.0}, {"p": 0}, {"p": -1}, {"p": math.nan}])
def test_invalid_random_map_arguments_are_rejected(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        generate_random_map(**options)


def test_probability_above_one_means_certain() -> None:
    assert generate_random_map(3, 2) == ["SFF", "FFF", "FFG"]


def test_cliff_walking_moves_up_right_down_left() -> None:
    env = ready(CliffWalkingEnv())
    assert path(env, 0, 1, 3, 3, 2, 2) == [24, 25, 24, 24, 36, 36]


def test_cliff_costs_100_and_returns_to_the_start() -> None:
    assert ready(CliffWalkingEnv(), 30).step(2)[:3] == (36, -100, False)


def test_cliff_walking_ends_at_the_goal() -> None:
    assert ready(CliffWalkingEnv(), 35).step(2)[:3] == (47, -1, True)


def test_slippery_cliff_walking() -> None:
    assert CliffWalkingEnv(is_slippery=True).P[25][1] == [
        (1 / 3, 13, -1, False),
        (1 / 3, 26, -1, False),
        (1 / 3, 36, -100, False),
    ]
    env: Any = gym.make("CliffWalkingSlippery-v1").unwrapped
    assert env.is_slippery


def test_cliff_walking_ansi_rendering() -> None:
    meadow = "  ".join("o" * 12)
    last = "  ".join(["x", *"C" * 10, "T"])
    assert ready(CliffWalkingEnv("ansi")).render() == f"{meadow}\n{meadow}\n{meadow}\n{last}\n\n"


def test_taxi_encodes_and_decodes_every_state() -> None:
    env = TaxiEnv()
    assert [env.encode(*env.decode(state)) for state in range(500)] == list(range(500))
    with pytest.raises(ValueError, match="from 0 to 499"):
        env.decode(500)


@pytest.mark.parametrize(
    "before, action, after, reward, terminated",
    [
        ((1, 1, 0, 1), 0, (2, 1, 0, 1), -1, False),
        ((0, 1, 0, 1), 1, (0, 1, 0, 1), -1, False),
        ((1, 1, 0, 1), 2, (1, 1, 0, 1), -1, False),  # a wall
        ((2, 1, 0, 1), 2, (2, 2, 0, 1), -1, False),
        ((4, 3, 0, 1), 3, (4, 3, 0, 1), -1, False),  # a wall
        ((0, 0, 0, 1), 4, (0, 0, 4, 1), -1, False),
        ((0, 1, 0, 1), 4, (0, 1, 0, 1), -10, False),
        ((0, 0, 4, 1), 4, (0, 0, 4, 1), -10, False),
        ((0, 4, 4, 1), 5, (0, 4, 1, 1), 20, True),
        ((4, 0, 4, 1), 5, (4, 0, 2, 1), -1, False),
        ((2, 2, 4, 1), 5, (2, 2, 4, 1), -10, False),
        ((0, 4, 0, 1), 5, (0, 4, 0, 1), -10, False),
    ],
)
def test_taxi_dynamics(before: Any, action: int, after: Any, reward: int, terminated: bool) -> None:
    env = ready(TaxiEnv(), TaxiEnv.encode(*before))
    assert env.step(action)[:3] == (TaxiEnv.encode(*after), reward, terminated)


def test_taxi_has_300_initial_states() -> None:
    first = {TaxiEnv.decode(int(state)) for state in np.flatnonzero(TaxiEnv().initial_state_distrib)}
    assert len(first) == 300
    assert all(passenger not in {4, destination} for _, _, passenger, destination in first)


def test_rainy_taxi_can_deviate_unless_blocked() -> None:
    env = TaxiEnv(is_rainy=True)
    place = env.encode(2, 2, 0, 1)
    assert [env.decode(item[1])[:2] for item in env.P[place][0]] == [(3, 2), (2, 3), (2, 1)]
    assert [item[0] for item in env.P[place][0]] == pytest.approx([0.8, 0.1, 0.1])
    wall = env.encode(1, 1, 0, 1)
    assert {item[1] for item in env.P[wall][2]} == {wall}


def test_action_mask_marks_actions_that_change_the_state() -> None:
    env = ready(TaxiEnv())
    for state in range(500):
        changed = [env.P[state][action][0][1] != state for action in range(6)]
        assert env.action_mask(state).tolist() == changed
    _, info = env.reset(seed=1)
    assert (info["action_mask"] == env.action_mask(env.s)).all()
    info["action_mask"][:] = 9
    assert (env.action_mask(env.s) < 2).all()


def test_fickle_passenger_changes_the_destination_once() -> None:
    env = ready(TaxiEnv(fickle_passenger=True, fickle_probability=1.0), TaxiEnv.encode(0, 0, 0, 1))
    assert env.fickle_step
    env.step(4)
    assert env.decode(env.step(1)[0])[3] == 1  # the taxi does not move, because there is a wall
    changed = env.decode(env.step(0)[0])[3]
    assert changed != 1
    assert {env.decode(env.step(action)[0])[3] for action in (0, 2, 1, 3)} == {changed}


def test_non_fickle_passenger_uses_no_random_number() -> None:
    plain, fickle = ready(TaxiEnv()), ready(TaxiEnv(fickle_passenger=True, fickle_probability=0.0))
    assert plain.s == fickle.s
    assert plain.np_random.random() != fickle.np_random.random()


@pytest.mark.parametrize("options", [{"rainy_probability": 1.1}, {"fickle_probability": -0.1}])
def test_invalid_probability_is_rejected(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="to be a probability"):
        TaxiEnv(**options)  # type: ignore[arg-type]


def test_taxi_ansi_rendering() -> None:
    env = ready(TaxiEnv("ansi"), TaxiEnv.encode(2, 2, 0, 1))
    lines = env.render().splitlines()
    assert lines[1].startswith("|\x1b[34;1mR\x1b[0m")
    assert lines[1].endswith("\x1b[35mG\x1b[0m|")
    assert "\x1b[43m \x1b[0m" in lines[3]
    env.s = TaxiEnv.encode(2, 2, 4, 1)
    env.step(4)
    assert "\x1b[42m_\x1b[0m" in env.render()
    assert env.render().endswith("  (Pickup)\n")
