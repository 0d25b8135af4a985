"""Tests of the documentation page from 2022 on spaces: constructors, masks, seeds and distributions of samples."""

from __future__ import annotations

import copy
import inspect
import string
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

from gymkernel.spaces import (
    Box,
    Dict,
    Discrete,
    Graph,
    GraphInstance,
    MultiBinary,
    MultiDiscrete,
    Sequence,
    Space,
    Text,
    Tuple,
)

NESTED = {
    "ext_controller": MultiDiscrete([5, 2, 2]),
    "inner_state": Dict(
        {
            "charge": Discrete(100),
            "system_checks": MultiBinary(10),
            "job_status": Dict({"task": Discrete(5), "progress": Box(low=0, high=100, shape=())}),
        }
    ),
}
MAKE: dict[str, Any] = {
    "Box": lambda seed: Box(-1.0, 1.0, (3,), np.float32, seed),
    "Discrete": lambda seed: Discrete(50, seed, -1),
    "MultiBinary": lambda seed: MultiBinary([3, 2], seed),
    "MultiDiscrete": lambda seed: MultiDiscrete([50, 20, 2], np.int64, seed),
    "Text": lambda seed: Text(10, seed=seed),
    "Dict": lambda seed: Dict(copy.deepcopy(NESTED), seed),
    "Tuple": lambda seed: Tuple((Discrete(20), Box(-1, 1, shape=(2,))), seed),
    "Graph": lambda seed: Graph(Box(low=-100, high=100, shape=(3,)), Discrete(3), seed),
    "Sequence": lambda seed: Sequence(Box(0, 1), seed),
}
REQUIRED = inspect.Parameter.empty
LETTERS = frozenset(string.ascii_letters + string.digits)
SIGNATURES: list[tuple[Any, dict[str, Any]]] = [
    (Space, {"shape": None, "dtype": None, "seed": None}),
    (Box, {"low": REQUIRED, "high": REQUIRED, "shape": None, "dtype": np.float32, "seed": None}),
    (Discrete, {"n": REQUIRED, "seed": None, "start": 0}),
    (MultiBinary, {"n": REQUIRED, "seed": None}),
    (MultiDiscrete, {"nvec": REQUIRED, "dtype": np.int64, "seed": None}),
    (Text, {"max_length": REQUIRED, "min_length": 1, "charset": LETTERS, "seed": None}),
    (Dict, {"spaces": None, "seed": None}),
    (Graph, {"node_space": REQUIRED, "edge_space": REQUIRED, "seed": None}),
    (Sequence, {"space": REQUIRED, "seed": None}),
    (Tuple, {"spaces": REQUIRED, "seed": None}),
]
every = pytest.mark.parametrize("name", list(MAKE))


def mask(*flags: int) -> Any:
    return np.array(flags, np.int8)


