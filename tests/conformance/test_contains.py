"""Test that `contains` returns True or False for any value, in every space and at any depth of nesting."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.hostile_objects import ONES, SHAPED

from gymkernel import plugins
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple

SPACES = [
    space
    for name in plugins.names("spaces")
    for space in getattr(plugins.get("spaces", name), "test_instances", list)()
]
SPACES += [Box(0, 1, ()), Box(-1, 1, (30, 30)), Box(0, 1, (0,)), Box(0, 255, (3,), np.uint64)]
SPACES += [
    Box(-np.inf, np.inf, (2,)),
    Box(-1, 1, (2,), np.longdouble),
    MultiBinary(()),
    MultiDiscrete(3),
    MultiDiscrete([2] * 99),
]
SPACES += [
    Discrete(3, dtype=np.uint8),
    Text(3, min_length=0, charset=""),
    Tuple(()),
    Dict(),
    Sequence(Discrete(3), stack=True),
]
SPACES += [Graph(Discrete(3), Discrete(3)), OneOf([Discrete(2), Text(3)]), Dict({1: Discrete(2), "a": Text(2)})]


def wrong_results(space: Any, things: Any) -> list[str]:
    """Return the exceptions that `contains` raised, and all its results other than True and False."""
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*was cast to an array", category=UserWarning)
        for i, thing in enumerate(things):
            try:
                if type(answer := space.contains(thing)) is not bool:
                    wrong.append(f"{i}, a {type(thing).__name__}: {answer!r}")
            except Exception as exc:  # noqa: BLE001 - the test collects every exception
                wrong.append(f"{i}, a {type(thing).__name__}: {exc!r}")
    return wrong


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_contains_never_raises(space: Any) -> None:
    assert wrong_results(space, ONES) == []
    assert wrong_results(space, [make(space.shape) for make in SHAPED] if space.shape is not None else []) == []


def damaged(element: Any, thing: Any) -> list[Any]:
    """Return copies of an element. In each copy, `thing` replaces one of the inner values or is added as a key."""
    if isinstance(element, dict):
        inner = [element | {key: changed} for key, part in element.items() for changed in damaged(part, thing)]
        return [*inner, element | {"extra": thing}]
    if isinstance(element, tuple):
        make = type(element)._make if hasattr(element, "_make") else tuple
        places = range(len(element))
        pairs = [(i, changed) for i in places for changed in damaged(element[i], thing)]
        return [make([*element[:i], changed, *element[i + 1 :]]) for i, changed in pairs]
    return [thing]


def leaves() -> Any:
    boxes = st.sampled_from([Box(0, 1, ()), Box(-1, 1, (2, 2)), Box(0, 9, (3,), np.int8)])
    return st.one_of(boxes, st.sampled_from([Discrete(3), MultiBinary(3), MultiDiscrete([2, 2]), Text(3)]))


spaces = st.recursive(
    leaves(),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(Tuple),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(Dict),
        st.lists(inner, min_size=1, max_size=3).map(OneOf),
        st.builds(Sequence, inner, stack=st.booleans()),
        st.builds(Graph, inner, st.none() | inner),
    ),
    max_leaves=4,
)


@settings(max_examples=settings().max_examples * 2 // 5)
@given(spaces, st.integers(0, 99))
def test_contains_never_raises_for_nested_values(space: Any, seed: int) -> None:
    space.seed(seed)
    element = space.sample()

    assert (
        wrong_results(space, [changed for thing in ONES for changed in itertools.islice(damaged(element, thing), 8)])
        == []
    )
