"""Tests that actions slightly outside the action space give the same results as in Gymnasium, if it accepts them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from tests.peers.both import LIBRARIES, same

import gymkernel

CHOICES: list[Any] = [0, 1, 2, 5, 7, -1, True, 1.0, 0.5, float("nan"), None, "1", "a", 1j, {}, [], [1], (1,), [0, 1]]
CHOICES += [kind(1) for kind in (np.int64, np.int32, np.int8, np.uint8, np.float16, np.float32, np.float64, np.bool_)]
CHOICES += [np.int8(-1), np.array(1), np.array(1.0), np.array([1]), np.array([[1]]), np.array([0, 1]), np.array([1.0])]
CHOICES += [np.array([]), np.array("a"), np.array(True), np.array([1], np.uint8), np.array([1], object), np.uint16(1)]

NUMBERS: list[Any] = [0, 1, 0.5, -3.0, True, None, "1", ["1"], "a", [None], {}, [], float("inf"), range(1)]
NUMBERS += [
    np.float32(0.5),
    np.float64(0.5),
    np.int64(1),
    np.array(0.5),
    np.array("a"),
    np.array(["0.5"]),
    np.array([]),
]
NUMBERS += [[0.5], (0.5,), [0], [0.0, 1.0], (1.0, 0.0), [[0.5]], [[0.5, 0.1]], [np.array([0.5])], [[[0.5]]], [3.0]]
NUMBERS += [np.array([0.5], dtype) for dtype in ("f2", "f4", "f8", "i1", "i8", "u1", "?", object)]
NUMBERS += [np.array([3.0, -9.0]), np.array([-7.0], np.float32), np.array([np.inf]), np.array([1, 0]), np.array([0, 1])]
NUMBERS += [np.array([[0.5]]), np.array([[0.5]], np.float32), np.array([[9.0, 0.1], [0.2, 0.3]]), np.array([[[0.5]]])]
NUMBERS += [np.zeros((0, 1)), np.zeros((1, 0)), np.array([[1]]), np.array([[0.5], [0.1]]), np.array([0.5, 0.1, 0.2])]

CONTINUOUS = ["MountainCarContinuous-v0", "Pendulum-v1"]
DISCRETE = [
    "CartPole-v1",
    "MountainCar-v0",
    "Acrobot-v1",
    "Blackjack-v1",
    "FrozenLake-v1",
    "CliffWalking-v1",
    "Taxi-v4",
]
STRICTER = {
    ("Acrobot-v1", "-1"),  # Gymnasium uses the action as a list index, which may be negative
    ("Acrobot-v1", "np.int8(-1)"),
    ("Pendulum-v1", repr(np.zeros((1, 0)))),  # an empty array
}
"""Invalid actions that only Gymnasium accepts, because of a defect."""
LOOSER = {f"np.uint{n}(1)" for n in (16, 64)} | {"array(1)"}
"""Actions that all of our environments accept as integers, but only some of Gymnasium's environments accept."""


