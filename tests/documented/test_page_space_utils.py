"""Tests of the documentation page from 2022 on space utilities: sizes, flattening and unflattening."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel import Space
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, Tuple
from gymkernel.spaces.utils import flatdim, flatten, flatten_space, unflatten

SPACES: list[tuple[Any, int]] = [
    (Box(0.0, 1.0, shape=(3, 4, 5)), 60),
    (Box(-1, 1, shape=()), 1),
    (MultiBinary([3, 2]), 6),
    (Discrete(5, start=-2), 5),
    (MultiDiscrete([5, 2, 2]), 9),
    (MultiDiscrete(np.array([[1, 2], [3, 4]])), 10),
    (Tuple((Discrete(2), Box(-1, 1, shape=(2,)))), 4),
    (Dict({"position": Discrete(2), "velocity": Discrete(3)}), 5),
    (Dict({"position": Discrete(2), "velocity": Box(0, 1, shape=(2, 2))}), 6),
    (Dict({"inner": Dict({"task": Discrete(5)}), "both": Tuple((MultiBinary(2), Discrete(3)))}), 10),
]
each = pytest.mark.parametrize("space, size", SPACES, ids=str)


@each
def test_flatdim_examples(space: Any, size: int) -> None:
    assert flatdim(space) == size


@each
def test_flattened_space_is_a_box_of_that_size(space: Any, size: int) -> None:
    flat = flatten_space(space)
    assert isinstance(flat, Box)
    assert flat.shape == (size,)


@each
def test_flattened_sample_is_in_the_flattened_space(space: Any, size: int) -> None:
    vector = flatten(space, space.sample())
    assert (vector.ndim, len(vector)) == (1, size)
    assert vector in flatten_space(space)


@each
def test_unflatten_reverses_flatten(space: Any, size: int) -> None:
    sample = space.sample()
    again = unflatten(space, flatten(space, sample))
    assert again in space
    assert space.to_jsonable([again]) == space.to_jsonable([sample])


@each
def test_arguments_have_the_documented_names(space: Any, size: int) -> None:
    sample = space.sample()
    vector = flatten(space=space, x=sample)
    assert flatdim(space=space) == len(vector) == flatten_space(space=space).shape[0]
    assert space.to_jsonable([unflatten(space=space, x=vector)]) == space.to_jsonable([sample])


def test_call_without_a_space_is_rejected() -> None:
    with pytest.raises(TypeError):
        flatdim()  # type: ignore[call-arg]


def test_flattened_bounds_are_those_of_the_parts() -> None:
    flat: Any = flatten_space(Dict(a=Box(-2, 3, (2,)), b=Discrete(2)))
    assert (flat.low.tolist(), flat.high.tolist()) == ([-2, -2, 0, 0], [3, 3, 1, 1])


def test_discrete_number_becomes_a_one_hot_vector() -> None:
    assert flatten(Discrete(5), 3).tolist() == [0, 0, 0, 1, 0]


@pytest.mark.parametrize("edges", [Discrete(5), Box(0, 1, (2,)), None])
def test_graph_is_flattened_part_by_part(edges: Any) -> None:
    space = Graph(node_space=Box(low=-100, high=100, shape=(3, 4)), edge_space=edges)
    flat = flatten_space(space)
    assert isinstance(flat, Graph)
    assert flat.node_space == Box(-100, 100, (12,))
    width = {"Discrete": 5, "Box": 2, "NoneType": 0}[type(edges).__name__]
    assert flat.edge_space is None if edges is None else flat.edge_space.shape == (width,)
    sample = space.sample(num_nodes=4, num_edges=None if edges is None else 6)
    graph = flatten(space, sample)
    assert graph in flat
    assert graph.nodes.shape == (4, 12)
    assert (graph.edges, graph.edge_links) == (None, None) if edges is None else graph.edges.shape == (6, width)
    assert np.array_equal(unflatten(space, graph).nodes, sample.nodes)


def test_documented_graph_is_printed_alike() -> None:
    space = Graph(node_space=Box(low=-100, high=100, shape=(3, 4)), edge_space=Discrete(5))
    assert repr(flatten_space(space)) == "Graph(Box(-100.0, 100.0, (12,), float32), Box(0, 1, (5,), int64))"


class Unknown(Space[Any]):
    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return 0


@pytest.mark.parametrize("call", [flatdim, flatten_space])
def test_undefined_space_is_reported(call: Any) -> None:
    with pytest.raises(NotImplementedError):
        call(Unknown())


@pytest.mark.parametrize("call", [flatten, unflatten])
def test_elements_of_an_undefined_space_are_reported(call: Any) -> None:
    with pytest.raises(NotImplementedError):
        call(Unknown(), np.zeros(1))
