"""Test the conversion of spaces from other libraries to gymkernel spaces."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gymkernel.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple
from gymkernel_bridge_gym import from_gym
from gymkernel_bridge_gym.spaces import ForeignSpace, space_from_gym

BoxSpace = namedtuple("BoxSpace", "low high shape dtype")  # noqa: PYI024 - crafter defines its spaces like this
DiscreteSpace = namedtuple("DiscreteSpace", "n")  # noqa: PYI024 - as above


class Odd:
    """A space of odd numbers, which has `sample` and `contains` but none of the attributes of a known space."""

    def __init__(self) -> None:
        self.seeds: list[Any] = []

    def seed(self, seed: Any = None) -> None:
        self.seeds.append(seed)

    def sample(self) -> int:
        return 3

    def contains(self, x: Any) -> bool:
        return bool(x % 2 == 1)


@pytest.mark.parametrize(
    "foreign,expected",
    [
        (DiscreteSpace(3), Discrete(3)),
        (SimpleNamespace(n=3, start=-1), Discrete(3, start=-1)),
        (SimpleNamespace(nvec=[2, 3]), MultiDiscrete([2, 3])),
        (BoxSpace(0, 255, (4, 4, 3), np.uint8), Box(0, 255, (4, 4, 3), np.uint8)),
        (SimpleNamespace(low=np.zeros(2), high=np.ones(2)), Box(0, 1, (2,))),
        (
            SimpleNamespace(low=-np.inf, high=np.inf, shape=(2,), dtype="float64"),
            Box(-np.inf, np.inf, (2,), np.float64),
        ),
        (type("MultiBinary", (), {"n": 4, "shape": (4,)})(), MultiBinary(4)),
        (SimpleNamespace(spaces={"b": DiscreteSpace(2), "a": DiscreteSpace(3)}), Dict(b=Discrete(2), a=Discrete(3))),
        (SimpleNamespace(spaces=[DiscreteSpace(2), DiscreteSpace(3)]), Tuple([Discrete(2), Discrete(3)])),
    ],
)
def test_space_is_recognised_by_its_attributes(foreign: Any, expected: Any) -> None:
    assert from_gym(foreign) == expected


def test_state_of_the_generator_is_copied() -> None:
    foreign = SimpleNamespace(n=1000, _np_random=np.random.default_rng(7))
    known = Discrete(1000)
    known._np_random = np.random.default_rng(7)

    assert space_from_gym(foreign).sample() == known.sample()
    assert foreign._np_random.integers(9) == np.random.default_rng(7).integers(9)


def test_methods_define_the_elements_of_any_other_space() -> None:
    odd = Odd()
    space = space_from_gym(odd)
    space.seed(5)

    assert isinstance(space, ForeignSpace)
    assert space.sample() == 3
    assert 3 in space
    assert 4 not in space
    assert odd.seeds == [5]


def test_gymkernel_space_is_returned_unchanged() -> None:
    space = Box(0, 1, (2,))

    assert space_from_gym(space) is space


@pytest.mark.parametrize("thing", [None, 7, "Box", Discrete])
def test_other_objects_are_rejected(thing: Any) -> None:
    with pytest.raises(TypeError, match="Expected a space of gym"):
        space_from_gym(thing)


def test_attribute_with_the_wrong_type_is_rejected() -> None:
    with pytest.raises(TypeError, match="Expected the attribute spaces to be a dictionary"):
        space_from_gym(SimpleNamespace(spaces=7))
