"""Tests that MultiBinary, Text, Dict, Sequence, Graph and OneOf, and their inner spaces, behave like Gymnasium's."""

from __future__ import annotations

import copy
import json
import pickle
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import utils as their_vector
from gymnasium.wrappers.utils import create_zero_array
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.hostile_objects import ONES, SHAPED
from tests.peers.both import answer, masks, outcome, probabilities, recipes, same

import gymkernel
from gymkernel import ops

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.peers.both import Recipe

FAILED = "it raises"
THEIRS: dict[str, Callable[..., Any]] = {
    name: getattr(gymnasium.spaces.utils, name, None) or getattr(their_vector, name, None) or create_zero_array
    for name in ops.OPERATIONS
}


@dataclass(frozen=True)
class Peer:
    """A space that either library can create, and weights for `sample`."""

    make: Callable[[Any], Any]
    mask: Any = None
    probability: Any = None
    composite: bool = False
    """Whether the space is a product of spaces. In Gymnasium, it would give the same value to all nodes of a graph."""

    def __repr__(self) -> str:
        return repr(self.make(gymkernel))

    def both(self, seed: Any = None) -> tuple[Any, Any]:
        ours, theirs = self.make(gymkernel), self.make(gymnasium)
        if seed is not None:
            assert same(ours.seed(seed), theirs.seed(seed))
        return ours, theirs


def weights(draw: Any, n: int) -> tuple[Any, Any]:
    mask = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.int8)
    probability = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), np.float64)
    probability[draw(st.integers(0, n - 1))] += 1
    return mask, probability / probability.sum()


@st.composite
def old(draw: Any) -> Peer:
    recipe: Recipe = draw(recipes)
    weighted = "Box" not in {part.name for part in recipe}
    mask = masks(recipe, draw) if weighted else None
    return Peer(recipe.make, mask, probabilities(recipe, draw) if weighted else None, composite=bool(recipe.parts))


