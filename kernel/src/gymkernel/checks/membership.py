"""Why a value is not an element of a space, in one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["explain"]


def explain(space: Any, x: Any, path: str = "") -> str | None:
    """Say what keeps `x` out of a space, with the key path, index, value and bound; None where it is inside.

    >>> explain({"not": "a space"}, 3)
    'the space is no space but a dict'
    """
    if not callable(getattr(space, "contains", None)):
        return f"the space is no space but a {type(space).__name__}"
    where = f"at {path}, " if path else ""
    if isinstance(parts := getattr(space, "spaces", None), dict):
        if not isinstance(x, dict) or set(x) != set(parts):
            seen = f"the keys {list(x)}" if isinstance(x, dict) else f"a {type(x).__name__}"
            return f"{where}expected a dict with the keys {list(parts)}, got {seen}"
        return next(filter(None, (explain(s, x[k], f"{path}[{k!r}]") for k, s in parts.items())), None)
    if isinstance(parts, tuple) and isinstance(x, tuple | list) and len(x) == len(parts):
        found = next(
            filter(None, (explain(s, part, f"{path}[{i}]") for i, (s, part) in enumerate(zip(parts, x)))), None
        )
        if found:
            return found
    elif isinstance(low := getattr(space, "low", None), np.ndarray):
        found = _explain_array(low, space.high, x)
        if found:
            return where + found
    if space.contains(x):
        return None
    return f"{where}{_short(x)} ({_kind(x)}) is not an element of {space}"


def _explain_array(low: np.ndarray[Any, Any], high: np.ndarray[Any, Any], x: Any) -> str | None:
    if not isinstance(x, np.ndarray):
        return f"expected an array of {low.dtype} {low.shape}, got {_short(x)} ({type(x).__name__})"
    if x.shape != low.shape:
        return f"expected the shape {low.shape}, got {x.shape}"
    if not np.can_cast(x.dtype, low.dtype):
        return f"expected the dtype {low.dtype}, got {x.dtype}"
    outside = ~((x >= low) & (x <= high))
    if not outside.any():
        return None
    index = tuple(int(i) for i in np.argwhere(outside)[0])
    value = x[index]
    bound = f"high={high[index]}" if value > high[index] else f"low={low[index]}"
    more = f" ({int(outside.sum())} elements are)" if outside.sum() > 1 else ""
    return (
        f"element {list(index)} is {value}, outside {bound}{more}"
        if value == value
        else f"element {list(index)} is NaN"
    )  # noqa: PLR0124


def _kind(x: Any) -> str:
    return f"array of {x.dtype} {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__


def _short(x: Any, length: int = 60) -> str:
    text = " ".join(repr(x).split())
    return text if len(text) <= length else text[: length - 3] + "..."
