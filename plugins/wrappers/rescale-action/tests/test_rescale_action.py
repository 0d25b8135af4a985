"""Tests of `RescaleAction`, in particular the rescaled actions and invalid bounds."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env, Space
from gymkernel.error import InvalidBound
from gymkernel.spaces import Box
from gymkernel.wrappers import RescaleAction

BOX = Box(np.array([0.0, -4.0]), np.array([10.0, 4.0]), dtype=np.float64)


class Echo(Env[Any, Any]):
    """An environment whose observation is the action."""

    def __init__(self, action_space: Any = BOX) -> None:
        self.action_space = action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return None, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@given(st.floats(0, 1))
def test_actions_are_rescaled_linearly(place: float) -> None:
    env = RescaleAction(Echo(), -1.0, 1.0)

    acted = env.step(np.full(2, 2 * place - 1))[0]

    np.testing.assert_allclose(acted, BOX.low + place * (BOX.high - BOX.low), atol=1e-12)


def test_bounds_map_to_bounds() -> None:
    env = RescaleAction(Echo(), np.array([1.0, 2.0]), np.array([2.0, 4.0]))

    assert env.action(np.array([1.0, 2.0])).tolist() == [0, -4]
    assert env.action(np.array([2.0, 4.0])).tolist() == [10, 4]


def test_vector_actions_are_rescaled() -> None:
    assert RescaleAction(Echo(), -1, 1).action(np.zeros((3, 2))).tolist() == [[5, 0]] * 3


def test_action_space_has_the_new_bounds() -> None:
    assert RescaleAction(Echo(), -1, 1).action_space == Box(-1, 1, (2,), np.float64)


def test_near_bounds_do_not_warn() -> None:
    assert RescaleAction(Echo(Box(0.0, 1.0, (2,))), -0.1, 0.1).action_space == Box(-0.1, 0.1, (2,))


@pytest.mark.parametrize("low, high", [(1.0, 1.0), (np.array([0.0, 1.0]), np.array([1.0, 1.0]))], ids=repr)
def test_degenerate_bounds_are_rejected(low: Any, high: Any) -> None:
    with pytest.raises(InvalidBound, match=r"^RescaleAction expects min_action < max_action everywhere, got "):
        RescaleAction(Echo(), low, high)


def test_crossed_bounds_are_rejected() -> None:
    with pytest.raises(ValueError, match="new_min <= new_max"):
        RescaleAction(Echo(), 1.0, -1.0)


def test_other_action_spaces_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"^RescaleAction expects a Box as action space, got "):
        RescaleAction(Echo(Space((3,))), -1, 1)


@pytest.mark.parametrize(
    "low, high", [(-1.0, 1.0), (np.float32(-1), np.int64(1)), (np.array([-1.0, 0.0]), np.array([1.0, 2.0]))], ids=repr
)
def test_wrapper_is_recreated_from_spec_and_json(low: Any, high: Any) -> None:
    wrapped = RescaleAction(Echo(), low, high)

    again = RescaleAction(Echo(), **json.loads(json.dumps(wrapped._saved_kwargs)))

    assert again.action_space == wrapped.action_space