@st.composite
def multi_binaries(draw: Any) -> Peer:
    n = draw(st.one_of(st.integers(1, 20), st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    shape = (n,) if isinstance(n, int) else tuple(n)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    mask = rng.integers(0, 3, shape, np.int8)
    return Peer(lambda library: library.spaces.MultiBinary(n), mask, rng.random(shape))


@st.composite
def texts(draw: Any) -> Peer:
    low, high = sorted((draw(st.integers(0, 6)), draw(st.integers(1, 9))))
    kind = draw(st.sampled_from([str, frozenset, list]))
    charset = kind(draw(st.text(st.characters(min_codepoint=1, codec="utf-8"), min_size=1, max_size=12)))
    length = draw(st.one_of(st.none(), st.integers(low, high)))
    mask, probability = weights(draw, len(set(charset)))
    mask[0] = 1
    return Peer(
        lambda library: library.spaces.Text(high, min_length=low, charset=charset),
        (length, mask),
        (length, probability),
    )


def dicts(inner: Any) -> Any:
    def build(spaces: dict[str, Peer], sort: bool, kind: type) -> Peer:
        return Peer(
            lambda library: library.spaces.Dict(
                kind((key, part.make(library)) for key, part in spaces.items()), sort_keys=sort
            ),
            {key: part.mask for key, part in spaces.items()},
            {key: part.probability for key, part in spaces.items()},
            composite=True,
        )

    options = st.booleans(), st.sampled_from([dict, OrderedDict, list])
    return st.builds(build, st.dictionaries(st.text("abc", max_size=2), inner, min_size=1, max_size=3), *options)


def tuples(inner: Any) -> Any:
    def build(spaces: list[Peer]) -> Peer:
        return Peer(
            lambda library: library.spaces.Tuple([part.make(library) for part in spaces]),
            tuple(part.mask for part in spaces),
            tuple(part.probability for part in spaces),
            composite=True,
        )

    return st.builds(build, st.lists(inner, min_size=1, max_size=3))


def one_ofs(inner: Any) -> Any:
    def build(spaces: list[Peer]) -> Peer:
        return Peer(
            lambda library: library.spaces.OneOf([part.make(library) for part in spaces]),
            tuple(part.mask for part in spaces),
            tuple(part.probability for part in spaces),
        )

    return st.builds(build, st.lists(inner, min_size=1, max_size=3))


def sequences(inner: Any) -> Any:
    def build(space: Peer, stack: bool, length: Any) -> Peer:
        return Peer(
            lambda library: library.spaces.Sequence(space.make(library), stack=stack),
            (length, space.mask),
            (length, space.probability),
        )

    lengths = st.one_of(st.none(), st.integers(1, 4), st.just(np.array([1, 3])))
    return st.builds(build, inner, st.booleans(), lengths)


def graphs(inner: Any) -> Any:
    def build(nodes: Peer, edges: Peer | None) -> Peer:
        return Peer(
            lambda library: library.spaces.Graph(nodes.make(library), edges and edges.make(library)), composite=True
        )

    return st.builds(build, inner, st.one_of(st.none(), inner))


leaves = st.one_of(multi_binaries(), texts(), old())
flat = st.recursive(leaves, lambda inner: st.one_of(dicts(inner), one_ofs(inner), tuples(inner)), max_leaves=5)
peers = st.one_of(flat, st.one_of(sequences(flat), graphs(flat)), dicts(st.one_of(sequences(leaves), graphs(leaves))))
seeds = st.one_of(st.integers(0, 2**40), st.none())
some = settings(max_examples=150, deadline=None)


def plain(x: Any) -> Any:
    """Convert a value to plain types: a graph becomes a tuple, and the keys of a dict are ordered."""
    if isinstance(x, dict):
        return "keys", list(x), [plain(part) for part in x.values()]
    if isinstance(x, tuple):
        return tuple(plain(part) for part in x)
    return [plain(part) for part in x] if isinstance(x, list) else x


def agree(ours: Any, theirs: Any) -> bool:
    """Return whether values are equal. If Gymnasium raises an error, gymkernel may return anything."""
    return failed(theirs) or same(plain(ours), plain(theirs))


def failed(result: Any) -> bool:
    return isinstance(result, str) and result == FAILED


def sampled(peer: Peer, seed: Any, n: int = 3) -> tuple[Any, Any, list[Any], list[Any]]:
    """Return both spaces and samples from each, and check that the first samples are equal."""
    ours, theirs = peer.both(7 if seed is None else seed)
    values = [(ours.sample(), theirs.sample()) for _ in range(1 if peer.composite else n)]
    assert agree(*values[0])
    return ours, theirs, [value for value, _ in values], [other for _, other in values]


@some
@given(peers)
def test_repr_and_attributes(peer: Peer) -> None:
    ours, theirs = peer.both()
    assert repr(ours) == repr(theirs)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    assert ours.is_np_flattenable == theirs.is_np_flattenable


@some
@given(flat, seeds)
def test_samples(peer: Peer, seed: Any) -> None:
    ours, theirs = peer.both(0 if seed is None else seed)
    for _ in range(4):
        assert agree(ours.sample(), theirs.sample())
    assert same(ours.seed(3), theirs.seed(3))
    assert same(ours.seed(theirs.seed(5)), theirs.seed(5))
    assert agree(ours.sample(), theirs.sample())


@some
@given(peers, st.integers(0, 2**40))
def test_first_samples(peer: Peer, seed: int) -> None:
    ours, theirs = peer.both(seed)
    assert agree(ours.sample(), theirs.sample())


@some
@given(st.one_of(sequences(leaves), graphs(leaves)), st.integers(0, 2**40))
def test_samples_of_any_size(peer: Peer, seed: int) -> None:
    ours, theirs = peer.both(seed)
    alone = not any(hasattr(part, "spaces") for _, part in ours.parts())
    for _ in range(4 if alone else 1):
        assert agree(ours.sample(), theirs.sample())


@some
@given(flat, st.integers(0, 2**40), st.sampled_from(["mask", "probability"]))
def test_weighted_samples(peer: Peer, seed: int, name: str) -> None:
    ours, theirs = peer.both(seed)
    for _ in range(3):
        given_weights = {name: getattr(peer, name)}
        mine, their = outcome(ours.sample, **given_weights), outcome(theirs.sample, **given_weights)
        if failed(their):
            return  # after a failure, the generators have different states
        assert agree(mine, their)
    assert agree(ours.sample(), theirs.sample())


@some
@given(sequences(leaves), st.integers(0, 2**40), st.sampled_from(["mask", "probability"]))
def test_weighted_sequences(peer: Peer, seed: int, name: str) -> None:
    ours, theirs = peer.both(seed)
    for _ in range(3):
        given_weights = {name: getattr(peer, name)}
        assert agree(outcome(ours.sample, **given_weights), outcome(theirs.sample, **given_weights))


@pytest.mark.parametrize("edges", [None, 0, 1, 6])
@pytest.mark.parametrize("name", ["mask", "probability"])
def test_weighted_graphs(edges: int | None, name: str) -> None:
    dtype = np.int8 if name == "mask" else np.float64
    one = np.array([0, 1, 0], dtype)
    both = ((one,) * 4, one if edges is None else (one,) * edges)
    made = [lib.spaces.Graph(lib.spaces.Discrete(3), lib.spaces.Discrete(3), 5) for lib in (gymkernel, gymnasium)]
    for _ in range(4):
        mine, their = [space.sample(**{name: both}, num_nodes=4, num_edges=edges) for space in made]
        assert agree(mine, their)


@some
@given(peers, peers, st.integers(0, 99))
def test_membership(peer: Peer, other: Peer, seed: int) -> None:
    ours, theirs, mine, their = sampled(peer, seed)
    _, _, mine_too, their_too = sampled(other, seed)
    for item, two in zip(mine + mine_too, their + their_too, strict=True):
        expected = outcome(lambda two=two: bool(theirs.contains(two)))  # with a NumPy index, the result is a NumPy bool
        assert agree(outcome(ours.contains, item), expected)


VALUES: list[Any] = [
    None,
    0,
    1.5,
    "a",
    "",
    "aaaaaaaaaaaaaaaaaaaaa",
    {},
    {"a": 0},
    [],
    (),
    (0,),
    (0, 0),
    (1, 0, 0),
    (-1, 0),
    [0, 1],
]
VALUES += [np.zeros(3), np.zeros(3, np.int8), np.ones((2, 2), bool), np.array(1), np.array([2, 0, 1]), np.array(["a"])]


@pytest.mark.parametrize("value", VALUES, ids=repr)
@settings(max_examples=30, deadline=None)
@given(peers)
def test_membership_of_arbitrary_values(value: Any, peer: Peer) -> None:
    ours, theirs = peer.both()
    assert agree(outcome(ours.contains, value), outcome(theirs.contains, value))


@some
@given(peers, st.integers(0, 99))
def test_json(peer: Peer, seed: int) -> None:
    ours, theirs, mine, their = sampled(peer, seed)
    text = json.dumps(ours.to_jsonable(mine), sort_keys=True)
    loaded = ours.from_jsonable(json.loads(text))
    assert all(map(ours.contains, loaded))
    text_theirs = outcome(lambda: json.dumps(theirs.to_jsonable(their), sort_keys=True))
    loaded_theirs = outcome(lambda: theirs.from_jsonable(json.loads(text_theirs)))
    if not agree(loaded_theirs, their) or failed(loaded_theirs) or text != text_theirs:
        # Gymnasium's JSON loses parts of OneOf and Text. A stacked Sequence's Dict keys get the order of the JSON text.
        assert any(kind in repr(ours) for kind in ("OneOf", "Text", "stack=True"))


def shown(space: Any) -> Any:
    """Convert a space of either library to comparable values, and return other values unchanged."""
    return (repr(space), space.dtype, space.shape) if hasattr(space, "sample") else space


@some
@given(peers, st.integers(0, 99))
def test_flat(peer: Peer, seed: int) -> None:
    ours, theirs, mine, their = sampled(peer, seed)
    assert agree(outcome(ops.flatdim, ours), outcome(THEIRS["flatdim"], theirs))
    flat_ours, flat_theirs = outcome(ops.flatten_space, ours), outcome(THEIRS["flatten_space"], theirs)
    assert agree(shown(flat_ours), shown(flat_theirs))
    for item, two in zip(mine[:1], their[:1], strict=True):
        flat_two = outcome(THEIRS["flatten"], theirs, two)
        flat_one = outcome(ops.flatten, ours, item)
        assert agree(flat_one, flat_two)
        assert agree(outcome(ops.unflatten, ours, flat_one), outcome(THEIRS["unflatten"], theirs, flat_two))


@some
@given(peers, st.integers(0, 99), st.integers(1, 4))
def test_batches(peer: Peer, seed: int, n: int) -> None:
    ours, theirs = peer.both(seed)
    batched, batched_theirs = ops.batch_space(ours, n), THEIRS["batch_space"](theirs, n)
    assert repr(batched) == repr(batched_theirs)
    mine, their = batched.sample(), batched_theirs.sample()
    assert agree(mine, their)
    iterated = outcome(lambda: list(THEIRS["iterate"](batched_theirs, their)))
    assert agree(outcome(lambda: list(ops.iterate(batched, mine))), iterated)
    empty, empty_theirs = (create(space, n) for create, space in both_of("create_empty_array", ours, theirs))
    assert agree(empty, empty_theirs)
    elements, elements_theirs = ours.sample(), theirs.sample()
    joined = outcome(THEIRS["concatenate"], theirs, [elements_theirs] * n, empty_theirs)
    if agree(elements, elements_theirs):
        assert agree(ops.concatenate(ours, [elements] * n, empty), joined)
    assert agree(*(create(space) for create, space in both_of("create_zero_array", ours, theirs)))


def both_of(name: str, ours: Any, theirs: Any) -> list[tuple[Any, Any]]:
    return [(ops.OPERATIONS[name], ours), (THEIRS[name], theirs)]


@some
@given(peers, peers)
def test_equality_and_equivalence(peer: Peer, other: Peer) -> None:
    (ours, theirs), (ours_too, theirs_too) = peer.both(), other.both()
    assert (ours == ours_too) == (theirs == theirs_too)
    assert ours == peer.both()[0]
    equivalent = outcome(THEIRS["is_space_dtype_shape_equiv"], theirs, theirs_too)
    assert agree(outcome(ops.is_space_dtype_shape_equiv, ours, ours_too), equivalent)
    assert ops.is_space_dtype_shape_equiv(ours, peer.both()[0])
    differing = outcome(THEIRS["batch_differing_spaces"], [theirs, peer.both()[1]])
    assert agree(shown(outcome(ops.batch_differing_spaces, [ours, peer.both()[0]])), shown(differing))


def around(name: str, library: Any, space: Any) -> Any:
    """Put a space inside another space of some kind."""
    one, spaces = library.spaces.Discrete(2), library.spaces
    made = {
        "Dict": lambda: spaces.Dict({"x": space, "w": one}),
        "Tuple": lambda: spaces.Tuple([space, one]),
        "OneOf": lambda: spaces.OneOf([one, space]),
        "Sequence": lambda: spaces.Sequence(space),
        "stacked": lambda: spaces.Sequence(space, stack=True),
        "nodes": lambda: spaces.Graph(space, None),
        "edges": lambda: spaces.Graph(one, space),
        "Text": lambda: spaces.Dict([("t", spaces.Text(3, charset="ba")), ("x", space)]),
        "nothing": lambda: space,
    }
    return made[name]()


def put(name: str, library: Any, items: Any, change: bool) -> Any:
    spaces = [(key, part.make(library)) for key, part in items]
    if change:
        spaces[0] = (spaces[0][0], library.spaces.Box(-7, 7, (77,)))
    return around(name, library, library.spaces.Dict(spaces))


@some
@given(
    st.dictionaries(st.text("abc", max_size=2), st.one_of(flat, dicts(flat)), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.sampled_from(["Dict", "Tuple", "OneOf", "Sequence", "stacked", "nodes", "edges", "Text", "nothing"]),
    st.booleans(),
)
def test_equality_ignores_the_order_of_keys_at_any_depth(parts: Any, random: Any, name: str, change: bool) -> None:
    items = list(parts.items())
    shuffled = random.sample(items, len(items))
    answers = []
    for library in (gymkernel, gymnasium):
        one, other = put(name, library, items, change=False), put(name, library, shuffled, change)
        answers.append([one == other, other == one, one != other])
    assert answers[0] == answers[1]
    assert answers[0][0] is not change


@some
@given(dicts(st.one_of(flat, dicts(flat))), seeds, st.integers(1, 3))
def test_spaces_derived_from_a_dict_have_the_same_stream(peer: Peer, seed: Any, n: int) -> None:
    seed = 0 if seed is None else seed
    for name, more in (("batch_space", (n,)), ("flatten_space", ()), ("batch_differing_spaces", ())):
        ours, theirs = peer.both(seed)
        first = (ours, theirs) if name != "batch_differing_spaces" else ([ours, ours], [theirs, theirs])
        derived = [outcome(THEIRS[name], first[1], *more), outcome(ops.OPERATIONS[name], first[0], *more)]
        if FAILED in derived:
            continue
        assert agree(derived[1].seed(seed), derived[0].seed(seed))
        for _ in range(2):
            one, two = derived[1].sample(), derived[0].sample()
            assert agree(one, two)
            assert agree(outcome(ops.flatten, derived[1], one), outcome(THEIRS["flatten"], derived[0], two))


ORDERS: dict[str, Callable[[Any], Any]] = {
    "a dict": lambda s: s.Dict({"b": s.Box(0, 1), "a": s.Discrete(3)}),
    "a dict that stays": lambda s: s.Dict({"b": s.Box(0, 1), "a": s.Discrete(3)}, sort_keys=False),
    "an ordered dict": lambda s: s.Dict(OrderedDict(b=s.Box(0, 1), a=s.Discrete(3))),
    "an ordered dict that stays": lambda s: s.Dict(OrderedDict(b=s.Box(0, 1), a=s.Discrete(3)), sort_keys=False),
    "pairs": lambda s: s.Dict([("b", s.Box(0, 1)), ("a", s.Discrete(3))]),
    "keywords": lambda s: s.Dict(b=s.Box(0, 1), a=s.Discrete(3)),
    "a dict and keywords": lambda s: s.Dict({"c": s.Discrete(2), "b": s.Box(0, 1)}, a=s.Discrete(3)),
    "keys that do not compare": lambda s: s.Dict({"b": s.Box(0, 1), 1: s.Discrete(3)}),
    "what was put there": lambda s: put_in(s.Dict(b=s.Box(0, 1)), "a", s.Discrete(3)),
    "a dict in pairs": lambda s: s.Dict([("b", s.Dict(z=s.Box(0, 1), y=s.Box(0, 2))), ("a", s.Discrete(3))]),
    "pairs in a tuple": lambda s: s.Tuple([s.Dict([("b", s.Box(0, 1)), ("a", s.Discrete(3))])]),
    "a sequence among pairs": lambda s: s.Dict([("b", s.Sequence(s.Box(0, 1))), ("a", s.Discrete(3))]),
    "pairs in a sequence": lambda s: s.Sequence(s.Dict([("b", s.Box(0, 1)), ("a", s.Discrete(3))]), stack=True),
}


def put_in(space: Any, key: str, part: Any) -> Any:
    space[key] = part
    return space


@pytest.mark.parametrize("kind", ORDERS)
def test_key_order_is_consistent_in_derived_spaces(kind: str) -> None:
    """Create a Dict in every way, and check the key order in it, in a copy, and in batched and flattened spaces."""
    shows = []
    for library in (gymkernel, gymnasium):
        operation: Any = ops.OPERATIONS if library is gymkernel else THEIRS
        space = ORDERS[kind](library.spaces)
        space.seed(5)
        batch = operation["batch_space"](space, 2)
        several = [space, batch, operation["batch_space"](batch, 3), operation["batch_differing_spaces"]([space] * 2)]
        several += [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
        seeded = [*copy.deepcopy(several), operation["flatten_space"](space), operation["flatten_space"](batch)]
        seeds = [item.seed(11) for item in seeded]
        samples = [item.sample() for item in several + seeded]
        flat = [operation["flatten"](item, sample) for item, sample in zip(several + seeded, samples, strict=True)]
        made = [operation["create_empty_array"](space, 2), operation["create_zero_array"](space)]
        rows = [list(operation["iterate"](batch, samples[1]))]
        shows.append([[repr(item) for item in several + seeded], *map(plain, (seeds, samples, flat, made, rows))])
    for ours, theirs in zip(*shows, strict=True):
        assert same(ours, theirs)


@settings(max_examples=60, deadline=None)
@given(peers)
def test_membership_of_hostile_objects(peer: Peer) -> None:
    ours, theirs = peer.both()
    shaped = [make(ours.shape) for make in SHAPED] if ours.shape is not None else []
    for thing in (*ONES, *shaped):
        # Gymnasium calls `len` on a string, which may return a wrong length in a subclass.
        if not isinstance(thing, str) or type(thing) is str:
            assert outcome(ours.contains, thing) is bool(answer(outcome(theirs.contains, thing)))


CONSTRUCTORS = [
    "s.MultiBinary(0)",
    "s.MultiBinary(-3)",
    "s.MultiBinary([2, 0])",
    "s.MultiBinary(2.5)",
    "s.MultiBinary(np.array([2, 3]))",
    "s.Text(3, min_length=4)",
    "s.Text(3, min_length=-1)",
    "s.Text(2.0)",
    "s.Text(3, charset=['ab', 'c'])",
    "s.Text(np.int64(3), charset='bab')",
    "s.Dict({'a': 1})",
    "s.Dict({'a': s.Discrete(2)}, a=s.Discrete(2))",
    "s.Dict({'b': s.Discrete(2)}, a=s.Discrete(2))",
    "s.Dict({1: s.Discrete(2), 'a': s.Discrete(2)})",
    "s.Dict([('b', s.Discrete(2)), ('a', s.Discrete(2))])",
    "s.Dict({'b': s.Discrete(2), 'a': s.Discrete(2)}, sort_keys=False)",
    "s.Dict(OrderedDict(b=s.Discrete(2), a=s.Discrete(2)))",
    "s.Dict(5)",
    "s.Sequence(5)",
    "s.Graph(5, None)",
    "s.OneOf(())",
    "s.OneOf(5)",
    "s.OneOf((s.Discrete(2), 3))",
    "s.Dict(a=s.Discrete(2)).seed({'b': 1})",
    "s.OneOf([s.Discrete(2)]).seed((1,))",
    "s.Graph(s.Discrete(2), None).seed((1, 2, 3))",
    "s.Sequence(s.Discrete(2)).seed('1')",
]


@pytest.mark.parametrize("expression", CONSTRUCTORS)
def test_constructors_and_seeds(expression: str) -> None:
    ours, theirs = (
        outcome(eval, expression, {"s": library.spaces, "np": np, "OrderedDict": OrderedDict})
        for library in (gymkernel, gymnasium)
    )
    assert repr(ours) == repr(theirs)


def differing(spaces: Any) -> list[Any]:
    """Return, for each fixed defect, whether a library works correctly. Gymnasium has all of the defects."""
    graph = spaces.Graph(spaces.Dict(a=spaces.Box(0, 1)), None, seed=1)
    first, second = graph.sample(num_nodes=2), graph.sample(num_nodes=2)
    seeded = spaces.OneOf([spaces.Box(0, 1, seed=3)]).sample()[1]
    return [
        not np.array_equal(first.nodes["a"], second.nodes["a"]),
        bool(seeded == spaces.Box(0, 1, seed=3).sample()),
    ]


def test_fixed_defects() -> None:
    assert differing(gymkernel.spaces) == [True] * 2
    assert differing(gymnasium.spaces) == [False] * 2


@pytest.mark.parametrize(
    "build", [lambda s: s.Dict(a=s.Discrete(9)), lambda s: s.OneOf([s.Discrete(9)])], ids=["Dict", "OneOf"]
)
def test_numpy_integers_are_valid_seeds(build: Callable[[Any], Any]) -> None:
    assert build(gymkernel.spaces).seed(np.int64(7)) == build(gymnasium.spaces).seed(7)
    assert outcome(build(gymnasium.spaces).seed, np.int64(7)) == FAILED


LARGE = [
    (0, 255, (84, 84, 8), np.uint8),
    (-1, 1, (300, 300), np.float32),
    (0.1, 0.7, (32769,), np.float64),
    (-5, 5, (200, 200), np.int8),
    (2, 9, (200, 200), np.int32),
    (0, 1, (40000,), np.bool_),
    (0, np.inf, (40000,), np.float32),
]


@pytest.mark.parametrize("low, high, shape, dtype", LARGE, ids=str)
def test_large_boxes(low: float, high: float, shape: tuple[int, ...], dtype: type) -> None:
    ours, theirs = (library.spaces.Box(low, high, shape, dtype, seed=3) for library in (gymkernel, gymnasium))
    for _ in range(2):
        assert agree(ours.sample(), theirs.sample())
    assert agree(ops.batch_space(ours, 3).sample(), THEIRS["batch_space"](theirs, 3).sample())
