"""Test that a space whose attributes were changed behaves like a space that was created with the new attributes.

Every attribute of every space is changed before and after each operation is used, in single and nested spaces.
tests/peers makes the same changes to Gymnasium's spaces and compares the samples.
"""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gymkernel import Space, ops
from gymkernel.space import Field
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple

Change = Callable[[Any], Any]


class Angles(Space[np.ndarray[Any, Any]]):
    """A third-party space whose layout depends on an attribute."""

    def __init__(self, n: int) -> None:
        super().__init__(None, np.float64)
        self.n = n

    def draw(self) -> Any:
        return self.np_random.random(self.n)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == (self.n,)

    def layout(self) -> Any:
        return (Field.of(float, (self.n,)),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Angles) and self.n == other.n

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Angles({self.n})"


def put(**attributes: Any) -> Change:
    def change(space: Any) -> None:
        for name, value in attributes.items():
            setattr(space, name, value)

    return change


def write(name: str, index: Any, value: Any) -> Change:
    return lambda space: getattr(space, name).__setitem__(index, value)


def box(low: Any, high: Any) -> Box[Any]:
    return Box(np.array(low, np.float32), np.array(high, np.float32))


def text(length: int, characters: str) -> Text:
    return Text(length, min_length=2, charset=characters)


CHANGES: dict[str, tuple[Any, Change, Any]] = {
    "Discrete.n": (Discrete(3), put(n=7), Discrete(7)),
    "Discrete.start": (Discrete(3), put(start=np.int64(4)), Discrete(3, start=4)),
    "Discrete.start to 0": (Discrete(3, start=4), put(start=np.int64(0)), Discrete(3)),
    "Discrete.dtype": (
        Discrete(3),
        put(dtype=np.dtype("i2"), n=np.int16(4), start=np.int16(1)),
        Discrete(4, start=1, dtype="i2"),
    ),
    "MultiDiscrete.nvec[0]": (MultiDiscrete([3, 4]), write("nvec", 0, 9), MultiDiscrete([9, 4])),
    "MultiDiscrete.start[0]": (MultiDiscrete([3, 4]), write("start", 0, 5), MultiDiscrete([3, 4], start=[5, 0])),
    "MultiDiscrete.nvec": (MultiDiscrete([3, 4]), put(nvec=np.array([2, 9])), MultiDiscrete([2, 9])),
    "MultiDiscrete.start": (
        MultiDiscrete([3, 4]),
        put(start=np.array([-2, 1])),
        MultiDiscrete([3, 4], start=[-2, 1]),
    ),
    "large MultiDiscrete.nvec[0]": (
        MultiDiscrete([2] * 20),
        write("nvec", 0, 5),
        MultiDiscrete([5, *[2] * 19]),
    ),
    "MultiBinary.n": (MultiBinary(3), put(n=5, _shape=(5,)), MultiBinary(5)),
    "Box.low[0]": (box([0, 0], [1, 1]), write("low", 0, -3), box([-3, 0], [1, 1])),
    "Box.high[1]": (box([0, 0], [1, 1]), write("high", 1, 8), box([0, 0], [1, 8])),
    "Box.low": (box([0, 0], [1, 1]), put(low=np.array([-5, -6], "f4")), box([-5, -6], [1, 1])),
    "Box.low through a view": (box([0, 0], [1, 1]), lambda b: b.low[1:].fill(-2), box([0, -2], [1, 1])),
    "Box.low of another shape": (
        box([0, 0], [1, 1]),
        put(
            low=np.zeros(3, "f4"),
            high=np.ones(3, "f4"),
            bounded_below=np.ones(3, bool),
            bounded_above=np.ones(3, bool),
            _shape=(3,),
        ),
        box([0] * 3, [1] * 3),
    ),
    "Box.bounded_below": (
        box([0, 0], [1, 1]),
        lambda b: (b.low.__setitem__(0, -np.inf), b.bounded_below.__setitem__(0, False)),
        box([-np.inf, 0], [1, 1]),
    ),
    "image.high": (Box(0, 255, (3, 5), np.uint8), write("high", ..., 9), Box(0, 9, (3, 5), np.uint8)),
    "Text.max_length": (text(4, "abc"), put(max_length=7), text(7, "abc")),
    "Text.charset": (text(4, "abc"), put(charset=text(4, "xyzw").charset), text(4, "xyzw")),
    "Angles.n": (Angles(2), put(n=3), Angles(3)),
    "Tuple.spaces": (
        Tuple((Discrete(3), box([0], [1]))),
        put(spaces=(box([0, 0], [1, 1]), Discrete(2), MultiBinary(2))),
        Tuple((box([0, 0], [1, 1]), Discrete(2), MultiBinary(2))),
    ),
    "Dict.spaces": (
        Dict(a=Discrete(3), b=box([0], [1])),
        put(spaces={"x": Discrete(2), "y": MultiBinary(2)}),
        Dict(x=Discrete(2), y=MultiBinary(2)),
    ),
    "Dict[key]": (
        Dict(a=Discrete(3), b=box([0], [1])),
        lambda d: d.spaces.__setitem__("a", Discrete(5)),
        Dict(a=Discrete(5), b=box([0], [1])),
    ),
    "OneOf.spaces": (
        OneOf((Discrete(3), box([0], [1]))),
        put(spaces=(box([0, 0], [1, 1]), Discrete(9))),
        OneOf((box([0, 0], [1, 1]), Discrete(9))),
    ),
    "Sequence.feature_space": (
        Sequence(Discrete(3)),
        put(feature_space=box([0, 0], [1, 1])),
        Sequence(box([0, 0], [1, 1])),
    ),
    "Sequence.stack": (Sequence(Discrete(3)), put(stack=True), Sequence(Discrete(3), stack=True)),
    "Graph.node_space": (
        Graph(Discrete(3), None),
        put(node_space=box([0, 0], [1, 1])),
        Graph(box([0, 0], [1, 1]), None),
    ),
    "Graph.edge_space": (
        Graph(Discrete(3), None),
        put(edge_space=box([0, 0], [1, 1])),
        Graph(Discrete(3), box([0, 0], [1, 1])),
    ),
}
NESTS: dict[str, Callable[[Any], Any]] = {
    "alone": lambda leaf: leaf,
    "in a Dict": lambda leaf: Dict(a=Discrete(2), b=leaf),
    "in a Tuple of a Dict": lambda leaf: Tuple((box([0], [1]), Dict(x=leaf, y=MultiDiscrete([2, 2])))),
    "in a list": lambda leaf: _with_list(Tuple((leaf, Discrete(2)))),
    "in a OneOf": lambda leaf: OneOf((Discrete(2), leaf)),
    "in a Sequence": Sequence,
    "in a stacked Sequence of a Dict": lambda leaf: Sequence(Dict(a=leaf), stack=True),
    "in a Graph": lambda leaf: Graph(leaf, Discrete(2)),
    "in an edge": lambda leaf: Graph(box([0], [1]), leaf),
}


