"""The `Graph` space, which contains graphs whose nodes and edges are elements of given spaces."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gymkernel import logger, ops
from gymkernel.ops import batch
from gymkernel.space import Space, compare_foreign, require_space
from gymkernel_space_box import Box
from gymkernel_space_tuple import Tuple
from gymkernel_util_spaces.choice import mask_or_probability, split_seeds
from gymkernel_util_spaces.codec import KeptBatches, flatten_all, is_side_by_side, unflatten_all

__all__ = ["Graph", "GraphInstance"]


class _Default(int):
    """An integer type for default values, which distinguishes a default from an equal integer that a caller passes."""


put = object.__setattr__
LINKS = np.dtype(np.int64)
"""The dtype of the edge links in a graph without edges. In random graphs, the dtype is int32."""
NODES = _Default(10)
"""The default number of nodes in a random graph."""
MOST = 128
"""The maximum number of batched spaces that a Graph caches for nodes or edges."""


class GraphInstance(NamedTuple):
    """An element of a `Graph` space: nodes, edges, and the indices of the two nodes that each edge connects."""

    nodes: Any
    """The nodes, a batch of elements of the node space."""
    edges: Any
    """The edges, a batch of elements of the edge space, or None if there are no edges."""
    edge_links: Any
    """The indices of the two nodes that each edge connects, an integer array of shape (number of edges, 2), or None if
    there are no edges."""


class Graph(Space[GraphInstance]):
    """A space of directed graphs of any size, whose nodes and edges are elements of given spaces.

    Args:
        node_space: the space of the nodes.
        edge_space: the space of the edges, or None for graphs without edges.
        seed: an integer >= 0, a sequence of seeds for the graph, the node space and the edge space (if any), a
            `numpy.random.Generator`, or None. If a generator is given, a copy of the generator seeds the inner spaces
            that have no generator of their own.

    Raises:
        TypeError: if an argument is not a space.

    >>> from gymkernel.spaces import Box
    >>> space = Graph(Box(-1, 1, (3,)), Box(0, 1), seed=123)
    >>> space
    Graph(Box(-1.0, 1.0, (3,), float32), Box(0.0, 1.0, (1,), float32))
    >>> graph = space.sample(num_nodes=4, num_edges=8)
    >>> graph.nodes.shape, graph.edges.shape, graph.edge_links.shape
    ((4, 3), (8, 1), (8, 2))
    """

    spec_fields = MappingProxyType({"node_space": Space, "edge_space": Space | None})
    node_space: Any
    """The space of the nodes. It can be replaced."""
    edge_space: Any
    """The space of the edges, or None. It can be replaced."""
    _cache: tuple[_Batches, _Batches] | None = None

    def __init__(
        self, node_space: Any, edge_space: Any, seed: int | Sequence[Any] | np.random.Generator | None = None
    ) -> None:
        if not isinstance(node_space, Space):
            require_space(node_space, "Graph expects the space of its nodes")
        if edge_space is not None and not isinstance(edge_space, Space):
            require_space(edge_space, "Graph expects the space of its edges, or None")
        put(self, "node_space", node_space)
        put(self, "edge_space", edge_space)
        if seed is not None:
            super().__init__(None, None, seed)  # type: ignore[arg-type]

    def _batches(self) -> tuple[_Batches, _Batches]:
        """Return the two objects that sample and iterate over batches of nodes and batches of edges."""
        batches = self._cache
        if batches is None:
            put(self, "_cache", batches := (_Batches(), _Batches()))
        return batches

    @property
    def batch_node_space(self) -> Any:
        """The space of node batches of length 1."""
        return self._batches()[0].ones.one(self.node_space)

    @property
    def batch_edge_space(self) -> Any:
        """The space of edge batches of length 1, or None if graphs have no edges."""
        return None if self.edge_space is None else self._batches()[1].ones.one(self.edge_space)

    def seed(self, seed: Any = None) -> tuple[Any, ...]:
        """Seed this space, the node space and the edge space (if any), and return all seeds that were used.

        Args:
            seed: an integer from which all seeds are derived, a sequence with a seed for each space, or None for random
                seeds.
        """
        spaces = [space for _, space in self.parts()]
        own, *inner = split_seeds(seed, len(spaces))
        return super().seed(own), *[space.seed(value) for space, value in zip(spaces, inner, strict=True)]

    def sample(
        self,
        mask: tuple[Any, Any] | None = None,
        probability: tuple[Any, Any] | int | np.integer[Any] | None = None,
        num_nodes: int | np.integer[Any] = NODES,
        num_edges: int | np.integer[Any] | None = None,
    ) -> GraphInstance:
        """Return a random graph.

        Args:
            mask: a tuple with a mask for the batch of nodes and a mask for the batch of edges. If `num_edges` is None,
                the second mask is for a single edge.
            probability: a tuple of probabilities for the nodes and for the edges, in the same structure as the masks.
            num_nodes: the number of nodes, at least 1.
            num_edges: the number of edges. None means a random number less than `num_nodes * (num_nodes - 1)`.

        As in older versions of Gym, `num_nodes` and `num_edges` may also be positional arguments directly after the
        mask.
        """
        if isinstance(probability, int | np.integer):
            num_nodes, num_edges = probability, None if num_nodes is NODES else num_nodes
            probability = None
        if not hasattr(num_nodes, "__index__") or num_nodes < 1:
            raise ValueError(f"Graph expects num_nodes to be positive, got num_nodes={num_nodes!r}")
        if num_edges is not None and (not hasattr(num_edges, "__index__") or num_edges < 0):
            raise ValueError(f"Graph expects num_edges to be an integer >= 0 or None, got {num_edges!r}")
        node_mask = edge_mask = name = None
        if mask is not None or probability is not None:
            name, both = mask_or_probability(mask, probability)
            if not isinstance(both, tuple) or len(both) != 2:
                message = f"Graph expects {name} to be a tuple for the nodes and the edges, got {both!r}"
                raise ValueError(message)
            node_mask, edge_mask = both
        if num_edges is None:
            num_edges = int(self.np_random.integers(num_nodes * (num_nodes - 1))) if num_nodes > 1 else 0
            edge_mask = None if edge_mask is None else (edge_mask,) * num_edges
        elif self.edge_space is None:
            logger.warn(f"num_edges={num_edges} is ignored, because the Graph has no edge space")
        node_batches, edge_batches = self._cache or self._batches()
        nodes = node_batches.draw(self.node_space, int(num_nodes), name, node_mask)
        if self.edge_space is None or not num_edges:
            return GraphInstance(nodes, None, None)
        edges = edge_batches.draw(self.edge_space, int(num_edges), name, edge_mask)
        return GraphInstance(nodes, edges, self.np_random.integers(0, num_nodes, (num_edges, 2), np.int32))

    def contains(self, x: Any) -> bool:
        """Return whether an object is a GraphInstance with valid nodes and edges, in which all links refer to nodes."""
        if getattr(x, "_fields", None) != GraphInstance._fields:  # the object may be a GraphInstance of another library
            return False
        node_batches, edge_batches = self._cache or self._batches()
        nodes = _members(self.node_space, node_batches, x.nodes)
        if nodes is None:
            return False
        if x.edges is None or x.edge_links is None:
            return x.edges is None and x.edge_links is None
        links = x.edge_links
        if self.edge_space is None or not isinstance(links, np.ndarray) or links.dtype.kind not in "iu":
            return False
        edges = _members(self.edge_space, edge_batches, x.edges)
        return edges is not None and links.shape == (edges, 2) and bool(((links >= 0) & (links < nodes)).all())

    def to_jsonable(self, sample_n: Iterable[GraphInstance]) -> list[dict[str, Any]]:
        """Convert each graph to a dict that contains the nodes and, if there are edges, the edges and their links."""
        result = []
        for sample in sample_n:
            item: dict[str, Any] = {"nodes": _to_json(self.node_space, self.batch_node_space, sample.nodes)}
            if sample.edges is not None and sample.edge_links is not None:
                self._expect_edges()
                item["edges"] = _to_json(self.edge_space, self.batch_edge_space, sample.edges)
                item["edge_links"] = sample.edge_links.tolist()
            result.append(item)
        return result

    def from_jsonable(self, sample_n: Iterable[dict[str, Any]]) -> list[GraphInstance]:
        """Convert the result of `to_jsonable` back to elements."""
        result = []
        for item in sample_n:
            edges = links = None
            if "edges" in item:
                self._expect_edges()
                edges = _from_json(self.edge_space, self.batch_edge_space, item["edges"])
                links = np.asarray(item["edge_links"], np.int32)
            nodes = _from_json(self.node_space, self.batch_node_space, item["nodes"])
            result.append(GraphInstance(nodes, edges, links))
        return result

    def _expect_edges(self) -> None:
        if self.edge_space is None:
            raise ValueError(f"{self} has no edge space, but the element has edges")

    def examples(self) -> Iterator[GraphInstance]:
        """Yield a graph with a single node, a graph with an edge from a node to itself, and random graphs."""
        twin = copy.deepcopy(self)
        twin.seed(0)
        yield twin.sample(num_nodes=1)
        if self.edge_space is not None:
            yield twin.sample(num_nodes=1, num_edges=2)
        yield from super().examples()

    def parts(self) -> list[tuple[str, Any]]:
        """Return the node space and the edge space (if any) with their names."""
        edges = [] if self.edge_space is None else [("edge_space", self.edge_space)]
        return [("node_space", self.node_space), *edges]

    @classmethod
    def test_instances(cls) -> Iterator[Graph]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls(Box(-1, 1, (2,)), Box(0, 1, (3,)))
        yield cls(Box(-1, 1, (2,)), None)

    def to_spec(self) -> dict[str, Any]:
        """Return the node space and the edge space."""
        return {"node_space": self.node_space, "edge_space": self.edge_space}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return compare_foreign(other)
        return bool(self.node_space == other.node_space) and bool(self.edge_space == other.edge_space)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, which does not contain the cached batched spaces, because they may be large."""
        return {name: value for name, value in self.__dict__.items() if name != "_cache"}

    def __setstate__(self, state: Iterable[tuple[str, Any]] | dict[str, Any]) -> None:
        super().__setstate__({name: value for name, value in dict(state).items() if not name.startswith("batch_")})

    def __repr__(self) -> str:
        return f"Graph({self.node_space}, {self.edge_space})"


