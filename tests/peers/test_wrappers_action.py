"""Tests that action wrappers agree with Gymnasium's for the same actions, around environments of either library."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.peers.both import LIBRARIES, Recipe, outcome, same
from tests.peers.test_vector import environment

import gymkernel

BOX = Recipe("Box", (-1.0, 1.0), {"shape": (3,)})
WIDE = Recipe("Box", (np.array([-2.0, 0.0]), np.array([2.0, 8.0])), {"dtype": np.float64})
DISCRETE = Recipe("Discrete", (5,))
CASES: list[tuple[str, dict[str, Any], Recipe]] = [
    ("ClipAction", {}, BOX),
    ("ClipAction", {}, WIDE),
    ("RescaleAction", {"min_action": -3.0, "max_action": 7.0}, WIDE),
    ("RescaleAction", {"min_action": np.array([0.0, -1.0]), "max_action": np.array([0.5, 1.0])}, WIDE),
    ("RescaleAction", {"min_action": -0.5, "max_action": 0.5}, BOX),
    ("DiscretizeAction", {"bins": 3}, BOX),
    ("DiscretizeAction", {"bins": (2, 7)}, WIDE),
    ("DiscretizeAction", {"bins": (2, 7), "multidiscrete": True}, WIDE),
    ("TransformAction", {"func": lambda action: 4 - action, "action_space": None}, DISCRETE),
    ("StickyAction", {"repeat_action_probability": 0.4}, DISCRETE),
    ("StickyAction", {"repeat_action_probability": 0.2, "repeat_action_duration": 3}, BOX),
    ("StickyAction", {"repeat_action_probability": 0.3, "repeat_action_duration": (1, 4)}, DISCRETE),
    ("RepeatAction", {"num_repeats": 1}, DISCRETE),
    ("RepeatAction", {"num_repeats": 3}, BOX),
]
each = pytest.mark.parametrize(
    "name, kwargs, acted", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(CASES)]
)


def play(wrapped: Any, steps: int = 60) -> list[Any]:
    """Return the results of resets and steps, and the actions that the inner environment received."""
    played = [wrapped.reset(seed=5)]
    wrapped.action_space.seed(9)
    for _ in range(steps):
        played.append(wrapped.step(wrapped.action_space.sample()))
        if played[-1][2] or played[-1][3]:
            played.append(wrapped.reset())
    return [*played, wrapped.unwrapped.seen]


def wrapped(library: Any, inside: Any, name: str, kwargs: dict[str, Any], acted: Recipe) -> Any:
    return getattr(library.wrappers, name)(environment(inside, acted=acted), **kwargs)


@pytest.mark.filterwarnings("ignore:.*precision lowered")
@each
def test_trajectories_are_the_same(name: str, kwargs: dict[str, Any], acted: Recipe) -> None:
    ours, theirs = (play(wrapped(library, library, name, kwargs, acted)) for library in LIBRARIES)

    assert same(ours, theirs)


@pytest.mark.filterwarnings("ignore:.*precision lowered")
@each
def test_trajectories_around_gymnasiums_environment_are_the_same(
    name: str, kwargs: dict[str, Any], acted: Recipe
) -> None:
    ours = play(wrapped(gymkernel, gymnasium, name, kwargs, acted))

    assert same(ours, play(wrapped(gymnasium, gymnasium, name, kwargs, acted)))


@pytest.mark.filterwarnings("ignore:.*precision lowered")
@each
def test_action_spaces_are_equal(name: str, kwargs: dict[str, Any], acted: Recipe) -> None:
    ours, theirs = (wrapped(library, library, name, kwargs, acted).action_space for library in LIBRARIES)

    assert repr(ours) == repr(theirs)


REFUSED: list[tuple[str, dict[str, Any], Recipe]] = [
    ("ClipAction", {}, DISCRETE),
    ("RescaleAction", {"min_action": -1, "max_action": 1}, DISCRETE),
    ("RescaleAction", {"min_action": 1.0, "max_action": 1.0}, BOX),
    ("RescaleAction", {"min_action": 1.0, "max_action": -1.0}, BOX),
    ("DiscretizeAction", {"bins": 3}, DISCRETE),
    ("DiscretizeAction", {"bins": (3, 3)}, BOX),
    ("StickyAction", {"repeat_action_probability": 1.0}, DISCRETE),
    ("StickyAction", {"repeat_action_probability": -0.1}, DISCRETE),
    ("StickyAction", {"repeat_action_probability": 0.5, "repeat_action_duration": 0}, DISCRETE),
    ("StickyAction", {"repeat_action_probability": 0.5, "repeat_action_duration": (3, 2)}, DISCRETE),
    ("RepeatAction", {"num_repeats": 0}, DISCRETE),
    ("RepeatAction", {"num_repeats": 1.5}, DISCRETE),
]


@pytest.mark.parametrize(
    "name, kwargs, acted", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(REFUSED)]
)
def test_arguments_rejected_by_gymnasium_are_rejected(name: str, kwargs: dict[str, Any], acted: Recipe) -> None:
    for library in LIBRARIES:
        assert outcome(wrapped, library, library, name, kwargs, acted) == "it raises"


@pytest.mark.parametrize("multidiscrete", [False, True])
def test_revert_from_bins_is_the_same(multidiscrete: bool) -> None:
    ours, theirs = (
        wrapped(library, library, "DiscretizeAction", {"bins": (2, 7), "multidiscrete": multidiscrete}, WIDE)
        for library in LIBRARIES
    )
    actions = np.random.default_rng(1).uniform([-3, -1], [3, 9], (50, 2))

    assert all(np.array_equal(ours.revert_action(action), theirs.revert_action(action)) for action in actions)


def test_numbers_outside_the_bins_are_treated_alike() -> None:
    ours, theirs = (wrapped(library, library, "DiscretizeAction", {"bins": (2, 7)}, WIDE) for library in LIBRARIES)

    assert all(same(ours.action(number), theirs.action(number)) for number in range(-20, 40))


DURATIONS = [1, 2, (1, 1), (2, 2), (3, 3), (1, 3), (2, 5), (1,), (), (0, 0), (1, 2, 3), True]


@pytest.mark.parametrize("duration", DURATIONS, ids=repr)
def test_repetitions_are_the_same_step_by_step(duration: Any) -> None:
    """Test several ranges. A range of one number is valid, and both libraries reject a tuple of one number."""
    names = ("last_action", "is_sticky_actions", "num_repeats", "repeats_taken", "repeat_action_duration_range")
    results: list[Any] = []
    for library in LIBRARIES:
        kwargs = {"repeat_action_probability": 0.4, "repeat_action_duration": duration}
        env = outcome(wrapped, library, library, "StickyAction", kwargs, DISCRETE)
        if env == "it raises":
            results.append(env)
            continue
        env.reset(seed=3)
        states = [[int(getattr(env, name) or 0) for name in names[:-1]] for step in range(300) if stepped(env, step)]
        results.append((states, env.unwrapped.seen, env.np_random.random(), env.repeat_action_duration_range))

    assert results[0] == results[1]
    assert (results[0] == "it raises") == (duration in {(1,), (), (0, 0), (1, 2, 3)})


def stepped(env: Any, step: int) -> bool:
    """Make a step, or start the next episode if the previous step ended an episode."""
    *_, terminated, truncated, _ = env.step(step % 5)
    if terminated or truncated:
        env.reset()
    return True