def _with_list(space: Tuple) -> Tuple:
    space.spaces = list(space.spaces)  # type: ignore[assignment]
    return space


def everything(space: Any, elements: list[Any]) -> dict[str, Any]:
    """Return the results of all operations on a space, which must be the same for two equal spaces."""
    space.seed(4)
    samples = [space.sample() for _ in range(3)]
    results: dict[str, Any] = {
        "samples": samples,
        "contains": [space.contains(x) for x in [*samples, *elements]],
        "text": repr(space),
    }
    space.seed(6)
    batch = ops.batch_space(space, 2)
    results |= {"batch": repr(batch), "batch draws": batch.sample(), "flat": _or_error(ops.flatten_space, space)}
    results |= {"layout": ops.layout(space), "json": space.to_jsonable(samples)}
    results["length"] = _or_error(ops.flatdim, space)
    results["from json"] = space.from_jsonable(results["json"])
    if results["length"] is not ValueError or not isinstance(space, OneOf):
        vectors = [ops.flatten(space, x) for x in samples]
        results |= {"vectors": vectors, "unflattened": [ops.unflatten(space, x) for x in vectors]}
    places = ops.create_empty_array(space, len(samples))
    whole = ops.concatenate(space, samples, places)
    results |= {"whole": whole, "rows": list(ops.iterate(ops.batch_space(space, len(samples)), whole))}
    results["zero"] = _or_error(ops.create_zero_array, space)
    if ops.layout(space) is not None:
        memory = ops.create_shared_memory(space, len(samples), multiprocessing)
        for i, x in enumerate(samples):
            ops.write_to_shared_memory(space, i, x, memory)
        results["shared"] = ops.read_from_shared_memory(space, memory, len(samples))
        arrays = [np.zeros(field.shape, field.dtype) for field in space.layout()]
        space.encode(samples[0], arrays)
        results["decoded"] = space.decode(arrays)
    return results


