"""Tests of `ClipAction`, in particular the clipped actions and invalid action spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env, Space
from gymkernel.spaces import Box
from gymkernel.wrappers import ClipAction

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOW, HIGH = np.array([-1.0, 0.0, -np.inf], np.float32), np.array([1.0, 5.0, 2.0], np.float32)


class Echo(Env[Any, Any]):
    """An environment whose observation is the action."""

    def __init__(self, action_space: Any = None) -> None:
        self.action_space = action_space or Box(LOW, HIGH)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return None, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=3))
def test_every_component_is_clipped(action: list[float]) -> None:
    acted = ClipAction(Echo()).step(np.array(action))[0]

    assert np.array_equal(acted, np.clip(action, LOW, HIGH))


def test_vector_actions_are_clipped() -> None:
    assert ClipAction(Echo()).action(np.full((2, 3), 9.0)).tolist() == [[1, 5, 2]] * 2


def test_action_is_not_modified() -> None:
    action: NDArray[Any] = np.full(3, 9.0)
    ClipAction(Echo()).step(action)

    assert action.tolist() == [9, 9, 9]


def test_action_space_is_unbounded() -> None:
    assert ClipAction(Echo()).action_space == Box(-np.inf, np.inf, (3,))


def test_other_action_spaces_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"^ClipAction expects a Box as action space, got "):
        ClipAction(Echo(Space((3,))))


def test_no_arguments_are_recorded() -> None:
    assert ClipAction(Echo())._saved_kwargs == {}
