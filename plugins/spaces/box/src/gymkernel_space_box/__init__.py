"""The `Box` space, which contains arrays whose values lie between bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

import numpy as np

from gymkernel import error, logger, ops
from gymkernel.protocols import ScalarType
from gymkernel.space import Space, compare_foreign
from gymkernel.utils import seeding
from gymkernel_space_box.bounds import (
    bound,
    bound_from_spec,
    bound_to_numbers,
    describe_crossed_bounds,
    repeat_view,
    shape_of,
    without_repetitions,
)
from gymkernel_space_box.intervals import Intervals
from gymkernel_util_spaces.array_facts import ArraySpace, array_attribute, current_facts
from gymkernel_util_spaces.arrays import register_arrays
from gymkernel_util_spaces.batches import require_alike

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["Box", "array_short_repr", "is_float_integer"]

ARRAY = np.ndarray
MANY = 1000
"""The minimum size of arrays whose repeated axes are reduced to length 1 before the arrays are compared."""
BOUNDS = ("low", "high", "bounded_below", "bounded_above")
put = object.__setattr__


class Box(ArraySpace["NDArray[ScalarType]"], Generic[ScalarType]):
    """A space of arrays of a fixed shape and dtype, in which each value has a lower and an upper bound.

    Args:
        low: the lower bound (inclusive), which is a number for all values or an array. `-inf` means no bound.
        high: the upper bound (inclusive), which is a number for all values or an array. `inf` means no bound.
        shape: the shape of the elements. By default, it is the shape of the bounds, or `(1,)` if both are numbers.
        dtype: a floating-point, integer or bool dtype.
        seed: an integer >= 0, a `numpy.random.Generator`, or None.

    Raises:
        ValueError: if a bound is NaN, outside the range of the dtype or of the wrong shape, or if a lower bound is
            greater than the upper bound.

    >>> space = Box(low=np.array([-1.0, 0.0], np.float32), high=np.array([1.0, np.inf], np.float32), seed=42)
    >>> space
    Box([-1.  0.], [ 1. inf], (2,), float32)
    >>> space.sample() in space
    True
    >>> Box(0, 255, (84, 84, 3), np.uint8)
    Box(0, 255, (84, 84, 3), uint8)
    """

    spec_fields = MappingProxyType(
        {"low": int | float | str | list, "high": int | float | str | list, "shape": tuple[int, ...], "dtype": np.dtype}
    )
    _arrays: tuple[Any, Any, Any, Any]
    low_repr: str | None = None
    high_repr: str | None = None
    low: NDArray[Any] = array_attribute(0, "The lower bounds. Changing the array changes the space.")
    high: NDArray[Any] = array_attribute(1, "The upper bounds. Changing the array changes the space.")
    bounded_below: NDArray[np.bool_] = array_attribute(2, "A mask of the elements with a lower bound.")
    bounded_above: NDArray[np.bool_] = array_attribute(3, "A mask of the elements with an upper bound.")

    @overload
    def __init__(
        self: Box[np.float32],
        low: ArrayLike,
        high: ArrayLike,
        shape: Sequence[int] | None = ...,
        *,
        seed: int | np.random.Generator | None = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        shape: Sequence[int] | None = ...,
        dtype: type[ScalarType] | np.dtype[ScalarType] = ...,
        seed: int | np.random.Generator | None = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        shape: Sequence[int] | None = ...,
        dtype: DTypeLike = ...,
        seed: int | np.random.Generator | None = ...,
    ) -> None: ...
    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike = np.float32,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if dtype is None:
            raise ValueError("Box expects a dtype, got None")
        kind = np.dtype(dtype)
        if kind.kind not in "iufb":
            raise ValueError(f"Box expects a floating-point, integer or bool dtype, got {kind}")
        size = shape_of(low, high, shape)
        least, below = bound("low", low, size, kind)
        most, above = bound("high", high, size, kind)
        if not (least <= most).all():
            raise ValueError(describe_crossed_bounds(least, most))
        self._keep(size, kind, (least, most, below, above))
        if seed is not None:
            super().__init__(size, kind, seed)

    def _keep(self, shape: tuple[int, ...], dtype: Any, arrays: tuple[Any, Any, Any, Any]) -> None:
        put(self, "_shape", shape)
        put(self, "dtype", dtype)
        put(self, "_arrays", arrays)

    @property
    def intervals(self) -> Intervals:
        """Cached data for sampling and membership tests. The data are recomputed if a bound has changed."""
        return self._facts or current_facts(self, self._facts_of)

    def _facts_of(self, bounds: tuple[Any, Any, Any, Any]) -> Intervals:
        for name, array in zip(BOUNDS, bounds, strict=True) if self._is_read else ():
            if array.shape not in {self._shape, ()}:
                raise ValueError(f"Box expects {name} to have shape {self._shape}, got an array of shape {array.shape}")
        return Intervals(bounds, self.shape, self.dtype, constructed=not self._is_read)

    def is_bounded(self, manner: Literal["both", "below", "above"] = "both") -> bool:
        """Return whether all values have a finite lower bound, a finite upper bound, or both.

        Args:
            manner: which bounds to check: "below", "above" or "both".

        Raises:
            ValueError: if `manner` has any other value.

        >>> Box(0, np.inf).is_bounded("below"), Box(0, np.inf).is_bounded()
        (True, False)
        """
        if manner not in {"both", "below", "above"}:
            raise ValueError(f"Expected manner to be 'both', 'below' or 'above', got {manner!r}")
        *_, below, above = self._arrays
        return (manner == "above" or bool(np.all(below))) and (manner == "below" or bool(np.all(above)))

    def sample(self, mask: None = None, probability: None = None) -> NDArray[ScalarType]:
        """Return a random element.

        A value with two bounds has a uniform distribution, a value with one bound has an exponential distribution, and
        a value without bounds has a normal distribution. `mask` and `probability` are not supported.
        """
        if mask is not None or probability is not None:
            name, value = ("mask", mask) if mask is not None else ("probability", probability)
            raise error.Error(f"Box.sample does not support {name}, got {value!r}")
        intervals, rng = self._facts or self.intervals, self._np_random
        return intervals.sample(self.np_random if rng is None else rng, self._shape)  # type: ignore[arg-type]

    def sample_n(self, n: int) -> NDArray[ScalarType]:
        """Return n random elements as a single array. The result is the same as a sample from the batched space."""
        if type(self).sample is not Box.sample:
            return super().sample_n(n)  # type: ignore[no-any-return]
        return self.intervals.sample(self.np_random, (self._count(n), *self.shape))

    def contains(self, x: Any) -> bool:
        """Return whether an object is an array of the right shape and a compatible dtype with values within the bounds.

        A dtype is compatible if it can be cast safely to the dtype of the space. In a masked array, only unmasked
        numbers are compared, and at least one number must be unmasked.
        """
        if x.__class__ is not ARRAY:
            if isinstance(x, np.ma.MaskedArray):
                fits = x.shape == self._shape and np.can_cast(x.dtype, self.dtype)
                intervals = self.intervals
                return fits and bool(np.all(x >= intervals.low)) and bool(np.all(x <= intervals.high))
            if not isinstance(x, ARRAY):
                logger.warn("Box.contains expects an array, so x was cast to an array (%s)", type(x).__name__)
            try:
                x = np.asarray(x, self.dtype if not isinstance(x, ARRAY) else None)
            except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
                return False
        if x.shape != self._shape:
            return False
        intervals = self._facts or self.intervals
        dtype = x.dtype
        if dtype is not self.dtype and not np.can_cast(dtype, self.dtype):
            return False
        return intervals.everything is dtype or intervals.contains(x)

    def from_jsonable(self, sample_n: Iterable[Any]) -> list[NDArray[Any]]:
        """Convert nested lists of numbers to arrays."""
        arrays = [np.asarray(sample, self.dtype) for sample in sample_n]
        return [a if a.size else a.reshape(a.shape + self.shape[a.ndim :]) for a in arrays]  # [] has too few axes

    def examples(self) -> Iterator[NDArray[Any]]:
        """Yield the bounds (if finite), zeros and ones (if within the bounds), and random elements."""
        intervals = self.intervals
        for candidate in (
            intervals.low,
            intervals.high,
            np.zeros(self.shape, self.dtype),
            np.ones(self.shape, self.dtype),
        ):
            if np.isfinite(candidate).all() and intervals.contains(candidate):
                yield candidate.astype(self.dtype)
        yield from super().examples()

    @classmethod
    def test_instances(cls) -> Iterator[Box[Any]]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls(-1, 1, (3,))
        yield cls(0, 255, (4, 3, 2), np.uint8)
        yield cls(np.array([-np.inf, 0, -2]), np.array([np.inf, np.inf, 2]), dtype=np.float64)
        yield cls(-5, 5, (), np.int16)
        yield cls(0, 1, (2,), np.bool_)
        yield cls(0, 1, (0, 3))

    def to_spec(self) -> dict[str, Any]:
        """Return the bounds, the shape and the dtype.

        A bound is a single number if all its values are equal. Infinities are represented by "inf" and "-inf".
        """
        name = self.dtype.name if self.dtype.isnative else self.dtype.str
        low, high, below, above = map(np.asarray, self._arrays)
        bounds = {"low": bound_to_numbers(low, below, "-inf"), "high": bound_to_numbers(high, above, "inf")}
        return {**bounds, "shape": list(self.shape), "dtype": name}

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Box[Any]:
        """Create a Box from the result of `to_spec`."""
        shape, dtype = tuple(spec["shape"]), np.dtype(spec["dtype"])
        (low, below), (high, above) = (bound_from_spec(spec[name], shape, dtype) for name in ("low", "high"))
        box = cls(low, high, shape, dtype)
        put(box, "_arrays", (low, high, below, above))
        return box

    @classmethod
    def spec_size(cls, spec: dict[str, Any]) -> int:
        """Return the size of an element, measured in 64-bit values."""
        size: int = math.prod(spec["shape"]) * -(-np.dtype(spec["dtype"]).itemsize // 8)
        return size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Box):
            return compare_foreign(other)
        if self._shape != other._shape or (self.dtype is not other.dtype and self.dtype != other.dtype):
            return False
        low, high, _, _ = self._arrays
        other_low, other_high, _, _ = other._arrays
        if (  # the most frequent result
            type(low) is type(high) is type(other_low) is type(other_high) is ARRAY
            and low.size <= MANY
            and low.tobytes() == other_low.tobytes()
            and high.tobytes() == other_high.tobytes()
        ):
            return True
        return _equal(low, other_low) and _equal(high, other_high)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        low = self.low_repr or array_short_repr(self._arrays[0])
        high = self.high_repr or array_short_repr(self._arrays[1])
        return f"Box({low}, {high}, {self.shape}, {self.dtype})"

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle. To save space, repeated bounds are stored only once."""
        derived = {"_facts", "_latest_facts", "_arrays"}
        state = {name: value for name, value in self.__dict__.items() if name not in derived}
        arrays = (
            [np.array(array) for array in self._arrays] if self._is_read else map(without_repetitions, self._arrays)
        )
        return {**state, **dict(zip(BOUNDS, arrays, strict=True)), "_is_read": self._is_read}

    def __setstate__(self, state: Iterable[tuple[str, Any]] | dict[str, Any]) -> None:
        rest = dict(state)
        for name, infinity in (("low", -np.inf), ("high", np.inf)):  # older pickles contain only the bounds
            rest.setdefault("bounded_below" if name == "low" else "bounded_above", rest[name] != infinity)
            if "_is_read" not in rest and f"{name}_repr" not in rest:
                rest[f"{name}_repr"] = array_short_repr(rest[name])
        shape: Any = rest.get("_shape", rest.get("shape"))
        arrays = [rest.pop(name) for name in BOUNDS]
        if rest.get("_is_read", True):  # the user may still modify the original arrays
            arrays = list(map(np.array, arrays))
        whole = tuple([array if array.shape == shape else np.broadcast_to(array, shape) for array in arrays])
        super().__setstate__({"_is_read": True, **rest, "_arrays": whole})