def _or_error(operation: Any, space: Any) -> Any:
    try:
        return repr(operation(space))
    except (ValueError, NotImplementedError) as exc:
        return type(exc)


def same(a: Any, b: Any) -> bool:
    if isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(b, dict):
        return isinstance(a, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in b)
    if isinstance(b, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and bool(a == b)


def pickled(space: Any) -> Any:
    return pickle.loads(pickle.dumps(space))


@pytest.mark.parametrize("used", [False, True], ids=["before its first use", "after use"])
@pytest.mark.parametrize(
    "where", [pytest.param(nest, marks=() if nest in {"alone", "in a Dict"} else pytest.mark.slow) for nest in NESTS]
)
@pytest.mark.parametrize("what", CHANGES)
def test_changed_space_equals_a_new_one(what: str, where: str, used: bool) -> None:
    first, change, last = CHANGES[what]
    leaf = copy.deepcopy(first)
    space, expected = NESTS[where](leaf), NESTS[where](copy.deepcopy(last))
    expected.seed(9)
    elements = [expected.sample() for _ in range(2)]
    if used:
        everything(space, [])

    change(leaf)

    seen, wanted = everything(space, elements), everything(expected, elements)
    assert [name for name in wanted if not same(seen[name], wanted[name])] == []
    assert space == expected
    assert expected == space
    for duplicate in (copy.copy, copy.deepcopy, pickled):
        twin = duplicate(space)
        assert twin == space
        assert same(everything(twin, elements), wanted)


@pytest.mark.parametrize("name", ["low", "high"])
def test_earlier_read_arrays_can_be_written_later(name: str) -> None:
    space = Dict(a=box([0, 0], [1, 1]))
    held = getattr(space["a"], name)
    view = held[1:]
    for bounds in ([0, 1], [0, 5], [-5, 5]):
        held[0], view[0] = (bounds[0], bounds[0]) if name == "low" else (bounds[1], bounds[1])

        low, high = space["a"].low, space["a"].high

        assert all(((x := space.sample()["a"]) >= low).all() and (x <= high).all() for _ in range(5))
        assert {"a": np.array(getattr(space["a"], name))} in space


def test_arrays_without_references_are_not_compared() -> None:
    space, counts = box([0, 0], [1, 1]), MultiDiscrete([3, 4])
    space.low[0], counts.nvec[0] = -1, 5

    space.sample(), counts.sample()

    assert space._facts is not None
    assert counts._facts is not None


def test_crossed_bounds_after_a_change_have_no_sample() -> None:
    space = box([0, 0], [1, 1])
    space.low[1] = 3

    assert np.zeros(2, np.float32) not in space
    with pytest.raises(ValueError, match=r"low <= high, got low=3.0 > high=1.0 at index \(1,\)"):
        space.sample()


def test_bounds_with_wrong_shape_are_rejected() -> None:
    space = box([0, 0], [1, 1])
    space.low = np.zeros(3, np.float32)

    with pytest.raises(ValueError, match=r"Box expects low to have shape \(2,\), got an array of shape \(3,\)"):
        space.contains(np.zeros(2, np.float32))


def test_changed_space_does_not_write_out_of_bounds() -> None:
    space = Text(4, charset="ab")
    memory = ops.create_shared_memory(space, 2, multiprocessing)
    ops.write_to_shared_memory(space, 1, "abab", memory)
    space.max_length = 9

    with pytest.raises(ValueError, match=r"Expected an observation in Text.*got .ababababa."):
        ops.write_to_shared_memory(space, 0, "ababababa", memory)

    assert ops.read_from_shared_memory(space, memory, 2)[1] == "abab"
