"""Tests of `DiscretizeObservation`, in particular the bins and invalid arguments."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box, Discrete, MultiDiscrete
from gymkernel.wrappers import DiscretizeObservation

UNIT = Box(0, 1, (2, 2), np.float64)


class Shows(Env[Any, Any]):
    """An environment whose observation is the action."""

    def __init__(self, space: Any) -> None:
        self.observation_space = space

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


def bins_of(numbers: Any, bins: Any, space: Any = UNIT, *, multidiscrete: bool = True) -> Any:
    env = DiscretizeObservation(Shows(space), bins, multidiscrete)
    got = env.step(np.reshape(numbers, space.shape))[0]
    assert got in env.observation_space
    return got


def test_values_are_binned_and_edges_go_up() -> None:
    assert bins_of([0.0, 0.24, 0.25, 0.99], 4).tolist() == [0, 0, 1, 3]


def test_bounds_and_outliers_are_in_the_outer_bins() -> None:
    assert bins_of([-5.0, 0.0, 1.0, 7.0], 4).tolist() == [0, 0, 3, 3]


def test_each_dimension_has_its_own_bins() -> None:
    assert bins_of([0.9, 0.9, 0.9, 0.9], [1, 2, 3, 10]).tolist() == [0, 1, 2, 9]


def test_index_counts_combinations_with_the_last_dimension_fastest() -> None:
    assert bins_of([0.9, 0.0, 0.9, 0.9], [2, 2, 3, 5], multidiscrete=False) == ((1 * 2 + 0) * 3 + 2) * 5 + 4


def test_observation_spaces() -> None:
    assert DiscretizeObservation(Shows(UNIT), [2, 3, 4, 5]).observation_space == Discrete(120)
    assert DiscretizeObservation(Shows(UNIT), 3, multidiscrete=True).observation_space == MultiDiscrete([3, 3, 3, 3])


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.integers(1, 50), st.booleans())
def test_revert_observation_is_within_the_bin(numbers: list[float], bins: int, multidiscrete: bool) -> None:
    env = DiscretizeObservation(Shows(UNIT), bins, multidiscrete)
    low, high = env.revert_observation(env.step(np.reshape(numbers, (2, 2)))[0])
    assert (low <= numbers).all()
    assert (high >= numbers).all()
    np.testing.assert_allclose(high - low, 1 / bins)


def test_integer_observations_are_binned() -> None:
    assert bins_of([0, 127, 128, 255], 2, Box(0, 255, (4,), np.uint8)).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("kind, bins", [(ValueError, (0, [2, 2, 2], [2, 2, 2, 0])), (TypeError, (2.5, "2"))])
def test_invalid_numbers_of_bins_are_rejected(kind: type[Exception], bins: Any) -> None:
    for item in bins:
        with pytest.raises(kind, match=r"^DiscretizeObservation expects bins to be one integer or 4 integers of"):
            DiscretizeObservation(Shows(UNIT), item)


def test_too_many_combinations_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"do not fit into a Discrete; pass multidiscrete=True$"):
        DiscretizeObservation(Shows(Box(0, 1, (64,))), 2)


@pytest.mark.parametrize("n", [1, 45, 62, 63, 64, 200])
def test_many_dimensions_have_their_own_bins(n: int) -> None:
    wrapped = DiscretizeObservation(Shows(Box(0, 1, (n,))), 3, multidiscrete=True)
    seen = wrapped.step(np.full(n, 0.5))[0]

    assert seen in wrapped.observation_space
    assert (seen == 1).all()
    assert wrapped.revert_observation(seen)[0].shape == (n,)


def test_infinite_bounds_are_rejected() -> None:
    with pytest.raises(
        ValueError, match=r"^DiscretizeObservation expects the observation space to have finite bounds, got Box"
    ):
        DiscretizeObservation(Shows(Box(0, np.inf)), 2)


def test_other_spaces_are_rejected() -> None:
    with pytest.raises(TypeError, match=r"^DiscretizeObservation expects a Box as observation space, got Discrete"):
        DiscretizeObservation(Shows(Discrete(3)), 2)


def test_spec_contains_the_wrapper_as_json() -> None:
    env = Shows(UNIT)
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    spec = DiscretizeObservation(env, (1, 2, 3, 4)).spec
    assert spec is not None
    kwargs = json.loads(json.dumps(spec.additional_wrappers[-1].kwargs))
    assert kwargs == {"bins": [1, 2, 3, 4], "multidiscrete": False}