def _equal(a: Any, b: Any) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    if a is b or (a.size <= MANY and a.tobytes() == b.tobytes()):
        return True
    if a.shape == b.shape and without_repetitions(a).shape == without_repetitions(b).shape:
        a, b = without_repetitions(a), without_repetitions(b)
    return a.tobytes() == b.tobytes() or bool(np.allclose(a, b))


def array_short_repr(arr: NDArray[Any]) -> str:
    """Convert an array to text. If all values are equal, the text is a single number.

    Args:
        arr: an array of any shape, such as a bound. It may be empty.

    >>> array_short_repr(np.ones((2, 2)))
    '1.0'
    """
    arr = np.asarray(arr)
    return str(arr.min()) if arr.size and arr.min() == arr.max() else str(arr)


def is_float_integer(var: Any) -> bool:
    """Return whether an object is an integer or a floating-point number from Python or NumPy, but not a bool.

    Args:
        var: the object to check.

    >>> is_float_integer(np.float32(1)), is_float_integer(True)
    (True, False)
    """
    return isinstance(var, int | float | np.integer | np.floating) and not isinstance(var, bool)


@ops.batch_space.register(Box)
def _batch_space(space: Box[Any], n: int = 1) -> Box[Any]:
    """Return the space of batches of n elements. Its bounds are views that repeat the bounds of the space."""
    intervals = space.intervals
    if not intervals.as_constructed:
        intervals = Box(intervals.low, intervals.high, dtype=space.dtype).intervals
    low, high, below, above = intervals.arrays
    batched, arrays = (
        object.__new__(Box),
        (repeat_view(low, n), repeat_view(high, n), repeat_view(below, n), repeat_view(above, n)),
    )
    batched._keep((n, *space.shape), space.dtype, arrays)
    derived = intervals.over(*arrays)
    put(batched, "_facts", derived)
    put(batched, "_latest_facts", derived)
    if space._np_random is not None:  # noqa: SLF001 - another Box
        put(batched, "_np_random", seeding.twin(space._np_random))  # noqa: SLF001 - another Box
    return batched