class TestEverySpace:
    def test_space_has_shape_and_dtype(self) -> None:
        space: Any = Space((2, 3), np.float32, seed=4)
        assert (space.shape, space.dtype) == ((2, 3), np.dtype(np.float32))
        with pytest.raises(AttributeError):
            space.shape = (1,)

    @every
    def test_samples_are_contained_with_and_without_mask_none(self, name: str) -> None:
        space = MAKE[name](3)
        for sample in (space.sample(), space.sample(None), space.sample(mask=None)):
            assert space.contains(sample) is True
            assert sample in space

    @every
    def test_constructor_seed_equals_seed_method(self, name: str) -> None:
        one, other = MAKE[name](7), MAKE[name](None)
        other.seed(7)
        for _ in range(4):
            assert one.to_jsonable([one.sample()]) == one.to_jsonable([other.sample()])

    @every
    def test_generator_can_be_passed_as_seed(self, name: str) -> None:
        one, other = (MAKE[name](np.random.default_rng(7)) for _ in range(2))
        for _ in range(4):
            assert one.to_jsonable([one.sample()]) == one.to_jsonable([other.sample()])

    @pytest.mark.parametrize("space, arguments", SIGNATURES)
    def test_arguments_have_the_documented_order(self, space: Any, arguments: dict[str, Any]) -> None:
        found = [p for p in inspect.signature(space).parameters.values() if p.kind is not p.VAR_KEYWORD]
        assert {p.name: p.default for p in found[: len(arguments)]} == arguments
        assert [p.name for p in found[: len(arguments)]] == list(arguments)

    @every
    def test_first_argument_of_sample_is_the_mask(self, name: str) -> None:
        assert next(iter(inspect.signature(MAKE[name](1).sample).parameters)) == "mask"

    @every
    def test_shape_cannot_be_set(self, name: str) -> None:
        with pytest.raises(AttributeError):
            MAKE[name](1).shape = (1,)

    def test_custom_space_can_be_nested(self) -> None:
        class Even(Space[int]):
            def sample(self, mask: Any = None, probability: Any = None) -> int:
                return 2 * int(self.np_random.integers(5))

            def contains(self, x: Any) -> bool:
                return isinstance(x, int) and x % 2 == 0

        for space in (Dict(a=Even((), int, 3)), Tuple((Even(), Discrete(2))), Sequence(Even())):
            assert space.sample() in space
        assert Even().from_jsonable(Even().to_jsonable([2, 4])) == [2, 4]
        assert 3 not in Even()

    @every
    def test_batch_survives_to_and_from_jsonable(self, name: str) -> None:
        space = MAKE[name](3)
        samples = [space.sample() for _ in range(3)]
        data = space.to_jsonable(samples)
        again = space.from_jsonable(data)
        assert len(again) == 3
        assert all(sample in space for sample in again)
        assert space.to_jsonable(again) == data


class TestBox:
    def test_one_bound_for_every_dimension(self) -> None:
        space = Box(low=-1.0, high=2.0, shape=(3, 4), dtype=np.float32)
        assert space.shape == (3, 4)
        assert (space.low == -1).all()
        assert (space.high == 2).all()

    @pytest.mark.filterwarnings("ignore:.*precision")
    def test_a_bound_for_each_dimension(self) -> None:
        space = Box(low=np.array([-1.0, -2.0]), high=np.array([2.0, 4.0]), dtype=np.float32)
        assert (space.shape, space.low.tolist(), space.high.tolist()) == ((2,), [-1, -2], [2, 4])

    def test_number_beside_an_array_applies_to_all_dimensions(self) -> None:
        assert Box(low=0, high=np.array([2, 4], np.float32)).low.tolist() == [0, 0]

    def test_numbers_alone_give_one_dimension(self) -> None:
        assert Box(0, 1).shape == (1,)

    def test_missing_shape_and_bounds_are_rejected(self) -> None:
        with pytest.raises(ValueError, match="low"):
            Box(low=None, high=None, shape=None)  # type: ignore[call-overload]

    def test_default_dtype_is_float32(self) -> None:
        assert Box(0, 1).dtype == np.float32

    def test_integer_box_is_discrete(self) -> None:
        assert {int(Box(0, 3, (1,), np.int64, seed).sample()[0]) for seed in range(60)} == {0, 1, 2, 3}

    @pytest.mark.parametrize(
        "low, high, below, above",
        [(-1.0, 1.0, True, True), (-1.0, np.inf, True, False), (-np.inf, 1.0, False, True), (-np.inf, np.inf, 0, 0)],
    )
    def test_is_bounded_takes_a_manner(self, low: float, high: float, below: bool, above: bool) -> None:
        space = Box(low, high, (2,))
        seen = space.is_bounded("below"), space.is_bounded("above"), space.is_bounded(), space.is_bounded("both")
        assert seen == (below, above, below and above, below and above)

    def test_unknown_manner_is_rejected(self) -> None:
        with pytest.raises(ValueError, match="manner"):
            Box(0, 1).is_bounded("sideways")  # type: ignore[arg-type]

    def test_distribution_depends_on_the_interval(self) -> None:
        infinite = np.inf
        low = np.array([-1, 2, -infinite, -infinite], np.float32)
        high = np.array([3, infinite, 5, infinite], np.float32)
        space = Box(low, high, seed=1)
        drawn = np.stack([space.sample() for _ in range(4000)])
        assert (drawn[:, 0].min() >= -1, drawn[:, 0].max() <= 3) == (True, True)  # uniform
        assert (drawn[:, 1].min() >= 2, drawn[:, 2].max() <= 5) == (True, True)  # exponential, shifted
        assert np.allclose(drawn.mean(0), [1, 3, 4, 0], atol=0.15)
        assert np.allclose(drawn.std(0), [4 / 12**0.5, 1, 1, 1], atol=0.15)  # the last column is normally distributed


