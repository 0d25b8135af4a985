"""Tests that LunarLander, BipedalWalker and CarRacing give the same results and images as Gymnasium's, bit for bit.

The slow tests compare 10,000 steps for each variant of each environment.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gymkernel
from gymkernel.utils.env_checker import check_env
from gymkernel_env_box2d.bipedal_walker import BipedalWalker, BipedalWalkerHeuristics
from gymkernel_env_box2d.car_racing import CarRacing
from gymkernel_env_box2d.lunar_lander import LunarLander, heuristic

if TYPE_CHECKING:
    from collections.abc import Callable

# Gymnasium's modules are imported after ours, which hide the warnings that occur when Box2D is imported.
_their_walker, _their_lander = (
    import_module(f"gymnasium.envs.box2d.{name}") for name in ("bipedal_walker", "lunar_lander")
)
TheirWalker, TheirHeuristics = _their_walker.BipedalWalker, _their_walker.BipedalWalkerHeuristics
TheirLander, their_heuristic = _their_lander.LunarLander, _their_lander.heuristic
TheirCar = import_module("gymnasium.envs.box2d.car_racing").CarRacing
LANDER, WALKER, CAR = (LunarLander, TheirLander), (BipedalWalker, TheirWalker), (CarRacing, TheirCar)
STRONG = {"enable_wind": True, "wind_power": 20.0, "turbulence_power": 2.0, "gravity": -3.7}
CASES: list[tuple[tuple[Any, Any], dict[str, Any], int]] = [
    (LANDER, {}, 600),
    (LANDER, {"continuous": True}, 600),
    (LANDER, {"enable_wind": True}, 600),
    (LANDER, {"continuous": True, **STRONG}, 600),
    (WALKER, {}, 500),
    (WALKER, {"hardcore": True}, 500),
    (CAR, {}, 80),
    (CAR, {"continuous": False, "lap_complete_percent": 0.1}, 80),
]
"""The classes from both libraries, the constructor's arguments, and the number of steps to compare in CI."""
EPISODE = 250
"""The number of steps after which the test resets both environments."""


def assert_equal(ours: tuple[Any, ...], theirs: tuple[Any, ...], where: int) -> None:
    """Check that two steps have equal results. Only Gymnasium returns float64 rewards as NumPy numbers."""
    assert (ours[0].dtype, ours[0].tobytes()) == (theirs[0].dtype, theirs[0].tobytes()), where
    assert float(ours[1]) == float(theirs[1]), where
    assert isinstance(ours[1], np.float32) == isinstance(theirs[1], np.float32), where
    assert ours[2:] == theirs[2:], where


def assert_equal_trajectories(classes: tuple[Any, Any], arguments: dict[str, Any], steps: int, frames: int = 0) -> None:
    """Step both environments with the same actions, reset both with and without seeds, and compare all results."""
    ours, theirs = (create(**arguments) for create in classes)
    space = theirs.action_space
    space.seed(3)
    left, episode = 0, 0
    for i in range(steps):
        if left == 0:
            seed = 100 + episode if episode % 3 == 0 else None
            options = {"randomize": bool(episode % 2)}
            first, second = (env.reset(seed=seed, options=options)[0] for env in (ours, theirs))
            assert first.tobytes() == second.tobytes(), i
            left, episode = EPISODE, episode + 1
        action = space.sample()
        if space.shape == (4,) and episode % 2:
            action *= np.float32(0.3)  # small torques keep the robot upright longer
        elif space.shape == (3,):
            action *= np.array([0.5, 1.0, 0.2], np.float32)
        first, second = ours.step(action), theirs.step(action)
        assert_equal(first, second, i)
        if frames and i % frames == 0:
            assert (ours.render() == theirs.render()).all(), i
        left = 0 if second[2] else left - 1


@pytest.mark.parametrize("classes, arguments, steps", CASES)
def test_trajectories_are_equal(classes: tuple[Any, Any], arguments: dict[str, Any], steps: int) -> None:
    assert_equal_trajectories(classes, arguments, steps)


