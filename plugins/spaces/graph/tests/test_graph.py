"""Tests of `Graph`: construction, sampling and operations."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

from gymkernel import error, ops
from gymkernel.spaces import Box, Field, Graph, GraphInstance, Space, Tuple, utils


class Point(Space[np.ndarray[Any, Any]]):
    """A third-party space of arrays, which can be batched."""

    def __init__(self, seed: Any = None, rows: int | None = None) -> None:
        super().__init__((2,) if rows is None else (rows, 2), np.float32, seed)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        drawn = self.np_random.random(self.shape).astype(np.float32)
        return drawn if mask is None else np.full_like(drawn, mask)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == self.shape and bool(((x >= 0) & (x <= 1)).all())

    def to_jsonable(self, sample_n: Any) -> Any:
        return [x.tolist() for x in sample_n]

    def from_jsonable(self, sample_n: Any) -> Any:
        return [np.array(x, np.float32) for x in sample_n]

    def layout(self) -> Any:
        return (Field.of(np.float32, self.shape or ()),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and other.shape == self.shape

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Point()"


class Word(Space[str]):
    """A third-party space without a layout."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "ab"[int(self.np_random.integers(2))]

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word)

    __hash__ = None  # type: ignore[assignment]


@ops.batch_space.register(Point)
def _batch(space: Point, n: int = 1) -> Point:
    return Point(copy.deepcopy(space.np_random), rows=n)


@ops.iterate.register(Point)
def _iterate(space: Point, items: Any) -> Any:
    return iter(items)


@ops.concatenate.register(Point)
def _concatenate(space: Point, items: Any, out: Any) -> Any:
    out[...] = list(items)
    return out