class TestDiscrete:
    def test_discrete_has_n_elements_from_start(self) -> None:
        assert [x for x in range(-3, 5) if x in Discrete(2)] == [0, 1]
        assert [x for x in range(-3, 5) if x in Discrete(3, start=-1)] == [-1, 0, 1]

    def test_second_argument_is_the_seed(self) -> None:
        assert Discrete(3, 7, -1) == Discrete(3, seed=7, start=-1)

    def test_mask_selects_the_allowed_values(self) -> None:
        space = Discrete(3, start=-1, seed=1)
        assert {int(space.sample(mask(1, 0, 1))) for _ in range(50)} == {-1, 1}

    def test_empty_mask_gives_the_start(self) -> None:
        assert Discrete(3, start=-1).sample(mask=mask(0, 0, 0)) == -1


class TestMultiBinary:
    @pytest.mark.parametrize("n, shape", [(5, (5,)), ([3, 2], (3, 2)), ((3, 2), (3, 2)), (np.array([3, 2]), (3, 2))])
    def test_elements_are_binary_arrays(self, n: Any, shape: tuple[int, ...]) -> None:
        space = MultiBinary(n, 3)
        drawn = np.stack([space.sample() for _ in range(40)])
        assert (drawn.shape[1:], drawn.dtype) == (shape, np.dtype("i1"))
        assert np.array_equal(np.unique(drawn), [0, 1])

    def test_sample_is_zero_where_the_mask_is_zero(self) -> None:
        """Check only the zeros. The page also has random values where the mask is 1, but Gymnasium 1.4 does not."""
        drawn = np.stack([MultiBinary(3, seed).sample(mask(0, 2, 1)) for seed in range(40)])
        assert (drawn.min(0).tolist(), drawn.max(0).tolist()) == ([0, 0, 1], [0, 1, 1])


class TestMultiDiscrete:
    def test_controller_example(self) -> None:
        space = MultiDiscrete([5, 2, 2])
        assert np.array([3, 1, 0]) in space
        assert np.array([3, 2, 0]) not in space

    def test_multi_discrete_can_have_several_axes(self) -> None:
        space = MultiDiscrete(np.array([[1, 2], [3, 4]]))
        assert space.shape == space.sample().shape == (2, 2)
        assert np.array([[0, 0], [2, 3]]) in space

    def test_dtype_is_an_integer_type(self) -> None:
        assert MultiDiscrete([5, 2], np.int8).sample().dtype == np.int8

    def test_mask_has_the_shape_of_the_space(self) -> None:
        space = MultiDiscrete(np.array([[1, 2], [3, 4]]))
        masks = (mask(1), mask(0, 1)), (mask(0, 0, 1), mask(0, 0, 0, 0))
        assert space.sample(masks).tolist() == [[0, 1], [2, 0]]

    def test_empty_mask_of_an_action_gives_zero(self) -> None:
        space = MultiDiscrete([5, 2, 3], seed=1)
        masks = mask(0, 1, 0, 1, 0), mask(0, 0), mask(0, 0, 1)
        assert {tuple(space.sample(masks).tolist()) for _ in range(50)} == {(1, 0, 2), (3, 0, 2)}


