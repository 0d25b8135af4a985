"""Tests that CartPole's trajectories equal Gymnasium's for the same seeds, to the last bit."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.classic_control import cartpole as peer
from tests.peers.both import LIBRARIES, outcome, same

import gymkernel
from gymkernel_env_classic_control import CartPoleEnv, CartPoleVectorEnv

if TYPE_CHECKING:
    from collections.abc import Iterator

SEEDS = (0, 1, 42, 2**31)
pytestmark = pytest.mark.filterwarnings("ignore:.*(out of date|CartPole-v1|terminated)")


def actions(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).integers(0, 2, shape)


def assert_same_steps(ours: Any, theirs: Any, rows: Any) -> None:
    """Step both environments, reset both at the end of an episode, and compare every value and dtype."""
    for row in rows:
        mine, their = ours.step(row), theirs.step(row)
        assert same(mine, their)
        if their[2] or their[3]:
            assert same(ours.reset(), theirs.reset())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("env_id", ["CartPole-v0", "CartPole-v1"])
@pytest.mark.parametrize("options", [{}, {"sutton_barto_reward": True}, {"sutton_barto_reward": False}])
def test_trajectories_through_make(env_id: str, options: dict[str, Any], seed: int) -> None:
    ours, theirs = (library.make(env_id, **options) for library in LIBRARIES)
    assert same(ours.reset(seed=seed), theirs.reset(seed=seed))
    assert_same_steps(ours, theirs, actions(seed, 5000))
    assert ours.np_random_seed == theirs.np_random_seed
    assert same(ours.unwrapped.state, theirs.unwrapped.state)


@pytest.mark.parametrize("env_id", ["CartPole-v0", "CartPole-v1"])
def test_episodes_that_reach_the_limit(env_id: str) -> None:
    ours, theirs = (library.make(env_id) for library in LIBRARIES)
    assert same(ours.reset(seed=3), theirs.reset(seed=3))
    observation, truncations = ours.reset(seed=3)[0], 0
    theirs.reset(seed=3)
    for _ in range(3000):
        action = int(observation[2] + observation[3] > 0)  # this action balances the pole
        mine, their = ours.step(action), theirs.step(action)
        assert same(mine, their)
        observation = mine[0]
        truncations += mine[3]
        if mine[2] or mine[3]:
            observation, _ = ours.reset()
            assert same(observation, theirs.reset()[0])
    assert truncations


@pytest.mark.parametrize("integrator", ["euler", "semi-implicit"])
@pytest.mark.parametrize("sutton_barto_reward", [False, True])
def test_steps_after_the_end(integrator: str, sutton_barto_reward: bool) -> None:
    ours, theirs = (cls(sutton_barto_reward) for cls in (CartPoleEnv, peer.CartPoleEnv))
    for env in (ours, theirs):
        env.kinematics_integrator = integrator
        env.reset(seed=8)
    for action in actions(8, 3000):
        mine, their = ours.step(action), theirs.step(action)
        assert same(mine, their)
        assert same(ours.state, theirs.state)
        assert ours.steps_beyond_terminated == theirs.steps_beyond_terminated


def test_other_constants() -> None:
    ours, theirs = CartPoleEnv(), peer.CartPoleEnv()
    constants = {"gravity": 3.7, "masspole": 0.3, "total_mass": 1.4, "length": 0.8, "polemass_length": 0.24}
    constants |= {"force_mag": 7.5, "tau": 0.01, "x_threshold": 1.5, "theta_threshold_radians": 0.4}
    for env in (ours, theirs):
        env.reset(seed=1)
        for name, value in constants.items():
            assert hasattr(env, name)
            setattr(env, name, value)
    assert_same_steps(ours, theirs, actions(1, 2000))


def test_attributes_after_construction() -> None:
    ours, theirs = CartPoleEnv(), peer.CartPoleEnv()
    for name, value in vars(theirs).items():
        if isinstance(value, int | float | str) and not name.startswith("_") and name != "isopen":
            assert same(getattr(ours, name), value), name
    assert ours.metadata == theirs.metadata
    assert same(ours.observation_space, theirs.observation_space)
    assert same(ours.action_space, theirs.action_space)


BOUNDS: list[Any] = [None, {}, {"low": -0.1, "high": 0.1}, {"low": 0.0}, {"high": 0.2}, {"other": 3}]
BOUNDS += [{"low": 1, "high": 1}, {"low": "0.01"}, {"low": np.float32(-0.2)}]
BOUNDS += [{"low": 0.3}, {"high": "far"}, {"low": None}]


@pytest.mark.parametrize("options", BOUNDS, ids=repr)
@pytest.mark.parametrize("vector", [False, True])
def test_reset_options(options: dict[str, Any] | None, vector: bool) -> None:
    pairs = (CartPoleVectorEnv, peer.CartPoleVectorEnv) if vector else (CartPoleEnv, peer.CartPoleEnv)
    ours, theirs = (cls() for cls in pairs)
    assert same(*(outcome(env.reset, seed=5, options=options) for env in (ours, theirs)))


ACTIONS = [0, 1, 2, -1, True, 1.0, None, "1", np.int8(1), np.bool_(1), np.array(0), np.array([1]), np.array(1.0)]


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
def test_accepted_actions(action: Any) -> None:
    ours, theirs = CartPoleEnv(), peer.CartPoleEnv()
    for env in (ours, theirs):
        env.reset(seed=5)
    assert same(*(outcome(env.step, action) for env in (ours, theirs)))


def test_assigned_state() -> None:
    ours: Any = CartPoleEnv()
    theirs: Any = peer.CartPoleEnv()
    for env in (ours, theirs):
        env.reset(seed=5)
        env.state = np.array([0.1, 0.2, 0.05, -0.3])
    assert_same_steps(ours, theirs, actions(5, 10))
    for env in (ours, theirs):
        env.state[1] = 0.5
    assert_same_steps(ours, theirs, actions(6, 10))


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("num_envs", [1, 3, 64])
@pytest.mark.parametrize("options", [{}, {"sutton_barto_reward": True}, {"max_episode_steps": 7}])
@pytest.mark.parametrize("env_id", ["CartPole-v0", "CartPole-v1"])
def test_vectorised_trajectories(env_id: str, options: dict[str, Any], num_envs: int, seed: int) -> None:
    ours, theirs = (
        library.make_vec(env_id, num_envs=num_envs, vectorization_mode="vector_entry_point", **options)
        for library in LIBRARIES
    )
    assert same(ours.reset(seed=seed), theirs.reset(seed=seed))
    for row in actions(seed, 1000, num_envs):
        assert same(ours.step(row), theirs.step(row))
    assert same(ours.reset(options={"low": -0.2, "high": 0.2}), theirs.reset(options={"low": -0.2, "high": 0.2}))
    for row in actions(seed, 100, num_envs):
        assert same(ours.step(row), theirs.step(row))
    assert same(ours.unwrapped.state, theirs.unwrapped.state)
    assert ours.np_random_seed == theirs.np_random_seed


def test_vectorised_form_with_other_integrator_and_constants() -> None:
    ours: Any = CartPoleVectorEnv(9)
    theirs: Any = peer.CartPoleVectorEnv(9)
    for env in (ours, theirs):
        env.kinematics_integrator = "semi-implicit"
        env.gravity = np.linspace(5, 15, 9)
        env.reset(seed=2)
    for row in actions(2, 500, 9):
        assert same(ours.step(row), theirs.step(row))


def test_spaces_and_metadata_of_the_vectorised_form() -> None:
    ours, theirs = CartPoleVectorEnv(5), peer.CartPoleVectorEnv(5)
    for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
        assert same(getattr(ours, name), getattr(theirs, name))
    mode = ours.metadata["autoreset_mode"]
    assert {**ours.metadata, "autoreset_mode": mode.value} == {**theirs.metadata, "autoreset_mode": mode.value}
    assert theirs.metadata["autoreset_mode"].value == mode.value


MODES = ("NextStep", "SameStep", "Disabled")


def rollout(library: Any, env_id: str, mode: str, seed: int, num_envs: int) -> Iterator[Any]:
    """Yield all results of a rollout with a synchronous vector environment."""
    options = {"autoreset_mode": library.vector.AutoresetMode(mode)}
    envs = library.make_vec(env_id, num_envs=num_envs, vectorization_mode="sync", vector_kwargs=options)
    yield envs.reset(seed=seed)
    for row in actions(seed, 500, num_envs):
        *step, infos = envs.step(row)
        yield step, infos
        done = step[2] | step[3]
        if mode == "Disabled" and done.any():
            yield envs.reset(options={"reset_mask": done})
    yield envs.np_random_seed, repr(envs), envs.get_attr("x_threshold")
    envs.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", ["CartPole-v0", "CartPole-v1"])
@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("num_envs", [1, 4])
def test_synchronous_trajectories(mode: str, env_id: str, seed: int, num_envs: int) -> None:
    ours, theirs = (rollout(library, env_id, mode, seed, num_envs) for library in LIBRARIES)
    for mine, their in zip(ours, theirs, strict=True):
        assert same(mine, their)


def test_make_vec_uses_the_vectorised_form_by_default() -> None:
    assert [type(library.make_vec("CartPole-v1")).__name__ for library in LIBRARIES] == ["CartPoleVectorEnv"] * 2


@pytest.mark.parametrize("env_id", ["CartPole-v0", "CartPole-v1"])
def test_registered_specs(env_id: str) -> None:
    ours, theirs = gymkernel.spec(env_id), gymnasium.spec(env_id)
    for name in vars(theirs):
        if not name.endswith("entry_point"):
            assert getattr(ours, name) == getattr(theirs, name), name


def test_printed_forms() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        singles = [str(library.make("CartPole-v1")) for library in LIBRARIES]
        vectors = [repr(library.make_vec("CartPole-v1", num_envs=3)) for library in LIBRARIES]
        synchronous = [repr(library.make_vec("CartPole-v1", 2, "sync")) for library in LIBRARIES]
    assert singles[0] == singles[1] == "<TimeLimit<OrderEnforcing<PassiveEnvChecker<CartPoleEnv<CartPole-v1>>>>>"
    assert vectors[0] == vectors[1]
    assert synchronous[0] == synchronous[1]