@pytest.mark.slow
@pytest.mark.parametrize("classes, arguments, steps", CASES)
def test_long_trajectories_are_equal(classes: tuple[Any, Any], arguments: dict[str, Any], steps: int) -> None:
    assert_equal_trajectories(classes, arguments, 10_000)


@pytest.mark.parametrize(
    "classes, arguments, steps",
    [
        (LANDER, {"render_mode": "rgb_array"}, 80),
        (LANDER, {"render_mode": "rgb_array", "continuous": True}, 80),
        (WALKER, {"render_mode": "rgb_array", "hardcore": True}, 110),
        (CAR, {"render_mode": "rgb_array"}, 40),
        (CAR, {"render_mode": "state_pixels"}, 10),
    ],
)
def test_frames_are_equal(classes: tuple[Any, Any], arguments: dict[str, Any], steps: int) -> None:
    assert_equal_trajectories(classes, arguments, steps, frames=3)


def test_random_colours_are_equal() -> None:
    ours, theirs = (create(domain_randomize=True) for create in CAR)
    for seed, options in ((1, None), (None, {"randomize": False}), (None, {"randomize": True}), (2, None)):
        first, second = (env.reset(seed=seed, options=options)[0] for env in (ours, theirs))
        assert (first == second).all()
        assert (ours.road_color == theirs.road_color).all()


def test_float64_and_integer_actions_have_equal_rewards() -> None:
    ours, theirs = (create() for create in WALKER)
    for env in (ours, theirs):
        env.reset(seed=1)
    rng = np.random.default_rng(1)
    for i in range(60):
        action: Any = rng.normal(size=4) if i % 2 else rng.integers(-1, 2, 4)
        assert_equal(ours.step(action), theirs.step(action), i)


@pytest.mark.parametrize("continuous", [True, False])
def test_heuristics_of_the_lander_choose_equal_actions(continuous: bool) -> None:
    env = TheirLander(continuous=continuous)
    observation, _ = env.reset(seed=4)
    for _ in range(150):
        action: Any = their_heuristic(env, observation)
        assert np.array_equal(heuristic(env, observation), action)
        observation, _, terminated, *_ = env.step(action)
        if terminated:
            observation, _ = env.reset()


def test_heuristics_of_the_walker_choose_equal_actions() -> None:
    env, ours, theirs = TheirWalker(), BipedalWalkerHeuristics(), TheirHeuristics()
    observation, _ = env.reset(seed=4)
    for _ in range(200):
        action = theirs.step_heuristic(observation)
        assert np.allclose(ours.step_heuristic(observation), action, rtol=1e-6, atol=1e-6)
        observation, *_ = env.step(action)


@pytest.mark.parametrize("classes", [LANDER, WALKER, CAR])
def test_spaces_and_metadata_are_equal(classes: tuple[Callable[[], Any], Callable[[], Any]]) -> None:
    ours, theirs = (create() for create in classes)
    assert ours.metadata == theirs.metadata
    for name in ("observation_space", "action_space"):
        assert repr(getattr(ours, name)) == repr(getattr(theirs, name))


def test_bare_id_is_ours_and_a_prefix_selects_gymnasiums() -> None:
    assert type(gymkernel.make("LunarLander-v3").unwrapped) is LunarLander
    assert type(gymkernel.make("gymnasium/LunarLander-v3").unwrapped) is TheirLander
    assert gymkernel.envs.box2d.LunarLander is LunarLander


@pytest.mark.parametrize("hardcore", [False, True])
def test_check_env_accepts_that_a_walker_depends_on_its_history(hardcore: bool) -> None:
    env = BipedalWalker(hardcore=hardcore)

    for _ in range(2):  # the number of earlier steps determines which rules notice the difference
        check_env(env, skip_render_check=True, skip_close_check=True)