class _Batches:
    """A cache of batched spaces, with which batches of any size are sampled and iterated over.

    A batch is sampled with copies of the space's random number generators. Each original generator is then advanced by
    one number. Batched spaces are cached if the space has no inner spaces, because creating a batched space takes ten
    times as long as sampling from it. `ones` caches spaces of batches of one element, which are used to iterate over
    batches of any size.
    """

    def __init__(self) -> None:
        self.ones, self._drawing = KeptBatches(), KeptBatches()

    def elements(self, space: Any, items: Any) -> Iterator[Any]:
        """Iterate over the elements of a batch."""
        elements: Iterator[Any] = ops.iterate(self.ones.one(space, with_arrays=False), items)
        return elements

    def draw(self, space: Any, n: int, name: str | None, mask: Any) -> Any:
        cached = self._drawing.of(space)
        source, batched = space.np_random.bit_generator, cached.get(n)
        if batched is not None and type(batched.np_random.bit_generator) is type(source):
            batched.np_random.bit_generator.state = source.state
        else:
            batched = ops.batch_space(space, n)
            if len(cached) < MOST and not (_parts(space) or _parts(batched)):
                cached[n] = batched
        sample = batched.sample() if name is None else batched.sample(**{name: mask})
        _advance(space)
        return sample


def _parts(space: Any) -> Sequence[tuple[Any, Any]]:
    parts: Sequence[tuple[Any, Any]] = space.parts() if hasattr(space, "parts") else ()
    return parts


