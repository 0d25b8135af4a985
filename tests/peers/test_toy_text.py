"""Tests that the trajectories and infos of the toy text environments equal Gymnasium's for the same seeds."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text import BlackjackEnv as PeerBlackjack
from gymnasium.envs.toy_text import CliffWalkingEnv as PeerCliffWalking
from gymnasium.envs.toy_text import FrozenLakeEnv as PeerFrozenLake
from gymnasium.envs.toy_text import TaxiEnv as PeerTaxi
from gymnasium.envs.toy_text.frozen_lake import generate_random_map as peer_random_map
from gymnasium.envs.toy_text.frozen_lake import is_valid as peer_is_valid
from tests.peers.both import LIBRARIES, same

import gymkernel
from gymkernel_env_toy_text import (
    BlackjackEnv,
    CliffWalkingEnv,
    FrozenLakeEnv,
    TaxiEnv,
    generate_random_map,
    is_valid,
)

SEEDS = (0, 1, 42, 2**31)
IDS = ("Blackjack-v1", "FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1", "Taxi-v4")
CASES: list[tuple[str, dict[str, Any]]] = [
    *[(env_id, {}) for env_id in IDS],
    ("Blackjack-v1", {"sab": False}),
    ("Blackjack-v1", {"natural": True}),
    ("Blackjack-v1", {"sab": False, "natural": True}),
    ("FrozenLake-v1", {"is_slippery": False}),
    ("FrozenLake-v1", {"success_rate": 0.9}),
    ("FrozenLake-v1", {"success_rate": 1.0}),
    ("FrozenLake-v1", {"success_rate": 0.0, "reward_schedule": (10, -5, -1)}),
    ("FrozenLake-v1", {"reward_schedule": (1.5, -0.5, -0.25), "is_slippery": False}),
    ("FrozenLake-v1", {"desc": ["SFFH", "FSFF", "XFHG"]}),
    ("FrozenLake-v1", {"desc": generate_random_map(6, 0.7, seed=4)}),
    ("FrozenLake-v1", {"map_name": "8x8"}),
    ("CliffWalking-v1", {"is_slippery": True}),
    ("Taxi-v4", {"is_rainy": True}),
    ("Taxi-v4", {"is_rainy": True, "rainy_probability": 0.35}),
    ("Taxi-v4", {"fickle_passenger": True}),
    ("Taxi-v4", {"fickle_passenger": True, "fickle_probability": 1.0}),
    ("Taxi-v4", {"is_rainy": True, "fickle_passenger": True, "rainy_probability": 0.6, "fickle_probability": 0.8}),
]


def pair(env_id: str, **options: Any) -> tuple[Any, Any]:
    ours, theirs = (library.make(env_id, **options) for library in LIBRARIES)
    return ours, theirs


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("env_id, options", CASES)
def test_trajectories(env_id: str, options: dict[str, Any], seed: int) -> None:
    ours, theirs = pair(env_id, **options)
    assert same(ours.reset(seed=seed, options={"any": 1}), theirs.reset(seed=seed, options={"any": 1}))
    for action in np.random.default_rng(seed).integers(0, ours.action_space.n, 4000):
        mine, their = ours.step(action), theirs.step(action)
        assert same(mine, their)
        if their[2] or their[3]:
            assert same(ours.reset(), theirs.reset())
    assert ours.np_random.bit_generator.state == theirs.np_random.bit_generator.state
    assert ours.np_random_seed == theirs.np_random_seed


@pytest.mark.parametrize("options", [{}, {"fickle_passenger": True, "fickle_probability": 1.0}, {"is_rainy": True}])
def test_taxi_episodes_that_end(options: dict[str, Any]) -> None:
    ours, theirs = pair("Taxi-v4", **options)
    assert same(ours.reset(seed=3), theirs.reset(seed=3))
    mask, delivered, choices = ours.unwrapped.action_mask(ours.unwrapped.s), 0, np.random.default_rng(3)
    for _ in range(20000):
        row, column, passenger, destination = ours.unwrapped.decode(ours.unwrapped.s)
        if mask[4]:
            action = 4
        elif passenger == 4 and (row, column) == ours.unwrapped.locs[destination]:
            action = 5
        else:
            action = int(choices.choice(mask[:4].nonzero()[0]))
        mine, their = ours.step(action), theirs.step(action)
        assert same(mine, their)
        mask, delivered = mine[4]["action_mask"], delivered + (mine[1] == 20)
        if mine[2] or mine[3]:
            begun = ours.reset()
            assert same(begun, theirs.reset())
            mask = begun[1]["action_mask"]
    assert delivered > 10


@pytest.mark.parametrize("cls, peer", [(FrozenLakeEnv, PeerFrozenLake), (BlackjackEnv, PeerBlackjack)])
def test_steps_after_the_end(cls: Any, peer: Any) -> None:
    ours, theirs = cls(), peer()
    assert same(ours.reset(seed=8), theirs.reset(seed=8))
    for action in np.random.default_rng(8).integers(0, 2, 300):
        assert same(ours.step(action), theirs.step(action))


TABLES: list[tuple[Any, Any, dict[str, Any]]] = [
    (CliffWalkingEnv, PeerCliffWalking, {}),
    (CliffWalkingEnv, PeerCliffWalking, {"is_slippery": True}),
    (FrozenLakeEnv, PeerFrozenLake, {}),
    (FrozenLakeEnv, PeerFrozenLake, {"map_name": "8x8", "success_rate": 0.55}),
    (FrozenLakeEnv, PeerFrozenLake, {"desc": ["SXH", "FSG"], "is_slippery": False, "reward_schedule": (3, 2, 1)}),
    (TaxiEnv, PeerTaxi, {}),
    (TaxiEnv, PeerTaxi, {"is_rainy": True}),
    (TaxiEnv, PeerTaxi, {"is_rainy": True, "rainy_probability": 0.3}),
]


@pytest.mark.parametrize("cls, peer, options", TABLES)
def test_tables(cls: Any, peer: Any, options: dict[str, Any]) -> None:
    ours, theirs = cls(**options), peer(**options)
    assert ours.P == theirs.P
    assert same(ours.initial_state_distrib, theirs.initial_state_distrib)


@pytest.mark.parametrize(
    "cls, peer",
    [
        (BlackjackEnv, PeerBlackjack),
        (CliffWalkingEnv, PeerCliffWalking),
        (FrozenLakeEnv, PeerFrozenLake),
        (TaxiEnv, PeerTaxi),
    ],
)
def test_attributes_after_construction(cls: Any, peer: Any) -> None:
    ours, theirs = cls(), peer()
    assert ours.metadata == theirs.metadata
    assert same(ours.observation_space, theirs.observation_space)
    assert same(ours.action_space, theirs.action_space)
    ignored = {
        "P",
        "max_row",
        "max_col",
        "locs_colors",
        "cell_size",
    }  # the last four attributes are only used for rendering and in the constructor
    for name, value in vars(theirs).items():
        if value is not None and not name.startswith("_") and name not in ignored and not hasattr(value, "sample"):
            assert np.array_equal(getattr(ours, name), value), name


def test_taxi_encodes_decodes_and_masks() -> None:
    ours: Any = TaxiEnv()
    theirs: Any = PeerTaxi()
    for state in range(500):
        assert same(ours.decode(state), theirs.decode(state))
        assert ours.encode(*ours.decode(state)) == theirs.encode(*theirs.decode(state)) == state
        assert same(ours.action_mask(state), theirs.action_mask(state))


@pytest.mark.parametrize("env_id", ["FrozenLake-v1", "CliffWalking-v1", "Taxi-v4"])
def test_ansi_output(env_id: str) -> None:
    ours, theirs = pair(env_id, render_mode="ansi")
    for env in (ours, theirs):
        env.reset(seed=6)
    assert ours.render() == theirs.render()
    for action in np.random.default_rng(6).integers(0, ours.action_space.n, 300):
        done = ours.step(action)[2:4], theirs.step(action)[2:4]
        assert ours.render() == theirs.render()
        if True in done[0]:
            ours.reset()
            theirs.reset()


@pytest.mark.parametrize("size, p", [(2, 0.5), (4, 0.6), (8, 0.8), (8, 1), (13, 0.7), (5, 7)])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_maps(size: int, p: float, seed: int) -> None:
    assert generate_random_map(size, p, seed) == peer_random_map(size, p, seed)


def test_solvable_maps() -> None:
    draw = np.random.default_rng(0)
    answers = set()
    for _ in range(300):
        board = draw.choice(["F", "H"], (5, 5), p=[0.6, 0.4])
        board[-1][-1] = "G"
        answers.add(is_valid(board.tolist(), 5))
        assert is_valid(board.tolist(), 5) == peer_is_valid(board.tolist(), 5)
    assert answers == {True, False}


def whole(infos: Any, ours: Any) -> Any:
    """Remove the probabilities, which Gymnasium rounds if the first environment's reset returned an integer."""
    rounded = "prob" in ours and ours["prob"].dtype.kind == "f" and (ours["prob"] == 1).any()
    return {key: value for key, value in infos.items() if key != "prob" or not rounded}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("env_id, options", CASES)
