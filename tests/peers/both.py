"""Create the same objects in both libraries, and compare the results."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from hypothesis import strategies as st

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["LIBRARIES", "Recipe", "alike", "answer", "masks", "of_today", "outcome", "probabilities", "recipes", "same"]

LIBRARIES = (gymkernel, gymnasium)
FLOATS = ("f2", "f4", "f8")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4")  # u8, the limits of i8, and the shape () are known differences


@dataclass(frozen=True)
class Recipe:
    """A space that either library can create."""

    name: str
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    parts: tuple[Recipe, ...] = ()

    def make(self, library: Any) -> Any:
        arguments = (tuple(part.make(library) for part in self.parts),) if self.name == "Tuple" else self.arguments
        own = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ignore warnings that a Box lowers the precision of its bounds
            return getattr(library.spaces, self.name)(*own, **self.options)

    def both(self) -> tuple[Any, Any]:
        ours, theirs = (self.make(library) for library in LIBRARIES)
        return ours, theirs

    def __iter__(self) -> Iterator[Recipe]:
        yield self
        for part in self.parts:
            yield from part


def _bound(low: Any, high: Any) -> Any:
    return st.tuples(low, high).map(lambda pair: (min(pair), max(pair)))


@st.composite
def boxes(draw: Any) -> Recipe:
    dtype = np.dtype(draw(st.sampled_from((*FLOATS, *INTEGERS, "?"))))
    shape = draw(st.sampled_from([(1,), (3,), (13,), (2, 3), (0,)]))
    if dtype.kind == "f":
        number: Any = st.floats(-1000, 1000, width=16)
        low, high = st.one_of(number, st.just(-np.inf)), st.one_of(number, st.just(np.inf))
    elif dtype.kind == "b":
        low = high = st.integers(0, 1)
    else:
        info = np.iinfo(dtype)
        edge = st.sampled_from([max(int(info.min), -(2**62)), min(int(info.max), 2**62)])
        low = high = st.one_of(st.integers(max(-100, int(info.min)), 100), edge)
    if draw(st.booleans()):
        return Recipe("Box", draw(_bound(low, high)), {"shape": shape, "dtype": dtype})
    size = int(np.prod(shape))
    bounds = np.array(draw(st.lists(_bound(low, high), min_size=size, max_size=size)), dtype).reshape(size, 2)
    return Recipe("Box", (bounds[:, 0].reshape(shape), bounds[:, 1].reshape(shape)), {"dtype": dtype})


@st.composite
def discretes(draw: Any) -> Recipe:
    dtype = np.dtype(draw(st.sampled_from(("i8", "i4", "i1", "u1"))))
    start = draw(st.integers(0 if dtype.kind == "u" else -20, 20))
    return Recipe("Discrete", (draw(st.integers(1, 60)),), {"start": start, "dtype": dtype})


@st.composite
def multi_discretes(draw: Any) -> Recipe:
    shape = draw(st.sampled_from([(1,), (3,), (2, 2), (2, 1, 3)]))
    dtype = np.dtype(draw(st.sampled_from(("i8", "i4", "i1", "u1"))))
    size = int(np.prod(shape))
    counts = np.array(draw(st.lists(st.integers(1, 9), min_size=size, max_size=size)), dtype).reshape(shape)
    start = None
    if draw(st.booleans()):
        least = st.integers(0 if dtype.kind == "u" else -20, 20)
        start = np.array(draw(st.lists(least, min_size=size, max_size=size)), dtype).reshape(shape)
    return Recipe("MultiDiscrete", (counts,), {"start": start, "dtype": dtype})


def _tuples(inner: Any) -> Any:
    return st.lists(inner, min_size=1, max_size=3).map(lambda parts: Recipe("Tuple", parts=tuple(parts)))


fundamental = st.one_of(boxes(), discretes(), multi_discretes())
recipes = st.recursive(fundamental, _tuples, max_leaves=5)


def masks(recipe: Recipe, draw: Callable[[Any], Any]) -> Any:
    """Return a mask for every part of a space that accepts a mask."""
    return _weights(recipe, lambda n: np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.int8))


def probabilities(recipe: Recipe, draw: Callable[[Any], Any]) -> Any:
    """Return probabilities for every part of a space that accepts probabilities."""

    def vector(n: int) -> Any:
        weights = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), np.float64)
        weights[draw(st.integers(0, n - 1))] += 1
        return weights / weights.sum()

    return _weights(recipe, vector)


def _weights(recipe: Recipe, vector: Callable[[int], Any]) -> Any:
    if recipe.name == "Discrete":
        return vector(int(recipe.arguments[0]))
    if recipe.name == "MultiDiscrete":
        return _nested(recipe.arguments[0], vector)
    return tuple(_weights(part, vector) for part in recipe.parts) if recipe.parts else None


def _nested(counts: Any, vector: Callable[[int], Any]) -> Any:
    return tuple(_nested(count, vector) for count in counts) if np.ndim(counts) else vector(int(counts))


def of_today(info: dict[Any, Any]) -> dict[Any, Any]:
    """Remove the info key that `TimeLimit` set in 2022. Only gymkernel still sets it, which is a known difference."""
    return {key: value for key, value in info.items() if str(key).removeprefix("_") != "TimeLimit.truncated"}


def same(ours: Any, theirs: Any) -> bool:
    """Return whether two results are equal to the last bit, with equal types and dtypes.

    Spaces are compared by their public attributes, and infos by the result of `of_today`.
    """
    if hasattr(theirs, "sample") and hasattr(theirs, "np_random"):
        return alike(ours, theirs)
    if type(ours) is not type(theirs):
        return False
    if isinstance(theirs, np.ndarray | np.generic):
        return _same_array(ours, theirs)
    if isinstance(theirs, dict):
        ours, theirs = of_today(ours), of_today(theirs)
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, tuple | list):
        return len(ours) == len(theirs) and all(same(a, b) for a, b in zip(ours, theirs, strict=True))
    return bool(ours == theirs) or (ours != ours and theirs != theirs)  # noqa: PLR0124 - NaN differs from itself


def _same_array(ours: Any, theirs: Any) -> bool:
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    if ours.dtype == object:
        return all(same(a, b) for a, b in zip(ours.flat, theirs.flat, strict=True))
    return np.array_equal(ours, theirs, equal_nan=ours.dtype.kind in "fc")


SHOWN = ("shape", "dtype", "low", "high", "bounded_below", "bounded_above", "n", "start", "nvec", "spaces")


def alike(ours: Any, theirs: Any) -> bool:
    """Return whether two spaces have the same name and the same public attributes."""
    names = [name for name in SHOWN if hasattr(theirs, name)]
    return (
        type(ours).__name__ == type(theirs).__name__
        and repr(ours) == repr(theirs)
        and ours.is_np_flattenable == theirs.is_np_flattenable
        and all(same(_plain(getattr(ours, name)), _plain(getattr(theirs, name))) for name in names)
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(value)  # in gymkernel, the value may be an instance of a subclass
    return value[()] if isinstance(value, np.ndarray) else value


def answer(theirs: Any) -> Any:
    """Return the expected result of a membership test, which is False if Gymnasium raises an exception."""
    return False if theirs == "it raises" else theirs


def outcome(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return the result of a call, or the string "it raises" if the call raises an exception. Warnings are ignored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*arguments, **options)
        except Exception:  # noqa: BLE001 - the test compares only whether a call raises
            return "it raises"
