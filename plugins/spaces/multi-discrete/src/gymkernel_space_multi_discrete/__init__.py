"""The `MultiDiscrete` space, which contains integer arrays in which each value has its own range."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from gymkernel import logger, ops
from gymkernel.protocols import ScalarType
from gymkernel.space import compare_foreign
from gymkernel.utils import seeding
from gymkernel_space_box import Box
from gymkernel_space_multi_discrete._codec import FEW, Choices, codec_of, same
from gymkernel_util_spaces.array_facts import ArraySpace, array_attribute, current_facts
from gymkernel_util_spaces.arrays import register_arrays, register_codec
from gymkernel_util_spaces.batches import require_alike
from gymkernel_util_spaces.choice import choose, mask_or_probability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from gymkernel_space_discrete import Discrete

__all__ = ["MultiDiscrete"]


put = object.__setattr__


class MultiDiscrete(ArraySpace["NDArray[Any]"], Generic[ScalarType]):
    """A space of integer arrays in which each value has its own finite range.

    Args:
        nvec: an array of any shape, which contains the number of choices for each value of an element. Each number must
            be at least 1.
        dtype: an integer dtype.
        seed: an integer >= 0, a `numpy.random.Generator`, or None.
        start: an array of the same shape as `nvec`, which contains the smallest choice for each value. By default, the
            smallest choice is 0.

    Raises:
        ValueError: if a number of choices is not positive, `start` has the wrong shape, or the dtype is not an integer
            dtype.

    A mask or a probability for `sample` is a tuple with a vector for each value of an element. If `nvec` has several
    axes, the tuple is nested.

    >>> keys = MultiDiscrete([5, 2, 2], seed=42)
    >>> keys.sample()
    array([3, 0, 1])
    >>> keys.sample(mask=tuple(np.array(m, np.int8) for m in ([0, 0, 0, 0, 1], [1, 0], [0, 1])))
    array([4, 0, 1])
    """

    spec_fields = MappingProxyType({"nvec": int | list, "start": int | list, "dtype": np.dtype})
    _arrays: tuple[Any, Any]
    _facts_of = Choices
    nvec: NDArray[Any] = array_attribute(0, "The number of choices for each value. Modifying it changes the space.")
    start: NDArray[Any] = array_attribute(1, "The smallest choice for each value. Modifying it changes the space.")

    def __init__(
        self,
        nvec: ArrayLike,
        dtype: DTypeLike = np.int64,
        seed: int | np.random.Generator | None = None,
        start: ArrayLike | None = None,
    ) -> None:
        if dtype is None or np.dtype(dtype).kind not in "iu":
            message = f"MultiDiscrete expects an integer dtype, got {None if dtype is None else np.dtype(dtype)}"
            raise ValueError(message)
        kind = np.dtype(dtype)
        counts = _integers("nvec", nvec, kind)
        least = min(counts.tolist(), default=1) if counts.ndim == 1 and counts.size <= FEW else None
        if (counts.min(initial=1) if least is None else least) <= 0:
            raise ValueError(f"MultiDiscrete expects nvec to be positive, got nvec={counts}")
        firsts = np.zeros(counts.shape, kind) if start is None else _validate(_integers("start", start, kind), counts)
        put(self, "_arrays", (counts, firsts))
        put(self, "_shape", counts.shape)
        put(self, "dtype", kind)
        if seed is not None:
            super().__init__(counts.shape, kind, seed)

    @property
    def choices(self) -> Choices:
        """Cached data for sampling and membership tests. The data are recomputed if `nvec` or `start` has changed."""
        return self._facts or current_facts(self, Choices)

    def sample(self, mask: tuple[Any, ...] | None = None, probability: tuple[Any, ...] | None = None) -> NDArray[Any]:
        """Return a random element, in which all values are independent. By default, all choices are equally likely.

        Args:
            mask: a (nested) tuple of int8 vectors, which contain 1 for each allowed choice and 0 otherwise. If a vector
                contains only 0, the smallest choice is returned.
            probability: a (nested) tuple of float64 vectors, which contain the probability of each choice.
        """
        if mask is None and probability is None:
            choices, rng = self._facts or self.choices, self._np_random
            shape = choices.shape
            values = ((self.np_random if rng is None else rng).random(shape) * choices.factors).astype(self.dtype)
            if choices.shift is not None:
                values = values + choices.shift
            return values if shape else np.asarray(values)
        name, weights = mask_or_probability(mask, probability)
        return np.array(self._weighted(name, weights, *self.choices.arrays), self.dtype)

    def _weighted(self, name: str, weights: Any, nvec: NDArray[Any], start: NDArray[Any]) -> Any:
        if nvec.ndim == 0:
            return int(choose(self.np_random, name, weights, int(nvec))) + int(start)
        if not isinstance(weights, tuple) or len(weights) != len(nvec):
            seen = f"a tuple of {len(weights)}" if isinstance(weights, tuple) else type(weights).__name__
            raise ValueError(f"MultiDiscrete expects a {name} tuple of length {len(nvec)} for nvec={nvec}, got {seen}")
        return [self._weighted(name, w, n, s) for w, n, s in zip(weights, nvec, start, strict=True)]

    def sample_n(self, n: int) -> NDArray[Any]:
        """Return n random elements as a single array. The elements are the same as those from n calls of `sample`."""
        if type(self).sample is not MultiDiscrete.sample:
            return super().sample_n(n)  # type: ignore[no-any-return]
        choices = self.choices
        numbers = self.np_random.random((self._count(n), *choices.shape)) * choices.nvec
        values: NDArray[Any] = numbers.astype(self.dtype)
        return values if choices.shift is None else values + choices.shift

    def contains(self, x: Any) -> bool:
        """Return whether an object is an integer array or sequence of the right shape with values in their ranges."""
        if not isinstance(x, np.ndarray):
            if not isinstance(x, Sequence):
                return False
            try:
                x = np.array(x)
            except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
                return False
        if x.shape != self._shape or not (x.dtype is self.dtype or np.can_cast(x.dtype, self.dtype)):
            return False
        if x.size > FEW or x.__class__ is not np.ndarray:  # such as a masked array
            nvec, start = self.choices.arrays
            return bool(np.all(x >= start)) and bool(np.all(x <= start + (nvec - 1)))
        values = x.tolist() if x.ndim == 1 else x.ravel().tolist()
        limits = (self._facts or self.choices).limits
        for value, (first, stop) in zip(values, limits):  # noqa: B905 - this is faster
            if not first <= value < stop:
                return False
        return len(limits) == len(values)  # `nvec` may have been replaced

    def examples(self) -> Iterator[NDArray[Any]]:
        """Yield the element with the smallest values, the element with the largest values, and random elements."""
        nvec, start = self.choices.arrays
        yield start.copy()
        yield np.asarray(start + (nvec - 1))
        yield from super().examples()

    def __getitem__(self, index: Any) -> Discrete[Any] | MultiDiscrete[Any]:
        """Return the space of the values at an index, which has a copy of this space's random number generator."""
        nvec, start = [array[index] for array in self.choices.arrays]
        part: Any
        if np.ndim(nvec) == 0:
            from gymkernel.spaces import Discrete  # imported here because the plugin for Discrete imports this plugin

            part = Discrete(int(nvec), start=int(start), dtype=self.dtype)
        else:
            part = MultiDiscrete(nvec, self.dtype, start=start)
        part._np_random = seeding.twin(self.np_random)
        return part  # type: ignore[no-any-return]

    def __len__(self) -> int:
        """Return the length of the first axis."""
        nvec = self.choices.nvec
        if nvec.ndim > 1:
            logger.warn(f"The length of a MultiDiscrete of shape {self.shape} is that of its first axis")
        return len(nvec)

    @classmethod
    def test_instances(cls) -> Iterator[MultiDiscrete[Any]]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls([3, 2, 5])
        yield cls([[2, 3], [4, 1]])
        yield cls([3, 2], np.int16, start=[-1, 4])

    def to_spec(self) -> dict[str, Any]:
        """Return `nvec`, and also `start` and `dtype` if they differ from their defaults."""
        choices = self.choices
        start = {} if choices.shift is None else {"start": choices.start.tolist()}
        dtype = {} if self.dtype == np.int64 else {"dtype": self.dtype.name}
        return {"nvec": choices.nvec.tolist(), **start, **dtype}

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> MultiDiscrete[Any]:
        """Create a MultiDiscrete from the result of `to_spec`."""
        for name in spec.keys() & {"nvec", "start"}:
            array = np.array(spec[name], object)
            if array.ndim > 32 or not all(type(value) is int for value in array.flat):
                message = f"MultiDiscrete expects {name} to be integers, in lists of equal length and at most 32 deep"
                raise ValueError(message)
        return cls(**spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MultiDiscrete):
            return compare_foreign(other)
        if self._shape != other._shape or (self.dtype is not other.dtype and self.dtype != other.dtype):
            return False
        nvec, start = self._arrays
        other_nvec, other_start = other._arrays
        if (  # the most frequent result
            type(nvec) is type(start) is type(other_nvec) is type(other_start) is np.ndarray
            and nvec.tobytes() == other_nvec.tobytes()
            and start.tobytes() == other_start.tobytes()
            and nvec.dtype is other_nvec.dtype
            and nvec.shape == other_nvec.shape
        ):
            return True
        return same(nvec, other_nvec) and same(start, other_start)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        nvec, start = map(np.asarray, self._arrays)
        return f"MultiDiscrete({nvec}, start={start})" if start.any() else f"MultiDiscrete({nvec})"

    def __getstate__(self) -> dict[str, Any]:
        derived = {"_facts", "_latest_facts", "_is_read", "_arrays"}
        state = {name: value for name, value in self.__dict__.items() if name not in derived}
        nvec, start = map(np.array, self._arrays) if self._is_read else self._arrays
        return {**state, "nvec": nvec, "start": start}

    def __setstate__(self, state: Iterable[tuple[str, Any]] | dict[str, Any]) -> None:
        rest = dict(state)
        nvec = rest.pop("nvec")
        start = rest.pop("start") if "start" in rest else np.zeros_like(nvec)  # older pickles do not contain start
        super().__setstate__({**rest, "_arrays": (nvec, start), "_is_read": False})