@ops.create_empty_array.register(Point)
def _create_empty_array(space: Point, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn((n, 2), dtype=np.float32)


@ops.flatten_space.register(Point)
def _flatten_space(space: Point) -> Point:
    return Point()


def graphs() -> list[Graph]:
    return [
        Graph(Point(), None, seed=1),
        Graph(Point(), Point(), seed=1),
        Graph(Point(), Word(), seed=1),
        Graph(Word(), Point(), seed=1),
        Graph(Tuple([Point(), Tuple([Point()])]), Point(), seed=1),
        Graph(Tuple([Point(), Word()]), Word(), seed=1),
        Graph(Graph(Point(), None), Point(), seed=1),
    ]


each = pytest.mark.parametrize("space", graphs(), ids=[f"{i}" for i in range(len(graphs()))])


def same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return bool(np.array_equal(a, b)) and a.dtype == b.dtype
    return bool(a == b)


class TestConstruction:
    @pytest.mark.parametrize(
        "arguments, message",
        [((3, None), "the space of its nodes, got 3"), ((Word(), 3), "the space of its edges, or None, got 3")],
    )
    def test_arguments_must_be_spaces(self, arguments: Any, message: str) -> None:
        with pytest.raises(TypeError, match=message):
            Graph(*arguments)

    def test_repr_and_equality(self) -> None:
        assert repr(Graph(Point(), None)) == "Graph(Point(), None)"
        assert Graph(Point(), Word()) == Graph(Point(), Word())
        assert Graph(Point(), Word()) != Graph(Point(), None)
        assert Graph(Point(), None) != Graph(Word(), None)
        with pytest.raises(TypeError, match="unhashable"):
            hash(Graph(Word(), None))

    def test_batched_spaces_exist(self) -> None:
        assert Graph(Point(), None).batch_node_space == Point(rows=1)
        assert Graph(Point(), None).batch_edge_space is None
        assert Graph(Point(), Point()).batch_edge_space == Point(rows=1)

    def test_graph_instance_is_a_named_tuple(self) -> None:
        nodes, edges, edge_links = GraphInstance(nodes=1, edges=2, edge_links=None)

        assert (nodes, edges, edge_links) == (1, 2, None)

    def test_notebook_shows_a_tree(self) -> None:
        tree = str(Graph(Point(), Word())._repr_html_())

        assert "<b>node_space</b>: <code>Point()</code>" in tree
        assert "<b>edge_space</b>" in tree


@each
class TestLaws:
    def test_samples_and_examples_are_in_the_space(self, space: Graph) -> None:
        drawn = [space.sample(num_nodes=n) for n in (1, 2, 5)]

        assert all(x in space for x in [*drawn, space.sample(), *space.examples()])

    def test_samples_differ(self, space: Graph) -> None:
        first, second = (space.sample(num_nodes=9, num_edges=9 if space.edge_space else None) for _ in range(2))

        assert not same(first.nodes, second.nodes)
        assert first.edges is None or not same(first.edges, second.edges)

    def test_returned_seeds_can_be_reused(self, space: Graph) -> None:
        for seed in (None, 5, np.int16(5)):
            seeds = space.seed(seed)
            x = space.sample()

            assert space.seed(list(seeds)) == seeds
            assert len(seeds) == (2 if space.edge_space is None else 3)
            assert same(space.sample(), x)

    def test_json_round_trip(self, space: Graph) -> None:
        xs = [space.sample(num_nodes=n) for n in (1, 3)]

        assert same(space.from_jsonable(json.loads(json.dumps(space.to_jsonable(xs)))), xs)

    def test_pickles_and_copies_continue_the_stream(self, space: Graph) -> None:
        space.sample()
        twins = [pickle.loads(pickle.dumps(space)), copy.deepcopy(space)]
        x = space.sample()

        assert all(twin == space and same(twin.sample(), x) for twin in twins)

    def test_state_ignores_derived_entries(self, space: Graph) -> None:
        twin = object.__new__(Graph)
        derived = dict.fromkeys(["batch_node_space", "batch_edge_space"], "of a class of Gymnasium's")
        twin.__setstate__(list({**copy.deepcopy(space.__getstate__()), **derived}.items()))
        x = space.sample()

        assert same(twin.sample(), x)
        assert twin.contains(x)
        assert (twin.batch_node_space, twin.batch_edge_space) == (space.batch_node_space, space.batch_edge_space)

    def test_unflatten_reverses_flatten(self, space: Graph) -> None:
        if "Word" in repr(space) or "Tuple" in repr(space):
            return
        x = space.sample(num_nodes=4)
        flat = ops.flatten(space, x)

        assert flat in ops.flatten_space(space)
        assert same(ops.unflatten(space, flat), x)

    def test_batch_is_a_tuple_of_graphs(self, space: Graph) -> None:
        batched = ops.batch_space(space, 3)
        xs = [space.sample(num_nodes=3) for _ in range(3)]

        batch = ops.concatenate(space, iter(xs), ops.create_empty_array(space, 3))

        assert isinstance(batched, Tuple)
        assert batch in batched
        assert batched.sample() in batched
        assert same(list(ops.iterate(batched, batch)), xs)
        assert len(ops.create_empty_array(space, 2)) == 2
        assert ops.batch_differing_spaces([space, space]) == ops.batch_space(space, 2)
        assert ops.is_space_dtype_shape_equiv(space, copy.deepcopy(space)) if "Word" not in repr(space) else True


class TestSample:
    def test_numbers_of_nodes_and_edges_can_be_passed(self) -> None:
        graph = Graph(Point(), Point()).sample(num_nodes=np.int64(4), num_edges=7)

        assert (graph.nodes.shape, graph.edges.shape, graph.edge_links.shape) == ((4, 2), (7, 2), (7, 2))
        assert graph.edge_links.dtype == np.int32

    def test_single_node_has_no_edges_by_default(self) -> None:
        space = Graph(Point(), Point())

        assert space.sample(num_nodes=1).edges is None
        assert space.sample(num_nodes=1, num_edges=2).edge_links.tolist() == [[0, 0], [0, 0]]

    def test_graph_without_edges_has_no_links(self) -> None:
        assert Graph(Point(), Point()).sample(num_edges=0)[1:] == (None, None)

    def test_number_of_edges_without_edge_space_warns(self) -> None:
        with pytest.warns(UserWarning, match="num_edges=3 is ignored"):
            assert Graph(Point(), None).sample(num_edges=3).edges is None

    @pytest.mark.parametrize("num_edges", [None, 3])
    @pytest.mark.parametrize("name", ["mask", "probability"])
    def test_masks_apply_to_nodes_and_edges(self, num_edges: int | None, name: str) -> None:
        space = Graph(Point(), Point(), seed=3)

        graph = space.sample(**{name: (0.25, None)}, num_nodes=2, num_edges=num_edges)

        assert (graph.nodes == 0.25).all() == (name == "mask")

    @pytest.mark.parametrize(
        "options, message",
        [
            ({"num_nodes": 0}, "num_nodes to be positive, got num_nodes=0"),
            ({"num_nodes": 1.0}, "num_nodes to be positive"),
            ({"num_edges": -1}, "num_edges to be an integer >= 0 or None, got -1"),
            ({"num_edges": "2"}, "num_edges to be an integer"),
            (
                {"mask": None, "probability": "x"},
                "probability to be a tuple for the nodes and the edges",
            ),
            ({"mask": (None,)}, "mask to be a tuple"),
            ({"mask": (None, None), "probability": (None, None)}, "got both"),
        ],
    )
    def test_invalid_arguments_are_rejected(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Graph(Point(), Point()).sample(**options)

    @pytest.mark.parametrize(
        "seed, exception", [((1, 2, 3), ValueError), ((1,), ValueError), ("1", TypeError), (-1, error.Error)]
    )
    def test_invalid_seeds_are_rejected(self, seed: Any, exception: type[Exception]) -> None:
        with pytest.raises(exception, match="Expected"):
            Graph(Point(), None).seed(seed)

    def test_node_generator_can_be_of_another_class(self) -> None:
        space = Graph(Point(1), None)
        space.sample()
        space.node_space._np_random = np.random.Generator(np.random.MT19937(1))

        assert space.sample() in space

    def test_replaced_node_space_is_used(self) -> None:
        space = Graph(Point(1), None)
        space.sample()
        space.node_space = Word()

        assert set(space.sample().nodes) <= {"a", "b"}


class TestMembership:
    links = np.array([[0, 1]])

    @pytest.mark.parametrize(
        "x",
        [
            GraphInstance(np.ones((2, 2)), None, None),
            GraphInstance(np.ones((2, 2)), np.ones((1, 2)), links),
            GraphInstance([np.ones(2)] * 2, [np.ones(2)], links.astype(np.uint8)),
        ],
        ids=["nodes", "edges", "lists"],
    )
    def test_graphs_are_contained(self, x: Any) -> None:
        assert x in Graph(Point(), Point())

    @pytest.mark.parametrize(
        "x",
        [
            (np.ones((2, 2)), None, None),
            None,
            GraphInstance(None, None, None),
            GraphInstance(3, None, None),
            GraphInstance(np.full((2, 2), 9.0), None, None),
            GraphInstance(np.ones((2, 2)), np.ones((1, 2)), None),
            GraphInstance(np.ones((2, 2)), None, links),
            GraphInstance(np.ones((2, 2)), np.full((1, 2), 9.0), links),
            GraphInstance(np.ones((2, 2)), 3, links),
            GraphInstance(np.ones((2, 2)), np.ones((2, 2)), links),
            GraphInstance(np.ones((2, 2)), np.ones((1, 2)), links + 1),
            GraphInstance(np.ones((2, 2)), np.ones((1, 2)), links - 1),
            GraphInstance(np.ones((2, 2)), np.ones((1, 2)), links * 1.0),
            GraphInstance(np.ones((2, 2)), np.ones((1, 2)), [[0, 1]]),
        ],
        ids=range(14),
    )
    def test_invalid_elements_are_not_contained(self, x: Any) -> None:
        assert x not in Graph(Point(), Point())

    def test_edges_require_an_edge_space(self) -> None:
        graph = GraphInstance(np.ones((2, 2)), np.ones((1, 2)), self.links)

        assert graph not in Graph(Point(), None)
        with pytest.raises(ValueError, match="no edge space"):
            Graph(Point(), None).to_jsonable([graph])
        with pytest.raises(ValueError, match="no edge space"):
            Graph(Point(), None).from_jsonable(Graph(Point(), Point()).to_jsonable([graph]))


class TestOperations:
    def test_flattening_to_a_vector_raises(self) -> None:
        space = Graph(Point(), None)
        with pytest.raises(ValueError, match="cannot flatten its elements to vectors"):
            ops.flatdim(space)
        assert space.is_np_flattenable is False
        assert space.layout() is None

    def test_nodes_and_edges_are_flattened_to_rows(self) -> None:
        space = Graph(Tuple([Box(0, 1, (2,)), Box(0, 1, (2, 1))]), Box(0, 1, ()), seed=1)
        x = space.sample(num_nodes=3, num_edges=5)
        flat = ops.flatten(space, x)

        assert flat.nodes.shape == (3, 4)
        assert flat.edges.shape == (5, 1)
        assert flat in ops.flatten_space(space)
        assert same(ops.unflatten(space, flat), x)

    def test_placeholders_are_graphs(self) -> None:
        for space in (Graph(Box(0, 1), None), Graph(Box(0, 1), Box(0, 1, (2,)))):
            assert ops.create_zero_array(space) in space
            assert all(item in space for item in ops.create_empty_array(space, 3))

    def test_equivalence_compares_structure(self) -> None:
        assert ops.is_space_dtype_shape_equiv(Graph(Point(), Point()), Graph(Point(), Point()))
        assert not ops.is_space_dtype_shape_equiv(Graph(Point(), Point()), Graph(Point(), None))
        assert not ops.is_space_dtype_shape_equiv(Graph(Point(), None), Graph(Point(rows=1), None))
        assert not ops.is_space_dtype_shape_equiv(Graph(Point(), None), Point())

    def test_single_graph_is_not_a_batch(self) -> None:
        with pytest.raises(error.CustomSpaceError, match="its elements are not batches"):
            ops.iterate(Graph(Word(), None), ())

    def test_subclass_supports_every_operation(self) -> None:
        class Road(Graph):
            def __init__(self) -> None:
                super().__init__(Point(), None, seed=1)

        space = Road()
        x = space.sample()

        assert same(ops.unflatten(space, ops.flatten(space, x)), x)
        assert isinstance(ops.batch_differing_spaces([space, Road()]), Tuple)

    def test_description_round_trip(self) -> None:
        for space in (Graph(Tuple([]), None), Graph(Tuple([]), Graph(Tuple([]), None))):
            assert utils.space_from_spec(json.loads(json.dumps(utils.space_to_spec(space)))) == space

    def test_description_names_the_space(self) -> None:
        with pytest.raises(ValueError, match="the kind of a space"):
            utils.space_from_spec({"version": 1, "space": {"kind": "GraphInstance", "nodes": 1}})
