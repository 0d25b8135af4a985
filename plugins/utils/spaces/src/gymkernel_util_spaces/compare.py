"""Functions that copy values for a later comparison and that describe the difference between two values."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

__all__ = ["difference", "outline", "short", "snapshot"]

IDENTITY: Any = object.__eq__
PLAIN = frozenset({bool, int, float, str, bytes})
"""The types whose values are compared with `==` first, because the states of generators contain thousands of such
values."""


def snapshot(value: Any) -> Any:
    """Return a copy that later changes to `value` do not affect. If `value` cannot be copied, return it unchanged.

    Args:
        value: any value. Containers and arrays inside the value are also copied.

    >>> kept = snapshot(seen := {"a": np.zeros(1)})
    >>> seen["a"][0] = 1
    >>> kept
    {'a': array([0.])}
    """
    cls = type(value)
    if cls in {bool, int, float, str, bytes, type(None)} or issubclass(cls, np.generic):
        return value
    if cls is dict:
        return {key: snapshot(part) for key, part in value.items()}
    if cls in {tuple, list}:
        return cls(snapshot(part) for part in value)
    try:
        return value.copy() if issubclass(cls, np.ndarray) else copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - copying an object such as a simulator handle may raise any exception
        return value


def outline(value: Any, depth: int = 8) -> Any:
    """Copy a value with the containers and arrays inside it, but not other objects such as environments.

    Args:
        value: any value. It does not have to support comparison or copying.
        depth: how many levels of nested containers to copy. Values on deeper levels are shared with the original.

    >>> kept = outline(info := {"lives": [3], "handle": print})
    >>> info["lives"][0] = 2
    >>> kept
    {'lives': [3], 'handle': <built-in function print>}
    """
    cls = type(value)  # `isinstance` could read an attribute of the value and raise an exception
    if not depth or not issubclass(cls, np.ndarray | dict | list | tuple | set | frozenset):
        return value
    try:
        if issubclass(cls, np.ndarray):
            return value.copy()
        if issubclass(cls, dict):
            return {key: outline(part, depth - 1) for key, part in value.items()}
        if issubclass(cls, tuple | list):
            parts = [outline(part, depth - 1) for part in value]
            return parts if issubclass(cls, list) else tuple(parts)
        return set(value)
    except Exception:  # noqa: BLE001 - a third-party container may raise any exception
        return value


def difference(a: Any, b: Any, path: str = "") -> str | None:
    """Describe the first difference between two values. Return None if they are equal, where NaN equals NaN.

    Args:
        a: the first value: a number, a string, an array, or a container of such values.
        b: the second value.
        path: the position of the two values in a larger value, such as "['x']". The description begins with this path.

    >>> difference({"x": np.array([1.0, 2.0])}, {"x": np.array([1.0, 3.0])})
    "['x'][1] was 2.0, then 3.0"
    >>> difference((1, math.nan), (1, math.nan))
    """
    if a is b or (type(a) in PLAIN and type(a) is type(b) and a == b):
        return None
    try:
        return _difference(a, b, path)
    except Exception:  # noqa: BLE001 - values whose comparison raises an exception count as equal
        return None


def _difference(a: Any, b: Any, path: str) -> str | None:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return _array_difference(a, b, path)
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() != b.keys():
            return f"{path or 'it'} had the keys {list(a)}, then {list(b)}"
        return next(filter(None, (difference(a[key], b[key], f"{path}[{key!r}]") for key in a)), None)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return next(filter(None, (difference(x, y, f"{path}[{i}]") for i, (x, y) in pairs)), None)
    return None if _equal(a, b) else f"{path or 'it'} was {short(a)}, then {short(b)}"


def _array_difference(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], path: str) -> str | None:
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{path or 'it'} was {a.dtype} {a.shape}, then {b.dtype} {b.shape}"
    if a.dtype == object:
        return difference(a.tolist(), b.tolist(), path)
    unequal = a != b
    if a.dtype.kind in "fc":
        unequal &= ~(np.isnan(a) & np.isnan(b))
    if not unequal.any():
        return None
    index = tuple(int(i) for i in np.argwhere(unequal)[0])
    at = f"{path or 'element '}[{', '.join(map(str, index))}]" if index else path or "it"
    count = int(unequal.sum())
    return f"{at} was {a[index]}, then {b[index]}{f' ({count} elements differ)' if count > 1 else ''}"


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return False  # the lengths differ
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b):
        return True
    if type(a) is type(b) and IDENTITY is getattr(type(a), "__eq__", None):
        return difference(getattr(a, "__dict__", None), getattr(b, "__dict__", None)) is None
    equal = a == b
    return equal if isinstance(equal, bool) else bool(np.all(equal))


def short(value: Any, length: int = 60) -> str:
    """Return the repr of a value as a single line of limited length. If the repr fails, return the name of the class.

    Args:
        value: an object of any class.
        length: the maximum number of characters, at least 4. A longer text is truncated and ends with three dots.

    >>> short(np.float32(1.5)), short("x" * 100, 8)
    ('1.5', "'xxxx...")
    """
    try:
        text = " ".join((str(value) if isinstance(value, np.generic) else repr(value)).split())
    except Exception:  # noqa: BLE001 - the repr of a third-party object may raise any exception
        text = f"<{type(value).__name__}, whose repr raises>"
    return text if len(text) <= length else text[: length - 3] + "..."