def acted(library: Any, env_id: str, action: Any) -> Any:
    """Return the results of two steps, the second with a valid action, or the exception that is raised."""
    env = library.make(env_id, disable_env_checker=True)
    env.reset(seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            first = env.step(action)
        except Exception as exc:  # noqa: BLE001 - the caller compares the exception
            return exc
        return plain([first, env.step(np.array([0.1], np.float32) if env_id in CONTINUOUS else 0)])


def plain(x: Any) -> Any:
    """Convert rewards to Python numbers, because Gymnasium's are NumPy numbers in some environments."""
    if isinstance(x, list | tuple):
        return [plain(part) for part in x]
    return x.item() if isinstance(x, np.generic) else x


@pytest.mark.parametrize("env_id", [*DISCRETE, *CONTINUOUS])
def test_single_environment(env_id: str) -> None:
    for action in NUMBERS if env_id in CONTINUOUS else CHOICES:
        ours, theirs = (acted(library, env_id, action) for library in LIBRARIES)
        name = repr(action)
        if isinstance(theirs, Exception) and name in LOOSER:
            continue
        if isinstance(theirs, Exception) or (env_id, name) in STRICTER:
            assert isinstance(ours, gymkernel.error.InvalidAction), (name, ours, theirs)
        else:
            assert same(ours, theirs), (name, ours, theirs)


def batches(action_of: Any) -> list[Any]:
    """Return batches for three environments: arrays of several dtypes, lists, and invalid batches."""
    whole, parts = np.array([[1], [0], [1]]), np.array([[0.5], [-0.1], [5.0]])
    numbers = parts if action_of == "numbers" else whole[:, 0]
    kinds = "f2 f4 f8 O" if action_of == "numbers" else "i1 i4 i8 u1 f4 f8 O"
    made: list[Any] = [numbers.astype(dtype) for dtype in kinds.split()]
    made += [
        numbers.tolist(),
        tuple(numbers.tolist()),
        list(numbers),
        whole,
        whole[:, 0],
        whole.astype(bool),
        None,
        1,
        "abc",
    ]
    made += [np.hstack([parts, parts]), parts[:2], np.vstack([parts, parts]), parts.T, {}, [[0.5], [0.1], [None]]]
    return [*made, [0, 1, 9], [0, 1, -1], [0, 1, 0.5], np.zeros((3, 0)), np.zeros((3, 1, 1)), np.float64(1)]


def stepped(library: Any, env_id: str, actions: Any, mode: str) -> Any:
    envs = library.make_vec(env_id, 3, vectorization_mode=mode, **OPTIONS.get(env_id, {}))
    envs.reset(seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return envs.step(actions)[:4]
        except Exception as exc:  # noqa: BLE001 - the test compares only whether a call raises
            return exc
        finally:
            envs.close()


OPTIONS: dict[str, dict[str, Any]] = {"FrozenLake-v1": {"is_slippery": False}}
FORMS = [env_id for env_id in [*DISCRETE, *CONTINUOUS] if gymkernel.spec(env_id).vector_entry_point is not None]


@pytest.mark.parametrize("env_id", [*DISCRETE, *CONTINUOUS])
def test_vector_environment(env_id: str) -> None:
    for actions in batches("numbers" if env_id in CONTINUOUS else "choices"):
        ours, theirs = (stepped(library, env_id, actions, "sync") for library in LIBRARIES)
        if env_id == "MountainCar-v0" and getattr(actions, "dtype", None) == np.uint8:
            continue  # in Gymnasium, 0 - 1 is 255 with this dtype
        if isinstance(theirs, Exception) or (env_id == "Acrobot-v1" and str(actions) == "[0, 1, -1]"):
            assert isinstance(ours, Exception), (actions, ours, theirs)
        else:
            assert same(ours, theirs), (actions, ours, theirs)


@pytest.mark.parametrize("env_id", FORMS)
def test_vectorised_forms_accept_the_same_actions(env_id: str) -> None:
    for actions in batches("numbers" if env_id in CONTINUOUS else "choices"):
        own, singles = (stepped(gymkernel, env_id, actions, mode) for mode in ("vector_entry_point", "sync"))
        if isinstance(singles, Exception):
            booleans = getattr(actions, "dtype", None) == np.bool_  # vectorised environments use booleans as integers
            assert booleans or isinstance(own, gymkernel.error.InvalidAction), (actions, own, singles)
        else:
            assert not isinstance(own, Exception), (actions, own)
            if env_id != "CartPole-v1":  # the vectorised environment starts with a different state, as Gymnasium's does
                assert all(map(equal, own, singles)), (actions, own, singles)


def equal(a: Any, b: Any) -> bool:
    """Return whether values are equal, regardless of their dtypes."""
    return all(map(equal, a, b)) if isinstance(b, tuple) else np.array_equal(a, b)