def _advance(space: Any) -> None:
    space.np_random.random()
    for _, part in _parts(space):
        _advance(part)


def _to_json(space: Any, batched: Any, items: Any) -> Any:
    """Convert a batch to JSON-compatible values, element by element if batches are tuples of elements."""
    if is_side_by_side(space, batched):
        return space.to_jsonable(list(ops.iterate(batched, items)))
    return batched.to_jsonable([items])


def _from_json(space: Any, batched: Any, data: Any) -> Any:
    if is_side_by_side(space, batched):
        return batch(space, space.from_jsonable(data))
    return batched.from_jsonable(data)[0]


def _members(space: Any, batches: _Batches, items: Any) -> int | None:
    """Return the number of elements in a batch, or None if the batch is invalid."""
    try:
        elements = list(batches.elements(space, items))
    except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
        return None
    return len(elements) if all(map(space.contains, elements)) else None


@ops.flatdim.register(Graph)
def _flatdim(space: Graph) -> int:
    raise ValueError(f"{space} cannot flatten its elements to vectors: graphs vary in size")


@ops.flatten.register(Graph)
def _flatten(space: Graph, x: GraphInstance) -> GraphInstance:
    node_batches, edge_batches = space._cache or space._batches()  # noqa: SLF001 - the class is defined in this module
    nodes = flatten_all(space.node_space, node_batches.elements(space.node_space, x.nodes))
    edges = None if x.edges is None else flatten_all(space.edge_space, edge_batches.elements(space.edge_space, x.edges))
    return GraphInstance(nodes, edges, x.edge_links)


