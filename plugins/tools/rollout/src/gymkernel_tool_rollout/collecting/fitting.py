"""Functions that convert a policy's actions and extras to the expected dtypes, and reject invalid shapes and values."""

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
    """Convert a batch of actions to the dtypes of a plan. Parts that are not arrays are not changed.

    Args:
        plan: the array plan for a single action.
        batch: the batch that the policy returned.
        n: the number of environments.
        who: a description of the policy, which is used in error messages.
        first: the index of the first environment, for error messages.

    Raises:
        ValueError: if the batch has the wrong structure or shape, or contains a number that the action space's dtype
            cannot represent: an integer that is out of range, or a float where the dtype is an integer type. Floats may
            be rounded.
    """
    if plan.tree == 0 and type(batch) is np.ndarray:
        leaf = plan.leaves[0]
        if batch.dtype is leaf.dtype and batch.shape == (n, *leaf.shape):
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
        difference = differences(plan.tree, batch)
        if not difference:
            raise
        raise ValueError(
            f"Expected actions of {who} with the same parts as the action space, but {difference}"
        ) from exc


def fit_leaf(leaf: Leaf, value: Any, n: int, what: str, first: int = 0) -> NDArray[Any]:
    """Convert one array of a batch to the dtype that the plan requires.

    Args:
        leaf: the shape and dtype that the plan requires.
        value: the values for n environments.
        n: the number of environments.
        what: a description of the array for error messages, with {} as a placeholder for its keys.
        first: the index of the first environment, for error messages.

    Raises:
        ValueError: if the shape is wrong, or the dtype cannot represent one of the numbers.
    """
    try:
        array = np.asarray(value)
    except ValueError as exc:
        # NumPy raises this error for rows of different lengths, for example.
        raise _mismatch(leaf, n, what, f"{value!r:.200}, which cannot be converted to an array") from exc
    if array.shape != (n, *leaf.shape):
        raise _mismatch(leaf, n, what, f"shape {array.shape}; return one row for each environment")
    if array.dtype == leaf.dtype:
        return array
    converted = _convert(array, leaf.dtype)
    if converted is None:
        raise _mismatch(leaf, n, what, _describe_wrong_value(array, leaf.dtype, first))
    return converted


def _convert(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """Convert an array to another dtype. Return None if this would change a value other than by rounding a float."""
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


def _describe_wrong_value(array: NDArray[Any], dtype: np.dtype[Any], first: int) -> str:
    """Return an error message that shows the first value that a dtype cannot represent and how to fix the policy."""
    if dtype.kind in INTEGERS and array.dtype.kind == "f":
        return f"dtype {array.dtype}; choose integers in the policy, for example by argmax, round or astype"
    if not {array.dtype.kind, dtype.kind} <= NUMBERS:
        return f"dtype {array.dtype}; return numbers of dtype {dtype}"
    wrong = next(index for index in np.ndindex(array.shape) if _convert(array[index][None], dtype) is None)
    return (
        f"{array[wrong]} (dtype {array.dtype}) for environment {first + wrong[0]}, which {dtype} cannot represent; "
        "clip the value in the policy, or use a space with a wider dtype"
    )


def differences(tree: Any, batch: Any, where: str = "") -> str:
    """Return a text that lists the missing and unexpected parts of a batch, or "" if its structure matches the plan.

    Args:
        tree: the plan's tree, which describes the nested structure.
        batch: the batch to check.
        where: the keys that lead to the batch if it is part of another batch, for example "['a'][0]".

    >>> differences((dict, [("a", 0), ("b", 1)]), {"a": 1, "c": 2})
    "['c'] is unexpected, ['b'] is missing"
    """
    if isinstance(tree, int):
        return f"{where} is a dictionary" if where and isinstance(batch, Mapping) else ""
    kind, children = tree
    expected = [key for key, _ in children]
    if isinstance(batch, Mapping) if kind is dict else isinstance(batch, Sequence | np.ndarray):
        keys = list(batch) if kind is dict else list(range(len(batch)))
    else:
        expected_type = "dictionary" if kind is dict else "tuple"
        return f"{where or 'the batch'} is {batch!r:.200}, which is not a {expected_type}"
    texts = [f"{where}[{key!r}] is unexpected" for key in keys if key not in expected]
    texts += [f"{where}[{key!r}] is missing" for key in expected if key not in keys]
    inner = [differences(child, batch[key], f"{where}[{key!r}]") for key, child in children if key in keys]
    return ", ".join(texts + [text for text in inner if text])


def batch_of_one(tree: Any, element: Any) -> Any:
    """Return a batch with one element.

    Args:
        tree: the tree in the plan of the element's space, which describes the nested structure.
        element: an element of the space.
    """
    if isinstance(tree, int):
        return (element,) if tree < 0 else np.asarray(element)[None]
    parts = {key: batch_of_one(child, element[key]) for key, child in tree[1]}
    return parts if tree[0] is dict else tuple(parts.values())


def _mismatch(leaf: Leaf, n: int, what: str, seen: str) -> ValueError:
    where = "".join(f"[{key!r}]" for key in leaf.path)
    return ValueError(f"Expected {what.format(where)} of shape {(n, *leaf.shape)} and dtype {leaf.dtype}, got {seen}")
