"""Tests of operations on spaces: flattening, batching, iterating, and shared memory."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.peers.both import Recipe, fundamental, outcome, recipes, same

if TYPE_CHECKING:
    from collections.abc import Iterator

seeds = st.integers(0, 2**40)
counts = st.integers(1, 4)
MODULES = {
    "flatdim": "spaces.utils",
    "flatten": "spaces.utils",
    "unflatten": "spaces.utils",
    "flatten_space": "spaces.utils",
    "is_space_dtype_shape_equiv": "spaces.utils",
    "batch_space": "vector.utils",
    "batch_differing_spaces": "vector.utils",
    "iterate": "vector.utils",
    "concatenate": "vector.utils",
    "create_empty_array": "vector.utils",
    "create_shared_memory": "vector.utils",
    "read_from_shared_memory": "vector.utils",
    "write_to_shared_memory": "vector.utils",
    "create_zero_array": "wrappers.utils",
}


def operation(name: str) -> tuple[Any, Any]:
    modules = (import_module(f"{library}.{MODULES[name]}") for library in ("gymkernel", "gymnasium"))
    ours, theirs = (getattr(module, name) for module in modules)
    return ours, theirs


def each(name: str, spaces: tuple[Any, Any], *arguments: Any) -> Iterator[Any]:
    """Yield the result of an operation for each library's space."""
    for function, space in zip(operation(name), spaces, strict=True):
        yield outcome(function, space, *arguments)


def samples(recipe: Recipe, seed: int, n: int = 1) -> list[Any]:
    _, theirs = recipe.both()
    theirs.seed(seed)
    return [theirs.sample() for _ in range(n)]


def test_operations_are_the_same() -> None:
    for name in MODULES:
        ours, theirs = operation(name)
        assert callable(ours) == callable(theirs) is True


@given(recipes)
def test_flatdim(recipe: Recipe) -> None:
    assert same(*each("flatdim", recipe.both()))


@given(recipes)
def test_flatten_space(recipe: Recipe) -> None:
    ours, theirs = each("flatten_space", recipe.both())
    assert same(ours, theirs)
    assert same(ours.seed(3), theirs.seed(3))
    assert same(ours.sample(), theirs.sample())


@given(recipes, seeds)
def test_flatten_and_unflatten(recipe: Recipe, seed: int) -> None:
    spaces = recipe.both()
    (value,) = samples(recipe, seed)
    mine, theirs = each("flatten", spaces, value)
    assert same(mine, theirs)
    back, their_back = each("unflatten", spaces, theirs)
    assert same(back, their_back)


@given(recipes, recipes)
def test_is_space_dtype_shape_equiv(recipe: Recipe, other: Recipe) -> None:
    ours, theirs = operation("is_space_dtype_shape_equiv")
    (a, their_a), (b, their_b) = recipe.both(), other.both()
    assert outcome(ours, a, b) == outcome(theirs, their_a, their_b)
    assert ours(a, recipe.both()[0])


@given(recipes, counts, seeds)
def test_batch_space(recipe: Recipe, n: int, seed: int) -> None:
    spaces = recipe.both()
    for space in spaces:
        space.seed(seed)
    ours, theirs = each("batch_space", spaces, n)
    assert same(ours, theirs)
    assert same(ours.sample(), theirs.sample())
    assert same(*(space.sample() for space in spaces))


@given(fundamental, counts, seeds, st.data())
def test_batch_differing_spaces(recipe: Recipe, n: int, seed: int, data: st.DataObject) -> None:
    if recipe.name == "Discrete":
        other = Recipe("Discrete", (data.draw(st.integers(1, 9)),), recipe.options)
    elif recipe.name == "Box":
        low, _ = (np.broadcast_to(bound, recipe.both()[0].shape) for bound in recipe.arguments)
        other = Recipe("Box", (low.astype(recipe.options["dtype"]),) * 2, {"dtype": recipe.options["dtype"]})
        assume(np.isfinite(low).all())
    else:
        other = recipe
    pairs = [recipe.both(), *(other.both() for _ in range(n))]
    batches = []
    for function, spaces in zip(operation("batch_differing_spaces"), zip(*pairs, strict=True), strict=True):
        for i, space in enumerate(spaces):
            space.seed(seed + i)
        batches.append(function(list(spaces)))
    assert same(*batches)
    assert same(*(batch.sample() for batch in batches))


@given(recipes, counts, seeds)
def test_create_empty_array_concatenate_and_iterate(recipe: Recipe, n: int, seed: int) -> None:
    spaces, values = recipe.both(), samples(recipe, seed, n)
    empty = list(each("create_empty_array", spaces, n))
    assert same(*empty)
    batches = [
        function(space, values, out)
        for function, space, out in zip(operation("concatenate"), spaces, empty, strict=True)
    ]
    assert same(*batches)
    batched = each("batch_space", spaces, n)
    items = [
        list(function(space, batch))
        for function, space, batch in zip(operation("iterate"), batched, batches, strict=True)
    ]
    assert same(*items)


@given(recipes, counts, seeds)
def test_iterate_over_batched_samples(recipe: Recipe, n: int, seed: int) -> None:
    ours, theirs = each("batch_space", recipe.both(), n)
    ours.seed(seed)
    theirs.seed(seed)
    mine, their = (
        list(function(space, space.sample()))
        for function, space in zip(operation("iterate"), (ours, theirs), strict=True)
    )
    assert same(mine, their)


@given(recipes)
def test_create_zero_array(recipe: Recipe) -> None:
    ours, theirs = each("create_zero_array", recipe.both())
    assert same(ours, theirs)


@given(recipes, counts, seeds)
def test_shared_memory(recipe: Recipe, n: int, seed: int) -> None:
    read = []
    for space, create, write, view in zip(
        recipe.both(),
        operation("create_shared_memory"),
        operation("write_to_shared_memory"),
        operation("read_from_shared_memory"),
        strict=True,
    ):
        memory = create(space, n)
        for i, value in enumerate(samples(recipe, seed, n)):
            write(space, i, value, memory)
        read.append(view(space, memory, n))
    assert same(*read)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("value", [None, 3, "Box", [], object])
def test_non_space_raises(name: str, value: Any) -> None:
    if (name, value) == ("create_empty_array", None):
        return
    for function in operation(name):
        with pytest.raises(Exception):  # noqa: B017, PT011 - the type of the exception may differ
            function(value, *({"flatten": (0,), "unflatten": (0,), "iterate": ([],)}.get(name, ())))
