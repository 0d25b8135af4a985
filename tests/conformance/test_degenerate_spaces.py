"""Test every operation on spaces with empty parts: boxes of size 0, empty Tuples and Dicts, and empty batches."""

from __future__ import annotations

import copy
import json
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gymkernel import ops
from gymkernel.error import CustomSpaceError
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple
from gymkernel_util_spaces import codec

pytestmark = pytest.mark.filterwarnings("ignore:.*Box.contains expects an array")
SHAPES = [(0,), (2, 0), (0, 2), (1, 0, 3), (0, 0), (1,), (), (1, 1), (2,)]
DTYPES: Any = [np.float32, np.float64, np.uint8, np.int64, np.bool_]
boxes = st.builds(lambda shape, dtype: Box(0, 1, shape, dtype), st.sampled_from(SHAPES), st.sampled_from(DTYPES))
others: Any = st.sampled_from(
    [
        lambda: Discrete(1),
        lambda: Discrete(3, start=-1),
        lambda: MultiBinary(1),
        lambda: MultiDiscrete([1]),
        lambda: MultiDiscrete(np.zeros((0,), np.int64)),
        lambda: MultiDiscrete(np.zeros((2, 0), np.int64)),
        lambda: Text(1, charset="a"),
        lambda: Text(3, min_length=0),
    ]
)
leaves = st.one_of(boxes, others.map(lambda make: make()))


def products(inner: Any) -> Any:
    return st.one_of(
        st.lists(inner, max_size=3).map(Tuple), st.dictionaries(st.sampled_from("xyz"), inner, max_size=3).map(Dict)
    )


def containers(inner: Any) -> Any:
    return st.one_of(products(inner), st.lists(inner, min_size=1, max_size=2).map(OneOf))


fixed = st.recursive(leaves, containers, max_leaves=4)
"""A strategy for spaces whose elements have a fixed size."""
ragged = st.one_of(
    st.builds(Sequence, fixed, stack=st.booleans()),
    st.builds(Graph, boxes.filter(lambda box: box.shape), st.one_of(st.none(), st.just(Discrete(2)))),
)
spaces = st.one_of(fixed, st.recursive(ragged, lambda inner: products(st.one_of(inner, fixed)), max_leaves=3))
counts = st.integers(0, 3)
quick = settings(
    max_examples=settings().max_examples * 3 // 5,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


def rows_of(space: Any, n: int) -> list[Any]:
    space.seed(5)
    return [space.sample() for _ in range(n)]


def batched(space: Any, rows: list[Any]) -> Any:
    return ops.concatenate(space, rows, ops.create_empty_array(space, len(rows)))


@quick
@given(space=spaces, n=st.integers(1, 3))
def test_batches_are_contained_and_iterate_to_their_elements(kit: Any, space: Any, n: int) -> None:
    rows = rows_of(space, n)
    batch = batched(space, rows)

    outer = ops.batch_space(space, n)
    assert outer.contains(batch)
    if space.layout() != ():  # a batch of elements that contain no data does not record its length
        kit.assert_same(numbers(list(ops.iterate(outer, batch))), numbers(rows), f"{space}")


def numbers(x: Any) -> Any:
    """Return a value with its zero-dimensional arrays replaced by numbers."""
    if isinstance(x, dict):
        return {key: numbers(part) for key, part in x.items()}
    if isinstance(x, tuple | list):
        parts = map(numbers, x)
        return type(x)._make(parts) if hasattr(x, "_make") else type(x)(parts)
    return x[()] if isinstance(x, np.ndarray) else x


@quick
@given(space=spaces, n=counts)
def test_json(kit: Any, space: Any, n: int) -> None:
    rows = rows_of(space, n)

    again = space.from_jsonable(json.loads(json.dumps(space.to_jsonable(rows))))

    kit.assert_same(list(again), rows, f"{space}")


@quick
@given(space=spaces)
def test_flattening(kit: Any, space: Any) -> None:
    (x,) = rows_of(space, 1)
    flat = ops.flatten(space, x)

    assert ops.flatten_space(space).contains(flat)
    kit.assert_same(ops.unflatten(space, flat), x, f"{space}")
    if space.is_np_flattenable:
        assert flat.shape == (ops.flatdim(space),) == ops.flatten_space(space).shape


@quick
@given(space=spaces, n=counts)
def test_flattened_batches(kit: Any, space: Any, n: int) -> None:
    rows = rows_of(space, n)
    flat = codec.flatten_all(space, rows)
    if not space.is_np_flattenable:
        return

    assert flat.shape == (n, ops.flatdim(space))
    kit.assert_same(codec.unflatten_all(space, flat), ops.batch(space, rows), f"{space}")


@quick
@given(space=spaces, n=counts)
def test_shared_memory(kit: Any, space: Any, n: int) -> None:
    if not space.is_np_flattenable:
        with pytest.raises(CustomSpaceError):
            ops.create_shared_memory(space, n)
        return
    rows = rows_of(space, n)
    memory = ops.create_shared_memory(space, n)
    for i, row in enumerate(rows):
        ops.write_to_shared_memory(space, i, row, memory)

    kit.assert_same(ops.read_from_shared_memory(space, memory, n), ops.batch(space, rows), f"{space}")


@quick
@given(space=spaces, n=counts)
def test_sampling_several_elements(space: Any, n: int) -> None:
    batch = space.sample_n(n)
    if n:
        assert ops.batch_space(space, n).contains(batch)


@quick
@given(space=spaces, n=st.integers(1, 3))
def test_batched_spaces(space: Any, n: int) -> None:
    outer = ops.batch_space(space, n)

    assert outer == ops.batch_space(copy.deepcopy(space), n)
    assert outer.contains(outer.sample())
    assert ops.batch_differing_spaces([space] * n).contains(batched(space, rows_of(space, n)))
    assert ops.is_space_dtype_shape_equiv(space, copy.deepcopy(space))


@quick
@given(space=spaces)
def test_zeros_examples_and_copies(space: Any) -> None:
    assert space.contains(ops.create_zero_array(space))
    assert all(space.contains(x) for x in space.examples())
    for twin in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert twin == space
        assert repr(twin) == repr(space)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@settings(quick, max_examples=6)
@given(space=spaces)
def test_vector_backends(kit: Any, backend: Any, mode: str, space: Any) -> None:
    players = [lambda i=i: kit.Player(i, lambda: copy.deepcopy(space), lambda: Discrete(2)) for i in range(3)]

    kit.play(backend, players, mode, steps=8)


@pytest.mark.slow
@settings(quick, max_examples=40)
@given(space=spaces, mode=st.sampled_from(["NextStep", "SameStep", "Disabled"]), options=st.sampled_from([True, False]))
def test_vector_backends_with_long_runs(kit: Any, backend: Any, mode: str, space: Any, options: bool) -> None:
    players = [lambda i=i: kit.Player(i, lambda: copy.deepcopy(space), lambda: Discrete(2)) for i in range(3)]

    kit.play(backend, players, mode, steps=8, copy=options)


def test_graphs_with_reordered_dicts_survive_json() -> None:
    nodes = Dict(OrderedDict([("b", MultiBinary(1)), ("a", Text(2))]))  # the keys of derived spaces are sorted
    space = Graph(nodes, None, seed=1)
    x = space.sample(num_nodes=3)

    (made,) = space.from_jsonable(json.loads(json.dumps(space.to_jsonable([x]))))

    assert made.nodes["a"] == x.nodes["a"]
    assert np.array_equal(made.nodes["b"], x.nodes["b"])
    assert made in space
