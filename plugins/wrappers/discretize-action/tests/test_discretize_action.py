"""Tests of `DiscretizeAction` and `revert_action`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env, Space
from gymkernel.spaces import Discrete, MultiDiscrete
from gymkernel.wrappers import DiscretizeAction


class Bounded(Space[Any]):
    """A space with bounds that is not a `Box`."""

    def __init__(self, low: Any, high: Any) -> None:
        super().__init__(np.shape(low), np.float64)
        self.low, self.high = np.array(low, np.float64), np.array(high, np.float64)


class Echo(Env[Any, Any]):
    """An environment whose observation is the action."""

    def __init__(self, low: Any = (0.0, -1.0), high: Any = (8.0, 1.0)) -> None:
        self.action_space = Bounded(low, high)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return None, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@pytest.mark.parametrize("n", [1, 45, 62, 63, 64, 200])
def test_many_dimensions_have_their_own_bins(n: int) -> None:
    env = DiscretizeAction(Echo(np.zeros(n), np.ones(n)), 3, multidiscrete=True)

    assert np.allclose(env.action(np.full(n, 2)), np.full(n, 5 / 6))
    assert np.array_equal(env.revert_action(np.ones(n)), np.full(n, 2))


def test_too_many_combinations_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"do not fit into a Discrete; pass multidiscrete=True$"):
        DiscretizeAction(Echo(np.zeros(64), np.ones(64)), 2)


def test_index_enumerates_bins_with_the_last_dimension_fastest() -> None:
    env = DiscretizeAction(Echo(), (4, 2))

    assert env.action_space == Discrete(8)
    assert [env.step(action)[0].tolist() for action in (0, 1, 2, 7)] == [[1, -0.5], [1, 0.5], [3, -0.5], [7, 0.5]]


def test_multidiscrete_has_a_number_per_dimension() -> None:
    env = DiscretizeAction(Echo(), (4, 2), multidiscrete=True)

    assert env.action_space == MultiDiscrete([4, 2])
    assert env.step(np.array([2, 1]))[0].tolist() == [5, 0.5]


def test_single_number_of_bins_applies_to_every_dimension() -> None:
    assert DiscretizeAction(Echo(), 3).action_space == Discrete(9)


def test_actions_have_shape_and_dtype_of_the_space() -> None:
    env = DiscretizeAction(Echo(np.zeros((2, 3)), np.ones((2, 3))), 2)

    action = env.action(5)

    assert action.shape == (2, 3)
    assert action.dtype == np.float64


@pytest.mark.parametrize("multidiscrete", [False, True])
@given(data=st.data())
def test_revert_action_finds_the_bin(multidiscrete: bool, data: Any) -> None:
    bins = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    env = DiscretizeAction(Echo(), bins, multidiscrete)
    env.action_space.seed(data.draw(st.integers(0, 1000)))
    action = env.action_space.sample()

    assert np.array_equal(env.revert_action(env.action(action)), action)


@pytest.mark.parametrize("multidiscrete", [False, True])
def test_batch_equals_single_rows(multidiscrete: bool) -> None:
    env = DiscretizeAction(Echo(), (4, 2), multidiscrete)
    rows = [env.action_space.sample() for _ in range(5)]

    batch = env.action(np.array(rows))

    assert np.array_equal(batch, [env.action(row) for row in rows])
    assert np.array_equal(env.revert_action(batch), rows)


def test_large_tables_equal_direct_computation() -> None:
    few, many = DiscretizeAction(Echo(), (4, 3)), DiscretizeAction(Echo(), (4, 3))
    many._table = None

    for action in range(-30, 30):
        assert np.array_equal(few.action(action), many.action(action))
    assert DiscretizeAction(Echo(), (1000, 1000)).action(999_999).tolist() == pytest.approx([7.996, 0.999])


@pytest.mark.parametrize(
    "kind, bins",
    [(ValueError, (0, (1, 2, 3), (2, 0))), (TypeError, (1.5, ("2", 3), None))],
)
def test_invalid_numbers_of_bins_are_rejected(kind: type[Exception], bins: Any) -> None:
    for item in bins:
        with pytest.raises(
            kind, match=r"^DiscretizeAction expects bins to be one integer or 2 integers of at least 1, got "
        ):
            DiscretizeAction(Echo(), item)


def test_unbounded_space_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^DiscretizeAction expects the action space to have finite bounds, got "):
        DiscretizeAction(Echo((0.0,), (np.inf,)), 2)


def test_other_action_spaces_are_rejected() -> None:
    env = Echo()
    env.action_space = Discrete(2)
    with pytest.raises(TypeError, match=r"^DiscretizeAction expects a Box as action space, got Discrete\(2\)$"):
        DiscretizeAction(env, 2)


@pytest.mark.parametrize("bins", [3, np.int64(3), (4, 2), np.array([4, 2])], ids=repr)
def test_wrapper_is_recreated_from_spec_and_json(bins: Any) -> None:
    wrapped = DiscretizeAction(Echo(), bins)

    again = DiscretizeAction(Echo(), **json.loads(json.dumps(wrapped._saved_kwargs)))

    assert again.action_space == wrapped.action_space