@ops.unflatten.register(Graph)
def _unflatten(space: Graph, x: GraphInstance) -> GraphInstance:
    edges = None if x.edges is None else unflatten_all(space.edge_space, x.edges)
    return GraphInstance(unflatten_all(space.node_space, x.nodes), edges, x.edge_links)


@ops.flatten_space.register(Graph)
def _flatten_space(space: Graph) -> Graph:
    edges = None if space.edge_space is None else ops.flatten_space(space.edge_space)
    return Graph(ops.flatten_space(space.node_space), edges)


@ops.is_space_dtype_shape_equiv.register(Graph)
def _is_equivalent(space_1: Graph, space_2: Any) -> bool:
    if not isinstance(space_2, Graph):
        return False
    parts, other_parts = dict(space_1.parts()), dict(space_2.parts())
    is_equivalent = ops.is_space_dtype_shape_equiv
    same_keys = parts.keys() == other_parts.keys()
    return same_keys and all(is_equivalent(part, other_parts[key]) for key, part in parts.items())


ops.batch_space.register(Graph, Tuple.of_copies)


@ops.create_empty_array.register(Graph)
def _create_empty_array(
    space: Graph, n: int | None = 1, fn: Callable[..., Any] = np.zeros
) -> tuple[GraphInstance, ...]:
    if n is None:
        return _create_empty_array(space, 1, fn)[0]
    make = ops.create_empty_array
    if space.edge_space is None:
        return tuple([GraphInstance(make(space.node_space, 1, fn), None, None) for _ in range(n)])
    rows = [(make(space.node_space, 1, fn), make(space.edge_space, 1, fn)) for _ in range(n)]
    return tuple([GraphInstance(nodes, edges, fn((1, 2), dtype=LINKS)) for nodes, edges in rows])


@ops.create_zero_array.register(Graph)
def _create_zero_array(space: Graph) -> GraphInstance:
    nodes = ops.create_zero_array(space.batch_node_space)
    if space.edge_space is None:
        return GraphInstance(nodes, None, None)
    return GraphInstance(nodes, ops.create_zero_array(space.batch_edge_space), np.zeros((1, 2), LINKS))
