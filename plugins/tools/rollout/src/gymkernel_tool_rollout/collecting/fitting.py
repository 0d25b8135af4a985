"""Batches of a policy in the dtypes of a plan; a shape or a value that would change on the way is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_util_spaces.batches import BatchPlan, Leaf

__all__ = ["batch_of_one", "differences", "fit", "fit_leaf"]

INTEGERS: Final = frozenset("biu")
NUMBERS: Final = INTEGERS | {"f"}


def fit(plan: BatchPlan, batch: Any, n: int, who: str, first: int = 0) -> Any:
    """Return a batch of actions in the dtypes of the plan; parts that no array holds are left as they are.

    Args:
        plan: of one action.
        batch: what the policy returned.
        n: number of environments.
        who: the policy, for messages.
        first: index of the first environment, for messages.

    Raises:
        ValueError: the batch has other parts or shapes, or a number that the dtype of the action space does not hold:
            an integer beyond its limits, or a float where it is an integer. Only floats may lose digits.
    """
    if plan.tree == 0 and type(batch) is np.ndarray:
        own = plan.leaves[0]
        if batch.dtype is own.dtype and batch.shape == (n, *own.shape):
            return batch

    def walk(tree: Any, value: Any) -> Any:
        if isinstance(tree, int):
            if tree < 0 or plan.leaves[tree].rows:
                return value
            return fit_leaf(plan.leaves[tree], value, n, f"actions{{}} of {who}", first)
        kind, children = tree
        if len(value) != len(children):
            raise KeyError
        parts = [(key, walk(child, value[key])) for key, child in children]
        if kind is dict:
            return dict(parts)
        return tuple(part for _, part in parts) if kind is tuple else kind._make(part for _, part in parts)

    try:
        return walk(plan.tree, batch)
    except (KeyError, IndexError, TypeError) as exc:
        found = differences(plan.tree, batch)
        if not found:
            raise
        raise ValueError(f"Expected actions of {who} with the parts of the action space, but {found}") from exc


def fit_leaf(leaf: Leaf, value: Any, n: int, what: str, first: int = 0) -> NDArray[Any]:
    """Return one part of a batch as an array in the dtype of its leaf.

    Args:
        leaf: the part of the plan.
        value: of n environments.
        n: number of environments.
        what: for messages, with {} where the keys of the part belong.
        first: index of the first environment, for messages.

    Raises:
        ValueError: the shape differs, or the dtype of the leaf does not hold a number.
    """
    try:
        array = np.asarray(value)
    except ValueError as exc:  # rows of several lengths, say
        raise _mismatch(leaf, n, what, f"{value!r:.200}, of which no array can be made") from exc
    if array.shape != (n, *leaf.shape):
        raise _mismatch(leaf, n, what, f"shape {array.shape}; return one row for each environment")
    if array.dtype == leaf.dtype:
        return array
    found = _converted(array, leaf.dtype)
    if found is None:
        raise _mismatch(leaf, n, what, _unheld(array, leaf.dtype, first))
    return found


def _converted(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Return an array in another dtype; None if a value changes by more than the digits that a float loses."""
    if np.can_cast(array.dtype, dtype, "safe"):
        return array.astype(dtype)
    if {array.dtype.kind, dtype.kind} <= INTEGERS:
        integers = array.astype(dtype)
        return integers if (integers == array).all() else None
    if dtype.kind in "fc" and np.can_cast(array.dtype, dtype, "same_kind"):
        try:
            with np.errstate(over="raise"):
                return array.astype(dtype)
        except FloatingPointError:
            pass
    return None


def _unheld(array: NDArray[Any], dtype: np.dtype[Any], first: int) -> str:
    """Describe what of an array another dtype does not hold, and how a policy avoids that."""
    if dtype.kind in INTEGERS and array.dtype.kind == "f":
        return f"dtype {array.dtype}; choose integers in the policy, for example by argmax, round or astype"
    if not {array.dtype.kind, dtype.kind} <= NUMBERS:
        return f"dtype {array.dtype}; return numbers of dtype {dtype}"
    wrong = next(place for place in np.ndindex(array.shape) if _converted(array[place][None], dtype) is None)
    return (
        f"{array[wrong]} (dtype {array.dtype}) for environment {first + wrong[0]}, which {dtype} does not hold; "
        "clip it in the policy, or use a space of a wider dtype"
    )


def differences(tree: Any, batch: Any, where: str = "") -> str:
    """Describe the parts that a batch has and its plan lacks, and the reverse; "" where the parts are the same.

    Args:
        tree: of the plan.
        batch: perhaps a batch of the plan.
        where: the keys that lead to it.

    >>> differences((dict, [("a", 0), ("b", 1)]), {"a": 1, "c": 2})
    "['c'] is unexpected, ['b'] is missing"
    """
    if isinstance(tree, int):
        return f"{where} is a dictionary" if where and isinstance(batch, Mapping) else ""
    kind, children = tree
    wanted = [key for key, _ in children]
    if isinstance(batch, Mapping) if kind is dict else isinstance(batch, Sequence | np.ndarray):
        given = list(batch) if kind is dict else list(range(len(batch)))
    else:
        return f"{where or 'it'} is no {'dictionary' if kind is dict else 'tuple'} but {batch!r:.200}"
    found = [f"{where}[{key!r}] is unexpected" for key in given if key not in wanted]
    found += [f"{where}[{key!r}] is missing" for key in wanted if key not in given]
    parts = [differences(child, batch[key], f"{where}[{key!r}]") for key, child in children if key in given]
    return ", ".join(found + [part for part in parts if part])


def batch_of_one(tree: Any, element: Any) -> Any:
    """Return the batch that has one element alone.

    Args:
        tree: of the plan of the element's space.
        element: of the space.
    """
    if isinstance(tree, int):
        return (element,) if tree < 0 else np.asarray(element)[None]
    parts = {key: batch_of_one(child, element[key]) for key, child in tree[1]}
    return parts if tree[0] is dict else tuple(parts.values())


def _mismatch(leaf: Leaf, n: int, what: str, seen: str) -> ValueError:
    where = "".join(f"[{key!r}]" for key in leaf.path)
    return ValueError(f"Expected {what.format(where)} of shape {(n, *leaf.shape)} and dtype {leaf.dtype}, got {seen}")