class TestText:
    def test_default_charset_is_alphanumeric_without_empty_string(self) -> None:
        space = Text(5)
        assert all(text in space for text in ("B5", "hello", "0"))
        assert not any(text in space for text in ("", "hello!", "too long"))

    def test_length_and_charset_are_keywords(self) -> None:
        space = Text(min_length=1, max_length=10, charset=string.digits)
        assert all(text in space for text in ("0", "42", "0123456789"))
        assert all(1 <= len(text) <= 10 and set(text) <= set(string.digits) for text in (space.sample(),))

    def test_length_bounds_are_inclusive(self) -> None:
        space = Text(4, min_length=2, seed=1)
        assert {len(space.sample()) for _ in range(80)} == {2, 3, 4}

    def test_mask_has_a_length_and_a_charset_mask(self) -> None:
        space = Text(5, charset="abc", seed=1)
        allowed = mask(*(character in "ac" for character in space.character_list))
        assert len(space.sample((3, None))) == 3
        assert {len(space.sample((None, None))) for _ in range(80)} == {1, 2, 3, 4, 5}
        assert set("".join(space.sample((5, allowed)) for _ in range(30))) == {"a", "c"}

    def test_length_outside_the_bounds_is_random(self) -> None:
        space = Text(5, min_length=2, seed=1)
        assert {len(space.sample((9, None))) for _ in range(80)} == {2, 3, 4, 5}

    def test_minimum_and_charset_are_keyword_only(self) -> None:
        with pytest.raises(TypeError):
            Text(5, 1)  # type: ignore[call-arg]

    def test_mask_follows_the_order_of_the_charset(self) -> None:
        assert set(Text(5, charset="cab").sample((5, mask(1, 0, 0)))) == {"c"}

    def test_empty_character_mask_gives_the_empty_string(self) -> None:
        assert Text(5, min_length=0, charset="abc").sample((None, mask(0, 0, 0))) == ""


class TestDict:
    def test_elements_have_the_keys_of_the_space(self) -> None:
        space = Dict({"position": Discrete(2), "velocity": Discrete(3)})
        assert list(space.sample()) == ["position", "velocity"]
        assert OrderedDict([("position", 1), ("velocity", 2)]) in space

    def test_spaces_are_a_mapping_pairs_or_keywords(self) -> None:
        parts: dict[str, Any] = {"position": Box(-1, 1, shape=(2,)), "color": Discrete(3)}
        assert Dict(parts)["color"] == Dict([*parts.items()])["color"] == Dict(**parts)["color"] == Discrete(3)
        assert Dict([*parts.items()]).spaces.keys() == Dict(**parts).spaces.keys() == parts.keys()

    def test_spaces_can_be_nested(self) -> None:
        space = Dict(NESTED)
        assert space.sample()["inner_state"]["job_status"]["progress"].shape == ()
        assert space["inner_state"]["charge"] == Discrete(100)

    def test_each_key_can_have_a_seed(self) -> None:
        one, other = (Dict({"a": Discrete(99), "b": Discrete(99)}, seed={"a": 3, "b": 4}) for _ in range(2))
        assert one.sample() == other.sample()
        assert one["a"].np_random.bit_generator.state != one["b"].np_random.bit_generator.state

    def test_mask_has_the_same_keys(self) -> None:
        with pytest.raises(ValueError, match="keys"):
            Dict(a=Discrete(2)).sample({"b": None})

    def test_each_key_has_its_mask(self) -> None:
        space = Dict({"a": Discrete(2), "b": Discrete(3)})
        assert space.sample({"a": mask(0, 1), "b": None})["a"] == 1