def _validate(start: NDArray[Any], nvec: NDArray[Any]) -> NDArray[Any]:
    if start.shape != nvec.shape:
        raise ValueError(f"MultiDiscrete expects start to have the shape of nvec, {nvec.shape}, got {start.shape}")
    if (start + (nvec - 1) < start).any():
        raise ValueError(
            f"MultiDiscrete expects start + nvec - 1 to be within the range of {start.dtype}, got start={start} "
            f"and nvec={nvec}"
        )
    return start


def _integers(name: str, values: ArrayLike, dtype: np.dtype[Any]) -> NDArray[Any]:
    array = np.array(values)
    if array.dtype is dtype:
        return array
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        array = np.array(values, object)  # otherwise, NumPy would convert [0, 2**63] to floats
    result = None
    with np.errstate(invalid="ignore"), contextlib.suppress(TypeError, ValueError, OverflowError):
        result = array.astype(dtype) if array.dtype.kind in "iufO" else None
    if result is None or not np.array_equal(result, array):
        raise ValueError(f"MultiDiscrete expects {name} to be integers within the range of {dtype}, got {values!r}")
    return result


register_arrays(MultiDiscrete, one_hot=True)


register_codec(MultiDiscrete)(codec_of)


@ops.flatten_space.register(MultiDiscrete)
def _flatten_space(space: MultiDiscrete[Any]) -> Box[Any]:
    return Box(0, 1, (int(space.choices.nvec.sum(dtype=np.int64)),), space.dtype)


@ops.batch_space.register(MultiDiscrete)
def _batch_space(space: MultiDiscrete[Any], n: int = 1) -> Box[Any]:
    nvec, start = space.choices.arrays
    box: Box[Any] = Box(start, start + (nvec - 1), dtype=space.dtype, seed=space.np_random)
    return ops.batch_space(box, n)  # type: ignore[no-any-return]


@ops.batch_differing_spaces.register(MultiDiscrete)
def _batch_differing_spaces(space: MultiDiscrete[Any], spaces: Sequence[MultiDiscrete[Any]]) -> Box[Any]:
    require_alike(spaces, lambda other: f"{other.shape} {other.dtype}", "MultiDiscretes of the same shape and dtype")
    low, high = np.array([s.start for s in spaces]), np.array([s.start + (s.nvec - 1) for s in spaces])
    return Box(low, high, dtype=space.dtype, seed=seeding.twin(space.np_random))


@ops.create_zero_array.register(MultiDiscrete)
def _create_zero_array(space: MultiDiscrete[Any]) -> NDArray[Any]:
    return space.choices.start.copy()