register_arrays(Box)


@ops.flatten_space.register(Box)
def _flatten_space(space: Box[Any]) -> Box[Any]:
    return Box(space.low.flatten(), space.high.flatten(), dtype=space.dtype)


@ops.flatten_space.register(Space)
def _flatten_space_of_layout(space: Space[Any]) -> Box[Any]:
    """Return an unbounded Box for the flattened elements of a space with a layout."""
    fields = space.layout()
    if fields is None:
        raise NotImplementedError(
            f"flatten_space is not defined for {type(space).__qualname__}: define layout() in the class, or use "
            f"@gymkernel.ops.flatten_space.register({type(space).__qualname__})"
        )
    dtype = np.result_type(*(field.dtype for field in fields)) if fields else np.dtype(float)
    low, high = (-np.inf, np.inf) if dtype.kind == "f" else (0, 1) if dtype.kind == "b" else _range(dtype)
    return Box(low, high, (ops.flatdim(space),), dtype)


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


@ops.batch_differing_spaces.register(Box)
def _batch_differing_spaces(space: Box[Any], spaces: Sequence[Box[Any]]) -> Box[Any]:
    require_alike(spaces, lambda box: f"{box.shape} {box.dtype}", "Boxes of the same shape and dtype")
    low, high = np.array([s.low for s in spaces]), np.array([s.high for s in spaces])
    batched: Box[Any] = Box(low, high, dtype=space.dtype, seed=seeding.twin(space.np_random))
    if space.dtype.kind == "i":  # in a bound of the space, the limits of the dtype represent infinities
        batched.bounded_below = np.array([s.bounded_below for s in spaces])
        batched.bounded_above = np.array([s.bounded_above for s in spaces])
    return batched


@ops.create_zero_array.register(Box)
def _create_zero_array(space: Box[Any]) -> NDArray[Any]:
    low, high, zeros = space.intervals.low, space.intervals.high, np.zeros(space.shape, space.dtype)
    zeros = np.where(low > 0, low, zeros)
    return np.where(high < 0, high, zeros)
