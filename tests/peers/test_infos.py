"""Tests that infos of several environments are batched as in Gymnasium, with equal dtypes, shapes and values.

If Gymnasium raises an error or loses information, gymkernel keeps the information, as the guide "Coming from Gymnasium"
explains. This file lists all other differences with their reasons.
"""

from __future__ import annotations

import datetime as dt
import enum
from typing import Any

import gymnasium
import numpy as np
import pytest

import gymkernel
from gymkernel.infos import batch_infos, info_of

ABSENT = object()
"""The value for an environment without the key."""
A = np.array


class Colour(enum.IntEnum):
    RED = 1


SAME: dict[str, list[Any]] = {
    "bool": [True, False, True],
    "int": [1, 2, 3],
    "float": [1.0, 2.0, float("nan")],
    "float16": [np.float16(1)] * 3,
    "float32": [np.float32(1)] * 3,
    "float64": [np.float64(1)] * 3,
    "longdouble": [np.longdouble(1)] * 3,
    "int8": [np.int8(1)] * 3,
    "uint8": [np.uint8(255)] * 3,
    "complex": [1j, 2j, 3j],
    "complex64": [np.complex64(1j)] * 3,
    "str": ["a", "b", "c"],
    "str_": [np.str_("a")] * 3,
    "bytes": [b"a"] * 3,
    "None": [None] * 3,
    "list": [[1, 2], [3], []],
    "tuple": [(1, 2)] * 3,
    "set": [{1}] * 3,
    "class": [object] * 3,
    "IntEnum": [Colour.RED] * 3,
    "datetime64": [np.datetime64("2020-01-01")] * 3,
    "date": [dt.date(2020, 1, 1)] * 3,
    "array": [A([1, 2.0])] * 3,
    "array of no dimension": [A(1.0)] * 3,
    "array of bool": [A([True, False])] * 3,
    "array of str": [A(["a"])] * 3,
    "array of dates": [A(["2020-01-01"], "M8[D]")] * 3,
    "array of objects": [A([None, "a"], object)] * 3,
    "empty array": [np.zeros((0, 2))] * 3,
    "dictionary": [{"a": 1, "b": {"c": True}}] * 3,
    "empty dictionary": [{}] * 3,
    "dictionaries of different keys": [{"a": 1}, {"b": 2}, {"a": 3}],
    "str and int": ["a", 1, 2],
    "int and bool": [1, True, False],
    "int, not of all": [1, ABSENT, 3],
    "bool, not of all": [True, ABSENT, False],
    "float, not of the first": [ABSENT, 1.5, 2.5],
    "str, not of all": [ABSENT, "a", ABSENT],
    "array, not of all": [ABSENT, A([1, 2.0]), ABSENT],
    "array of objects, not of all": [ABSENT, A([None, "a"], object), ABSENT],
    "dictionary, not of all": [{"a": 1}, ABSENT, {"a": 2}],
}
KEPT: dict[str, list[Any]] = {
    "a large int": [2**70, 1, 2],
    "timedelta64": [np.timedelta64(1, "D")] * 3,
    "int and float": [1, 2.5, 3],
    "bool and int": [True, 2, 3],
    "int and None": [1, None, 3],
    "int and str": [1, "a", 3],
    "int8 and int": [np.int8(1), 300, 2],
    "float32 and float64": [np.float32(1), np.float64(1 + 1e-9), 1.0],
    "arrays of different shapes": [A([1]), A([1, 2]), A([1])],
    "arrays of different dtypes": [A([1]), A([1.5]), A([1])],
    "arrays of objects of different shapes": [A([None], object), A([1, 2], object), "a"],
    "array of objects, and an object": [A([None, 1], object), "a", None],
    "array and None": [A([1.0]), None, None],
    "array and int": [A([1, 2]), 5, A([3, 4])],
    "int and array": [1, A([1, 2]), 2],
    "dictionary and None": [{"a": 1}, None, {"a": 2}],
    "None and dictionary": [None, {"a": 1}, {"a": 2}],
    "dictionary and int": [{"a": 1}, 3, {"a": 2}],
}
"""Infos that Gymnasium rejects, rounds or overwrites."""


def infos(values: list[Any]) -> list[tuple[int, dict[str, Any]]]:
    return [(i, {"key": value}) for i, value in enumerate(values) if value is not ABSENT]


def added(library: Any, values: list[Any]) -> Any:
    envs = library.vector.VectorEnv()
    envs.num_envs = len(values)
    batch: dict[str, Any] = {}
    for i, info in infos(values):
        batch = envs._add_info(batch, info, i)
    return batch


def described(batch: Any) -> Any:
    if isinstance(batch, dict):
        return {key: described(value) for key, value in batch.items()}
    return (batch.dtype, batch.shape, repr(batch.tolist())) if isinstance(batch, np.ndarray) else repr(batch)


def ways(values: list[Any]) -> list[Any]:
    """Return gymkernel's two ways to batch infos: all together, and one environment after another."""
    return [batch_infos(infos(values), len(values)), added(gymkernel, values)]


@pytest.mark.parametrize("kind", SAME)
def test_infos_equal_gymnasiums(kind: str) -> None:
    theirs = described(added(gymnasium, SAME[kind]))

    assert [described(ours) for ours in ways(SAME[kind])] == [theirs, theirs]


@pytest.mark.parametrize("kind", KEPT)
def test_values_of_every_environment_are_kept(kind: str) -> None:
    values = KEPT[kind]
    for ours in ways(values):
        for i, value in enumerate(values):
            np.testing.assert_equal(info_of(ours, i)["key"], value)
    try:
        theirs = added(gymnasium, values)
    except Exception:  # noqa: BLE001 - the infos are lost, whatever the exception
        return
    assert described(theirs) != described(ways(values)[0])


@pytest.mark.parametrize(
    "values",
    [[np.True_] * 3, [np.True_, False, True], [ABSENT, np.False_, ABSENT]],
    ids=["all", "of both", "not of all"],
)
def test_numpy_bools_are_batched_like_python_bools(values: list[Any]) -> None:
    """NumPy's and Python's bools must be batched alike, because a mask must not become an array of objects."""
    plain = [value if value is ABSENT else bool(value) for value in values]
    for ours in ways(values):
        assert described(ours) == described(added(gymnasium, plain))
    assert added(gymnasium, values)["key"].dtype == object
