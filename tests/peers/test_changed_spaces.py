"""Tests that spaces whose attributes are changed later behave as in Gymnasium: every operation uses the new values.

Gymnasium caches two values that gymkernel does not cache: the texts of a printed Box, and the batched spaces of a
Sequence and a Graph. The tests recompute these values in Gymnasium's spaces before each comparison.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import utils as their_single
from gymnasium.vector import utils as their_batched
from gymnasium.wrappers.utils import create_zero_array
from tests.peers.both import same

import gymkernel
from gymkernel import ops

if TYPE_CHECKING:
    from collections.abc import Callable

THEIRS: dict[str, Any] = {
    name: getattr(their_single, name, None) or getattr(their_batched, name, None) or create_zero_array
    for name in ops.OPERATIONS
}
RAISES = "it raises"
COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda space: pickle.loads(pickle.dumps(space))}


def array(*numbers: Any, dtype: Any = None) -> Any:
    return np.array(numbers, dtype)


def put(name: str, value: Callable[[Any], Any]) -> Callable[[Any, Any], None]:
    """Return a function that sets an attribute of a space to a value created with the space's library."""
    return lambda library, space: setattr(space, name, value(library.spaces))


def write(name: str, index: Any, value: Any) -> Callable[[Any, Any], None]:
    """Return a function that modifies an array attribute of a space in place."""
    return lambda library, space: getattr(space, name).__setitem__(index, value)


