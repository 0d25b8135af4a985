"""The function `assert_equals`, which the helper modules of several packages' tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def assert_equals(a: Any, b: Any, prefix: str | None = None) -> None:
    """Assert that two nested structures of dictionaries, sequences and arrays are equal."""
    place = prefix or ""
    assert type(a) is type(b), f"{place}{a!r} and {b!r} differ in type"
    if isinstance(a, dict):
        _assert_mappings(a, b, place)
    elif isinstance(a, tuple | list):
        _assert_sequences(a, b, place)
    elif isinstance(a, np.ndarray):
        np.testing.assert_array_equal(a, b, err_msg=place)
    else:
        assert a == b, f"{place}{a!r} is not {b!r}"


def _assert_mappings(a: Mapping[Any, Any], b: Mapping[Any, Any], place: str) -> None:
    assert a.keys() == b.keys(), f"{place}the keys differ: {a.keys()} and {b.keys()}"
    for key, value in a.items():
        assert_equals(value, b[key], f"{place}{key}: ")


def _assert_sequences(a: Sequence[Any], b: Sequence[Any], place: str) -> None:
    assert len(a) == len(b), f"{place}the lengths differ: {len(a)} and {len(b)}"
    for index, (item, other) in enumerate(zip(a, b, strict=True)):
        assert_equals(item, other, f"{place}{index}: ")
