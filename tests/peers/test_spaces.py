"""Tests that spaces produce the same samples for the same seeds, and otherwise the same results, as Gymnasium's."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.peers.both import LIBRARIES, Recipe, alike, answer, masks, outcome, probabilities, recipes, same

seeds = st.integers(0, 2**40)
data = st.data()


def seeded(recipe: Recipe, seed: Any) -> tuple[Any, Any]:
    ours, theirs = recipe.both()
    assert same(ours.seed(seed), theirs.seed(seed))
    return ours, theirs


@given(recipes)
def test_attributes_and_repr(recipe: Recipe) -> None:
    assert alike(*recipe.both())


@given(recipes, seeds)
def test_samples(recipe: Recipe, seed: int) -> None:
    ours, theirs = seeded(recipe, seed)
    for _ in range(5):
        assert same(ours.sample(), theirs.sample())


@given(recipes, seeds, data)
def test_samples_with_masks(recipe: Recipe, seed: int, data: st.DataObject) -> None:
    ours, theirs = seeded(recipe, seed)
    for mask in [masks(recipe, data.draw) for _ in range(2)]:
        assert same(ours.sample(mask=mask), theirs.sample(mask=mask))
    assert same(ours.sample(), theirs.sample())


@given(recipes, seeds, data)
def test_samples_with_probabilities(recipe: Recipe, seed: int, data: st.DataObject) -> None:
    ours, theirs = seeded(recipe, seed)
    for weights in [probabilities(recipe, data.draw) for _ in range(2)]:
        assert same(ours.sample(probability=weights), theirs.sample(probability=weights))
    assert same(ours.sample(), theirs.sample())


@given(recipes, seeds)
def test_returned_seed_can_be_reused(recipe: Recipe, seed: int) -> None:
    ours, theirs = seeded(recipe, seed)
    ours, theirs = seeded(recipe, theirs.seed(seed))
    assert same(ours.sample(), theirs.sample())


@given(recipes, seeds)
def test_generator_passed_as_seed_is_shared(recipe: Recipe, seed: int) -> None:
    if recipe.name == "Tuple":
        return
    ours, theirs = (
        Recipe(recipe.name, recipe.arguments, {**recipe.options, "seed": np.random.default_rng(seed)}).make(library)
        for library in LIBRARIES
    )
    assert same(ours.sample(), theirs.sample())


@given(recipes, recipes, seeds)
def test_membership_of_samples(recipe: Recipe, other: Recipe, seed: int) -> None:
    ours, theirs = recipe.both()
    for item in (seeded(recipe, seed)[1], seeded(other, seed)[1]):
        value = item.sample()
        assert outcome(ours.contains, value) == answer(outcome(theirs.contains, value))


VALUES = [0, 1, -1, 300, 2**63, True, 0.0, 1.5, None, "1", b"", object(), [0, 1, 0], (0,), [[0, 1], [1, 0]], {}, set()]
VALUES += [
    np.array(v, t)
    for v in (0, 1, [0], [1.0], [0, 1, 2], [[0, 1], [1, 0]], [])
    for t in ("i1", "i8", "u1", "f4", "f8", "?")
]
VALUES += [t(1) for t in (np.int8, np.int64, np.uint64, np.float32, np.bool_)] + [
    np.array([np.nan], "f4"),
    np.array(["a"]),
]


@given(recipes)
def test_membership_of_arbitrary_values(recipe: Recipe) -> None:
    ours, theirs = recipe.both()
    differing = [v for v in VALUES if outcome(ours.contains, v) != answer(outcome(theirs.contains, v))]
    assert differing == []


@given(recipes, seeds)
def test_json(recipe: Recipe, seed: int) -> None:
    ours, theirs = seeded(recipe, seed)
    values = [theirs.sample() for _ in range(3)]
    text = json.dumps(theirs.to_jsonable(values))
    assert json.dumps(ours.to_jsonable(values)) == text
    assert same(ours.from_jsonable(json.loads(text)), theirs.from_jsonable(json.loads(text)))


@given(recipes, recipes)
def test_equality(recipe: Recipe, other: Recipe) -> None:
    (ours, theirs), (ours_too, theirs_too) = recipe.both(), other.both()
    assert (ours == ours_too) == (theirs == theirs_too)
    assert ours == recipe.both()[0]
    assert outcome(hash, ours) == outcome(hash, theirs) == "it raises"


@given(recipes, seeds, st.integers(0, 2), st.sampled_from([None, 0, -1, slice(1, None)]))
def test_parts_of_composite_spaces(recipe: Recipe, seed: int, first: int, index: Any) -> None:
    if recipe.name not in {"Tuple", "MultiDiscrete"}:
        return
    ours, theirs = seeded(recipe, seed)
    assert same(outcome(lambda: len(ours)), outcome(lambda: len(theirs)))
    mine, their = (outcome(lambda: space[first if index is None else index]) for space in (ours, theirs))  # noqa: B023
    assert same(mine, their)
    if hasattr(their, "sample"):
        assert same(mine.sample(), their.sample())


BOXES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((0, 1), {}),
    ((-np.inf, np.inf), {"shape": (2,)}),
    ((-np.inf, 5), {"shape": (2,), "dtype": np.int16}),
    ((0, np.inf), {"dtype": np.uint8}),
    ((np.array([0.0, 1.0]), np.array([1.0, 2.0])), {}),
    ((np.array([0.0, 1.0]), 2.0), {"dtype": np.float64}),
    ((np.zeros(2), np.ones(3)), {}),
    ((1, 0), {}),
    ((np.nan, 1), {}),
    ((0, 256), {"dtype": np.uint8}),
    ((0, 255), {"dtype": np.uint8, "shape": (4, 4)}),
    ((0, 1), {"dtype": np.complex64}),
    ((0, 1), {"dtype": None}),
    ((0, 1), {"dtype": "float"}),
    ((0, 1), {"shape": [2]}),
    ((0, 1), {"shape": 2}),
    ((0, 1), {"shape": (2.0,)}),
    (("0", 1), {}),
    ((False, True), {"dtype": bool}),
    ((np.int64(0), np.float32(1)), {}),
    ((np.zeros((2, 2)), np.ones((2, 2))), {"shape": (4,)}),
]
OTHERS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Discrete", (0,), {}),
    ("Discrete", (-1,), {}),
    ("Discrete", (2.0,), {}),
    ("Discrete", (np.int32(3),), {"start": np.int8(-1)}),
    ("Discrete", (3,), {"start": 1.5}),
    ("Discrete", (300,), {"dtype": np.int32}),
    ("Discrete", (3,), {"dtype": np.float32}),
    ("Discrete", (3,), {"seed": -1}),
    ("MultiDiscrete", ([2, 3],), {}),
    ("MultiDiscrete", ([2, 0],), {}),
    ("MultiDiscrete", ([2, 3],), {"start": [1]}),
    ("MultiDiscrete", ([[2, 3], [1, 2]],), {"dtype": np.int32, "start": [[1, 2], [3, 4]]}),
    ("MultiDiscrete", ([2, 3],), {"dtype": np.float32}),
    ("Tuple", ((),), {}),
    ("Tuple", ((1, 2),), {}),
]


@pytest.mark.parametrize("name, arguments, options", [("Box", *box) for box in BOXES] + OTHERS, ids=repr)
def test_constructors(name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    ours, theirs = (outcome(getattr(library.spaces, name), *arguments, **options) for library in LIBRARIES)
    assert same(ours, theirs)


@pytest.mark.parametrize("manner", ["both", "below", "above", "sideways"])
@given(recipes)
def test_is_bounded(manner: str, recipe: Recipe) -> None:
    ours, theirs = recipe.both()
    if recipe.name == "Box":
        assert outcome(ours.is_bounded, manner) == outcome(theirs.is_bounded, manner)