class TestGraph:
    SPACE = Graph(node_space=Box(low=-100, high=100, shape=(3,)), edge_space=Discrete(3))

    def test_default_sample_has_ten_nodes(self) -> None:
        graph = self.SPACE.sample()
        assert isinstance(graph, GraphInstance)
        assert (graph.nodes.shape, graph[0] is graph.nodes) == ((10, 3), True)
        assert graph.edges is not None or graph.edge_links is None

    def test_numbers_of_nodes_and_edges_can_be_passed(self) -> None:
        graph = self.SPACE.sample(num_nodes=4, num_edges=6)
        assert (graph.nodes.shape, graph.edges.shape, graph.edge_links.shape) == ((4, 3), (6,), (6, 2))
        assert graph.edge_links.max() < 4

    def test_numbers_can_be_positional_after_the_mask(self) -> None:
        graph = self.SPACE.sample(None, 4, 10)
        assert (graph.nodes.shape, graph.edges.shape) == ((4, 3), (10,))
        assert self.SPACE.sample(None, 7).nodes.shape == (7, 3)

    def test_default_number_of_edges_is_random(self) -> None:
        counts = {len(graph.edges) if graph.edges is not None else 0 for graph in self.graphs(40)}
        assert len(counts) > 3
        assert max(counts) <= 9

    def graphs(self, number: int) -> list[Any]:
        space = Graph(Discrete(3), Discrete(2), seed=1)
        return [space.sample(num_nodes=3) for _ in range(number)]

    def test_no_edge_space_means_no_edges(self) -> None:
        graph = Graph(Discrete(3), None).sample()
        assert (graph.edges, graph.edge_links) == (None, None)

    def test_masks_of_nodes_and_edges(self) -> None:
        space = Graph(Discrete(3), Discrete(2), seed=1)
        nodes = tuple([mask(0, 1, 0)] * 4)
        graph = space.sample((nodes, tuple([mask(1, 0)] * 5)), num_nodes=4, num_edges=5)
        assert (set(graph.nodes.tolist()), set(graph.edges.tolist())) == ({1}, {0})
        for _ in range(20):  # without a number of edges, one mask applies to all edges
            graph = space.sample((nodes, mask(0, 1)), num_nodes=4)
            assert graph.edges is None or (graph.edges == 1).all()


class TestSequence:
    def test_elements_are_tuples_of_any_length(self) -> None:
        space = Sequence(Box(0, 1), 3)
        drawn = [space.sample() for _ in range(30)]
        assert all(type(item) is tuple and item in space for item in drawn)
        assert len({len(item) for item in drawn}) > 3
        assert drawn[0] == () or drawn[0][0].shape == (1,)

    @pytest.mark.parametrize("length, seen", [(3, {3}), (np.array([2, 5]), {2, 5}), (0, {0})])
    def test_mask_can_fix_or_limit_the_length(self, length: Any, seen: set[int]) -> None:
        space = Sequence(Discrete(3), seed=1)
        assert {len(space.sample((length, None))) for _ in range(40)} == seen

    def test_mask_of_none_gives_a_random_length(self) -> None:
        space = Sequence(Discrete(3), seed=1)
        assert len({len(space.sample((None, None))) for _ in range(40)}) > 3

    def test_second_part_of_a_mask_applies_to_every_element(self) -> None:
        assert Sequence(Discrete(3)).sample((4, mask(0, 1, 0))) == (1, 1, 1, 1)


class TestTuple:
    def test_elements_are_tuples_of_inner_elements(self) -> None:
        space = Tuple((Discrete(2), Box(-1, 1, shape=(2,))))
        number, array = space.sample()
        assert (number in Discrete(2), array.shape, array.dtype) == (True, (2,), np.float32)

    def test_spaces_can_be_any_iterable(self) -> None:
        assert Tuple(iter([Discrete(2), Discrete(3)])) == Tuple((Discrete(2), Discrete(3)))

    def test_each_space_can_have_a_seed(self) -> None:
        one, other = (Tuple((Discrete(99), Discrete(99)), seed=[1, 2]) for _ in range(2))
        assert one.sample() == other.sample()

    def test_number_of_masks_equals_number_of_spaces(self) -> None:
        with pytest.raises(ValueError, match="2"):
            Tuple((Discrete(2), Discrete(3))).sample((None,))

    def test_each_space_has_its_mask(self) -> None:
        assert Tuple((Discrete(2), Discrete(3))).sample((None, mask(0, 0, 1)))[1] == 2