def several(*changes: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    def change(library: Any, space: Any) -> None:
        for item in changes:
            item(library, space)

    return change


def flatten(library: Any, space: Any) -> None:
    library.spaces.utils.flatten(space, space.sample())


def add(name: str, value: Any) -> Callable[[Any, Any], None]:
    def change(library: Any, space: Any) -> None:
        values = getattr(space, name)
        values += value

    return change


LEAVES: dict[str, tuple[Callable[[Any], Any], dict[str, Callable[[Any, Any], None]]]] = {
    "Discrete": (
        lambda s: s.Discrete(3),
        {
            "n": put("n", lambda s: np.int64(7)),
            "fewer": put("n", lambda s: np.int64(2)),
            "n of Python": put("n", lambda s: 7),
            "start": put("start", lambda s: np.int64(5)),
            "start of Python": put("start", lambda s: -4),
            "both": several(put("n", lambda s: np.int64(6)), put("start", lambda s: np.int64(2))),
            "dtype": several(
                put("dtype", lambda s: np.dtype("int16")),
                put("n", lambda s: np.int16(4)),
                put("start", lambda s: np.int16(0)),
            ),
        },
    ),
    "Discrete from 2": (
        lambda s: s.Discrete(3, start=2, dtype=np.int32),
        {"no start": put("start", lambda s: np.int32(0)), "n": put("n", lambda s: np.int32(9))},
    ),
    "MultiDiscrete": (
        lambda s: s.MultiDiscrete([3, 4]),
        {
            "start[0]": write("start", 0, 5),
            "nvec[0]": write("nvec", 0, 9),
            "nvec[1] down": write("nvec", 1, 2),
            "nvec += 3": add("nvec", 3),
            "nvec": put("nvec", lambda s: array(5, 2)),
            "start": put("start", lambda s: array(-3, 6)),
            "back": several(write("start", 0, 5), write("start", 0, 0)),
            "dtype": several(
                put("dtype", lambda s: np.dtype("int16")),
                put("nvec", lambda s: array(3, 4, dtype="i2")),
                put("start", lambda s: array(0, 1, dtype="i2")),
            ),
            "longer": several(
                put("nvec", lambda s: array(2, 3, 4)),
                put("start", lambda s: array(0, 0, 1)),
                put("_shape", lambda s: (3,)),
            ),
        },
    ),
    "large MultiDiscrete": (
        lambda s: s.MultiDiscrete(np.full((4, 5), 3), start=np.ones((4, 5), int)),
        {"nvec[0]": write("nvec", 0, 9), "start[:, 1]": write("start", (slice(None), 1), -2)},
    ),
    "MultiBinary": (
        lambda s: s.MultiBinary(3),
        {"n": put("n", lambda s: 5), "n and shape": several(put("n", lambda s: 5), put("_shape", lambda s: (5,)))}
        | {"dtype": put("dtype", lambda s: np.dtype("int32"))},
    ),
    "Box": (
        lambda s: s.Box(-1, 1, (2,)),
        {
            "low[0]": write("low", 0, -3),
            "high[1]": write("high", 1, 8),
            "low *= 2": several(add("low", -1.5), add("high", 2)),
            "low": put("low", lambda s: array(-5, -6, dtype="f4")),
            "high": put("high", lambda s: array(5, 6, dtype="f4")),
            "bounded_below[0]": write("bounded_below", 0, False),
            "bounded_above": put("bounded_above", lambda s: array(False, False)),
            "low[0] without bound": several(write("low", 0, -np.inf), write("bounded_below", 0, False)),
            "dtype": put("dtype", lambda s: np.dtype("f8")),
            "shape": several(
                put("_shape", lambda s: (3,)),
                put("low", lambda s: np.zeros(3, "f4")),
                put("high", lambda s: np.ones(3, "f4")),
                put("bounded_below", lambda s: np.ones(3, bool)),
                put("bounded_above", lambda s: np.ones(3, bool)),
            ),
            "text": several(put("low_repr", lambda s: "low"), put("high_repr", lambda s: "high")),
        },
    ),
    "Box without bounds": (
        lambda s: s.Box(-np.inf, np.inf, (2,), np.float64),
        {"low[0]": write("low", 0, 3.0), "all": several(write("low", ..., 0), write("bounded_below", ..., True))},
    ),
    "image": (
        lambda s: s.Box(0, 255, (4, 5), np.uint8),
        {"high": write("high", ..., 100), "low[0]": write("low", 0, 50), "flat": lambda _, space: space.high.fill(9)},
    ),
    "Text": (
        lambda s: s.Text(4, charset="abc"),
        {
            "min_length": put("min_length", lambda s: 3),
            "max_length": put("max_length", lambda s: 9),
            "shorter": put("max_length", lambda s: 2),
            "dtype": put("dtype", lambda s: np.dtype("U4")),
        },
    ),
    "Tuple": (
        lambda s: s.Tuple((s.Discrete(3), s.Box(0, 1, (2,)))),
        {
            "spaces": put("spaces", lambda s: (s.Box(0, 1, (3,)), s.Discrete(2), s.MultiBinary(2))),
            "a list": put("spaces", lambda s: [s.Discrete(4), s.Discrete(5)]),
            "in a list": several(
                put("spaces", lambda s: [s.Discrete(4), s.Discrete(5)]),
                flatten,
                lambda library, space: space.spaces.append(library.spaces.Discrete(2)),
            ),
        },
    ),
    "Dict": (
        lambda s: s.Dict(a=s.Discrete(3), b=s.Box(0, 1, (2,))),
        {
            "a key": lambda library, space: space.__setitem__("a", library.spaces.Box(0, 1, (3,))),
            "a new key": lambda library, space: space.__setitem__("c", library.spaces.Discrete(2)),
            "in spaces": lambda library, space: space.spaces.__setitem__("a", library.spaces.Discrete(9)),
            "a key less": lambda _, space: space.spaces.pop("a"),
            "spaces": put("spaces", lambda s: {"x": s.Discrete(2), "y": s.MultiBinary(2)}),
            "sort_keys": put("sort_keys", lambda s: False),
            "in a dict": several(
                put("spaces", lambda s: {"x": s.Discrete(2)}),
                flatten,
                lambda library, space: space.spaces.__setitem__("y", library.spaces.Discrete(4)),
            ),
        },
    ),
    "OneOf": (
        lambda s: s.OneOf((s.Discrete(3), s.Box(0, 1, (2,)))),
        {"spaces": put("spaces", lambda s: (s.Box(0, 1, (5,)), s.Discrete(2), s.Discrete(9)))},
    ),
    "Sequence": (
        lambda s: s.Sequence(s.Discrete(3)),
        {"feature_space": put("feature_space", lambda s: s.Box(0, 1, (2,)))},
    ),
    "stacked Sequence": (
        lambda s: s.Sequence(s.Discrete(3), stack=True),
        {
            "feature_space": put("feature_space", lambda s: s.Box(0, 1, (2,))),
            "unstacked": put("stack", lambda s: False),
        },
    ),
    "Graph": (
        lambda s: s.Graph(s.Discrete(3), s.Box(0, 1, (2,))),
        {
            "node_space": put("node_space", lambda s: s.Box(0, 1, (3,))),
            "edge_space": put("edge_space", lambda s: s.Discrete(4)),
            "no edges": put("edge_space", lambda s: None),
        },
    ),
}

NESTS: dict[str, Callable[[Any, Any], Any]] = {
    "alone": lambda s, leaf: leaf,
    "in a Dict": lambda s, leaf: s.Dict(a=s.Discrete(2), b=leaf),
    "in a Tuple of a Dict": lambda s, leaf: s.Tuple((s.Box(0, 1, (2,)), s.Dict(x=leaf, y=s.MultiDiscrete([2, 2])))),
    "in a OneOf": lambda s, leaf: s.OneOf((s.Discrete(2), leaf)),
    "in a Sequence": lambda s, leaf: s.Sequence(leaf),
    "in a stacked Sequence": lambda s, leaf: s.Sequence(leaf, stack=True),
    "in a Graph": lambda s, leaf: s.Graph(leaf, s.Discrete(2)),
    "in a Sequence of a Dict": lambda s, leaf: s.Sequence(s.Dict(a=leaf)),
}
DIFFERENT = {"Text", "Tuple", "Dict", "OneOf", "Sequence", "stacked Sequence", "Graph"}
"""Kinds of spaces that Gymnasium changes inside a graph or a stacked sequence. The guide explains why."""


def is_comparable(kind: str, where: str) -> bool:
    if kind == "Tuple" and where == "in a OneOf":
        return False
    return kind not in DIFFERENT or where not in {"in a stacked Sequence", "in a Graph"}


CASES = [
    pytest.param(make, change, nest, id=f"{kind} {name} {where}")
    for kind, (make, changes) in LEAVES.items()
    for name, change in changes.items()
    for where, nest in NESTS.items()
    if is_comparable(kind, where)
]


def refresh(space: Any) -> None:
    """Recompute the values that Gymnasium caches in a changed space."""
    if isinstance(space, gymnasium.spaces.Box):
        space.low_repr = space.low_repr if space.low_repr == "low" else None
        space.high_repr = space.high_repr if space.high_repr == "high" else None
    inner = getattr(space, "spaces", ())
    for part in [*(inner.values() if isinstance(inner, dict) else inner)]:
        refresh(part)
    for name, batch in (
        ("feature_space", "stacked_feature_space"),
        ("node_space", "batch_node_space"),
        ("edge_space", "batch_edge_space"),
    ):
        if (part := getattr(space, name, None)) is not None:
            refresh(part)
            if name != "feature_space" or space.stack:
                setattr(space, batch, their_batched.batch_space(part, 1))


def attempt(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*arguments, **options)
        except Exception:  # noqa: BLE001 - the test compares only whether a call raises
            return RAISES


def results(operations: dict[str, Any], space: Any, elements: list[Any]) -> dict[str, Any]:
    """Return the result of every operation on a space and its elements."""
    found: dict[str, Any] = {"seed": space.seed(3)}
    found["samples"] = attempt(lambda: [space.sample() for _ in range(4)])
    found["contains"] = [attempt(space.contains, x) for x in elements]
    found["contains its own"] = found["samples"] != RAISES and attempt(
        lambda: all(map(space.contains, found["samples"]))
    )
    found["shape"], found["dtype"], found["text"] = space.shape, space.dtype, repr(space)
    found["json"] = attempt(lambda: space.to_jsonable(elements))
    found["from json"] = RAISES if found["json"] == RAISES else attempt(lambda: space.from_jsonable(found["json"]))
    for name, duplicate in COPIES.items():
        twin: Any = duplicate(space)  # type: ignore[no-untyped-call]
        found[f"equals its {name}"] = attempt(lambda twin=twin: bool(twin == space))
        twin.seed(8)
        found[f"its {name} draws"] = attempt(twin.sample)
    space.seed(5)
    for name in ("flatdim", "flatten_space", "create_zero_array"):
        found[name] = attempt(operations[name], space)
    found["flatten"] = [attempt(operations["flatten"], space, x) for x in elements]
    found["unflatten"] = [
        RAISES if x is RAISES else attempt(operations["unflatten"], space, x) for x in found["flatten"]
    ]
    batched = found["batch_space"] = attempt(operations["batch_space"], space, 3)
    if batched is not RAISES:
        found["batch draws"] = attempt(batched.sample)
        found["batch contains"] = attempt(lambda: batched.contains(batched.sample()))
    empty = found["create_empty_array"] = attempt(operations["create_empty_array"], space, len(elements))
    joined = found["concatenate"] = attempt(operations["concatenate"], space, elements, empty)
    whole = attempt(operations["batch_space"], space, len(elements))
    found["iterate"] = attempt(lambda: list(operations["iterate"](whole, joined)))
    memory = attempt(operations["create_shared_memory"], space, len(elements))
    if memory is not RAISES:
        for i, x in enumerate(elements):
            attempt(operations["write_to_shared_memory"], space, i, x, memory)
        found["shared memory"] = attempt(operations["read_from_shared_memory"], space, memory, len(elements))
    return found


def converted(x: Any) -> Any:
    """Convert an element to gymkernel's classes, because each library has its own class of graphs."""
    if isinstance(x, gymnasium.spaces.GraphInstance):
        return gymkernel.spaces.GraphInstance(*map(converted, x))
    if isinstance(x, dict):
        return {key: converted(part) for key, part in x.items()}
    if type(x) in {tuple, list}:
        return type(x)(map(converted, x))
    return x


def alike(ours: Any, theirs: Any) -> bool:
    """Return whether the results are equal or Gymnasium raises an error. Spaces are compared by text and samples."""
    if isinstance(theirs, str) and theirs == RAISES:
        return True
    if isinstance(theirs, gymnasium.Space):
        return repr(ours) == repr(theirs)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    return same(ours, converted(theirs))


FOLLOW = {"stacked_feature_space", "batch_node_space", "batch_edge_space"}
"""Attributes that depend on other attributes in gymkernel and therefore cannot be set."""


def test_every_attribute_of_every_space_has_a_case() -> None:
    missing: set[str] = set()
    changed: set[str] = set()
    for make, changes in LEAVES.values():
        before = make(gymnasium.spaces)
        name = type(before).__name__
        public = {key for key in vars(before) if not key.startswith("_")} - FOLLOW
        missing |= {f"{name}.{key}" for key in public if key != "dtype" or isinstance(before.dtype, np.dtype)}
        for change in changes.values():
            after = copy.deepcopy(before)
            change(gymnasium, after)
            changed |= {f"{name}.{key}" for key, value in vars(after).items() if not same(value, vars(before).get(key))}

    assert missing - changed == set()


@pytest.mark.parametrize("used", [False, True], ids=["before its first use", "after use"])
@pytest.mark.parametrize("make, change, nest", CASES)
def test_every_operation_follows_the_change(make: Any, change: Any, nest: Any, used: bool) -> None:
    (our_leaf, ours), (their_leaf, theirs) = (
        (leaf, nest(library.spaces, leaf)) for library in (gymkernel, gymnasium) for leaf in [make(library.spaces)]
    )
    theirs.seed(1)
    elements = [theirs.sample() for _ in range(3)]
    if used:
        results(ops.OPERATIONS, ours, [converted(x) for x in elements])
        results(THEIRS, theirs, elements)

    change(gymkernel, our_leaf)
    change(gymnasium, their_leaf)
    attempt(refresh, theirs)
    theirs.seed(2)
    drawn = attempt(lambda: [theirs.sample() for _ in range(3)])
    assert attempt(lambda: [ours.contains(converted(x)) for x in elements]) == [
        bool(attempt(theirs.contains, x) is True) for x in elements
    ]
    candidates = elements if drawn == RAISES else [*elements, *drawn]
    for tried in [[x for x in candidates if attempt(theirs.contains, x) is True]]:
        seen = results(ops.OPERATIONS, ours, [converted(x) for x in tried])
        expected = results(THEIRS, theirs, tried)
        wrong = {name: (seen.get(name), value) for name, value in expected.items() if not alike(seen.get(name), value)}
        assert not wrong