def test_vectorised_form_equals_gymnasiums_sync_backend(env_id: str, options: dict[str, Any], mode: str) -> None:
    peer_mode = gymnasium.vector.AutoresetMode(mode)
    ours: Any = gymkernel.make_vec(env_id, num_envs=6, autoreset_mode=mode, **options)
    theirs = gymnasium.make_vec(
        env_id, num_envs=6, vectorization_mode="sync", vector_kwargs={"autoreset_mode": peer_mode}, **options
    )
    assert same(ours.reset(seed=9), theirs.reset(seed=9))
    for row in np.random.default_rng(9).integers(0, ours.single_action_space.n, (600, 6)):
        mine, their = ours.step(row), theirs.step(row)
        assert same(mine[:4], their[:4])
        assert same(*(whole(infos, mine[4]) for infos in (mine[4], their[4])))
        done = their[2] | their[3]
        if mode == "Disabled" and done.any():
            resets = [envs.reset(options={"reset_mask": done.copy()}) for envs in (ours, theirs)]
            assert same(*resets)
    theirs.close()


@pytest.mark.parametrize("env_id", IDS)
def test_registered_specs(env_id: str) -> None:
    ours, theirs = gymkernel.spec(env_id), gymnasium.spec(env_id)
    for name in vars(theirs):
        if not name.endswith("entry_point"):
            assert getattr(ours, name) == getattr(theirs, name), name


@pytest.mark.parametrize("env_id", IDS)
def test_printed_forms(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours, theirs = pair(env_id)
    assert str(ours) == str(theirs)
