"""Functions that explain why a value is not an element of a space."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gymkernel_util_spaces.compare import short

__all__ = ["Mismatch", "explain", "mismatch", "not_finite"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The reason why a value is not an element of a space.

    Attributes:
        kind: the kind of mismatch: "structure" (for example None, a wrong shape or a missing key), "dtype" (also for a
            wrong Python type), "nan" or "value".
        message: a phrase that contains the position of the mismatch in the value, what the space expects, and what was
            found.
    """

    kind: Literal["structure", "dtype", "nan", "value"]
    message: str


def explain(space: Any, x: Any, path: str = "") -> str | None:
    """Explain in a phrase why `x` is not an element of a space. Return None if it is an element.

    Args:
        space: a space from any library.
        x: the value to check.
        path: the position of the value in a larger value, such as "['x']". The message begins with this path.

    >>> explain({"not": "a space"}, 3)
    'expected a space, got an object of the class dict'
    """
    reason = mismatch(space, x, path)
    return None if reason is None else reason.message


def mismatch(space: Any, x: Any, path: str = "") -> Mismatch | None:
    """Return the reason why `x` is not an element of a space, as a `Mismatch`. Return None if it is an element.

    The arguments are the same as for `explain`.
    """
    try:
        return _mismatch(space, x, path)
    except Exception as exc:  # noqa: BLE001 - a third-party space or value may raise any exception
        check = f"the check whether {short(x)} ({type(x).__name__}) is an element raised"
        return Mismatch("structure", f"{_at(path)}{check} {type(exc).__name__}: {exc}")


def _mismatch(space: Any, x: Any, path: str) -> Mismatch | None:
    if not callable(getattr(space, "contains", None)):
        return Mismatch("structure", f"expected a space, got an object of the class {type(space).__name__}")
    parts = getattr(space, "spaces", None)
    if isinstance(parts, dict):
        reason = _mapping(parts, x, path)
    elif isinstance(parts, tuple) and all(cls.__name__ != "OneOf" for cls in type(space).__mro__):
        reason = _sequence(parts, x, path) if hasattr(space, "__len__") else None
    elif isinstance(low := getattr(space, "low", None), np.ndarray) and isinstance(space.high, np.ndarray):
        reason = _array(low, space.high, x, path)
    else:
        reason = None
    if reason is not None:
        return reason
    where = _at(path)
    if x is None and not _contains(space, x):
        return Mismatch("structure", f"{where}expected an element of {space}, got None")
    if _contains(space, x):
        return None
    kind: Literal["dtype", "nan", "value"] = "nan" if not_finite(x) else "value"
    if np.dtype(getattr(space, "dtype", None) or object).kind in "iu" and np.asarray(x).dtype.kind == "f":
        kind = "dtype"
    return Mismatch(kind, f"{where}{short(x)} ({_kind(x)}) is not an element of {space}")


def not_finite(x: Any, path: str = "") -> str | None:
    """Describe the first NaN or infinite number in a value. Return None if all numbers are finite.

    Args:
        x: a number, an array, or a dict, tuple or list of such values. Other objects are ignored.
        path: the position of the value in a larger value, such as "['x']".
    """
    cls = type(x)  # `isinstance` could read an attribute of the value and raise an exception
    if issubclass(cls, dict):
        return next(filter(None, (not_finite(part, f"{path}[{key!r}]") for key, part in x.items())), None)
    if issubclass(cls, tuple | list):
        return next(filter(None, (not_finite(part, f"{path}[{i}]") for i, part in enumerate(x))), None)
    if not issubclass(cls, float | np.floating | np.ndarray) or np.asarray(x).dtype.kind not in "fc":
        return None
    bad = ~np.isfinite(x)
    if not np.any(bad):
        return None
    index = [int(i) for i in np.argwhere(bad)[0]]
    value = np.asarray(x)[tuple(index)]
    return f"{_at(path)}element {index} is {value}" if index else f"{_at(path)}it is {value}"


def _mapping(parts: dict[Any, Any], x: Any, path: str) -> Mismatch | None:
    if not isinstance(x, dict) or set(x) != set(parts):
        seen = f"the keys {list(x)}" if isinstance(x, dict) else f"a {type(x).__name__}"
        return Mismatch("structure", f"{_at(path)}expected a dict with the keys {list(parts)}, got {seen}")
    return next(filter(None, (mismatch(space, x[key], f"{path}[{key!r}]") for key, space in parts.items())), None)


def _sequence(parts: tuple[Any, ...], x: Any, path: str) -> Mismatch | None:
    if not isinstance(x, tuple | list) or len(x) != len(parts):
        seen = f"{len(x)}" if isinstance(x, tuple | list) else f"a {type(x).__name__}"
        return Mismatch("structure", f"{_at(path)}expected a tuple of {len(parts)} parts, got {seen}")
    pairs = zip(parts, x, strict=True)
    return next(filter(None, (mismatch(space, part, f"{path}[{i}]") for i, (space, part) in enumerate(pairs))), None)


def _array(low: np.ndarray[Any, Any], high: np.ndarray[Any, Any], x: Any, path: str) -> Mismatch | None:
    at = _at(path)
    if low.shape == () and isinstance(x, int | float | np.number):
        x = np.asarray(x, low.dtype)
    if all(map(_becomes_array, x if isinstance(x, tuple) and x else (x,))):
        x = np.asarray(x)
    if not isinstance(x, np.ndarray):
        seen = "None" if x is None else f"{short(x)} ({type(x).__name__})"
        kind: Literal["structure", "dtype"] = "structure" if x is None else "dtype"
        return Mismatch(kind, f"{at}expected an array of {low.dtype} {low.shape}, got {seen}")
    if x.shape != low.shape:
        return Mismatch("structure", f"{at}expected the shape {low.shape}, got {x.shape}")
    if not np.can_cast(x.dtype, low.dtype):
        return Mismatch("dtype", f"{at}expected the dtype {low.dtype}, got {x.dtype}")
    outside = ~((x >= low) & (x <= high))
    return _element(low, high, x, outside, at) if outside.any() else None


def _becomes_array(x: Any) -> bool:
    """Return whether an object, such as lazy frames, is not an array but can be converted to one."""
    is_convertible = hasattr(x, "__array__") and not isinstance(x, np.ndarray | np.generic)
    return is_convertible and isinstance(getattr(x, "dtype", None), np.dtype)


def _element(low: Any, high: Any, x: Any, outside: Any, at: str) -> Mismatch:
    """Describe the first number in an array that is out of bounds."""
    index = tuple(int(i) for i in np.argwhere(outside)[0])
    value, where = x[index], f"element {list(index)}" if index else "it"
    if np.isnan(value):
        return Mismatch("nan", f"{at}{where} is NaN")
    count = int(outside.sum())
    more = f" ({count} elements are)" if count > 1 else ""
    bound = f"high={high[index]}" if value > high[index] else f"low={low[index]}"
    return Mismatch("value", f"{at}{where} is {value}, outside {bound}{more}")


def _contains(space: Any, x: Any) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(space.contains(x))


def _at(path: str) -> str:
    return f"at {path}, " if path else ""


def _kind(x: Any) -> str:
    return f"array of {x.dtype} {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__
