"""The `Sequence` space, which contains sequences of elements of another space."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel.ops import batch
from gymkernel.space import Space, compare_foreign, examples, require_space
from gymkernel_space_box import Box
from gymkernel_space_tuple import Tuple
from gymkernel_util_spaces.choice import mask_or_probability, split_seeds
from gymkernel_util_spaces.codec import KeptBatches, flatten_all, is_side_by_side, unflatten_all

if TYPE_CHECKING:
    import collections.abc

__all__ = ["Sequence"]

put = object.__setattr__
SHARE = 0.25
"""The probability that a random sequence ends after an element."""


class Sequence(Space[Any]):
    """A space of sequences of any finite length, whose items are elements of another space.

    Args:
        space: the space of the items in a sequence.
        seed: an integer >= 0, a pair of seeds for the length and for the items, a `numpy.random.Generator`, or None. If
            a generator is given, a copy of the generator seeds the space of the items, unless that space has its own
            generator.
        stack: whether a sequence is a batch, such as an array with one row per item, rather than a tuple.

    Raises:
        TypeError: if `space` is not a space.

    >>> from gymkernel.spaces import Box
    >>> Sequence(Box(0, 1), seed=0).sample()
    (array([0.6822636], dtype=float32), array([0.18933342], dtype=float32), array([0.19049619], dtype=float32))
    >>> stacked = Sequence(Box(0, 1, (2,)), seed=0, stack=True)
    >>> stacked
    Sequence(Box(0.0, 1.0, (2,), float32), stack=True)
    >>> stacked.sample(mask=(4, None)).shape
    (4, 2)
    """

    spec_fields = MappingProxyType({"space": Space, "stack": bool})
    feature_space: Any
    """The space of the items in a sequence. It can be replaced."""
    stack: bool = False
    """Whether a sequence is a batch rather than a tuple. This attribute can be changed."""
    _cache: KeptBatches | None = None

    def __init__(
        self, space: Any, seed: int | tuple[int, Any] | np.random.Generator | None = None, stack: bool = False
    ) -> None:
        if not isinstance(space, Space):
            require_space(space, "Sequence expects the space of its elements")
        put(self, "feature_space", space)
        if stack:
            put(self, "stack", True)
        if seed is not None:
            super().__init__(seed=seed)  # type: ignore[arg-type]

    @property
    def _batches(self) -> KeptBatches:
        if self._cache is None:
            put(self, "_cache", KeptBatches())
        return self._cache  # type: ignore[return-value]

    @property
    def stacked_feature_space(self) -> Any:
        """The space of stacked sequences of length 1."""
        if not self.stack:
            raise AttributeError(f"{self} has no stacked_feature_space; create the space with stack=True")
        return self._batches.one(self.feature_space)

    @property
    def _rows(self) -> bool:
        return self.stack and not is_side_by_side(self.feature_space, self.stacked_feature_space)

    def seed(self, seed: Any = None) -> tuple[Any, Any]:
        """Seed this space and the space of the items, and return both seeds, which can be passed to this method again.

        Args:
            seed: an integer from which both seeds are derived, a pair of seeds, or None for random seeds.
        """
        own, inner = split_seeds(seed, 1)
        return super().seed(own), self.feature_space.seed(inner)

    def sample(self, mask: tuple[Any, Any] | None = None, probability: tuple[Any, Any] | None = None) -> Any:
        """Return a random sequence. Its length is at least 1 and has a geometric distribution.

        Args:
            mask: a pair. The first item is a length, a vector of lengths to choose from, or None for any length. The
                second item is a mask for the items.
            probability: a pair of a length, as in `mask`, and probabilities for the items.
        """
        draw = self.feature_space.sample
        if mask is None and probability is None:
            elements = [draw() for _ in range(self.np_random.geometric(SHARE))]
        else:
            name, both = mask_or_probability(mask, probability)
            if not isinstance(both, tuple) or len(both) != 2:
                message = f"Sequence expects {name} to be a tuple of lengths and a {name} of its space, got {both!r}"
                raise ValueError(message)
            elements = [draw(**{name: both[1]}) for _ in range(self.generate_sample_length(both[0], name))]
        return self._join(elements)

    def _join(self, elements: list[Any]) -> Any:
        return batch(self.feature_space, elements) if self.stack else tuple(elements)

    def _elements(self, x: Any) -> list[Any]:
        return list(ops.iterate(self._batches.one(self.feature_space, with_arrays=False), x) if self.stack else x)

    def generate_sample_length(self, length_mask: Any, mask_type: str | None = None) -> int:
        """Return a random length.

        Args:
            length_mask: a length, a vector of lengths to choose from, or None for any length.
            mask_type: "mask" or "probability", for the error message.
        """
        if length_mask is None:
            return int(self.np_random.geometric(SHARE))
        lengths = np.asarray(length_mask)
        many = isinstance(length_mask, np.ndarray)
        if lengths.dtype.kind not in "iu" or lengths.ndim != int(many) or not lengths.size or (lengths < 0).any():
            raise ValueError(
                f"Sequence expects the lengths in {mask_type or 'mask'} to be an integer >= 0, a vector of lengths, or "
                f"None, got {length_mask!r}"
            )
        return int(self.np_random.choice(lengths) if many else lengths)

    def contains(self, x: Any) -> bool:
        """Return whether an object is a tuple (or, with `stack`, a batch) of elements of the inner space."""
        try:
            x = self._elements(x) if self.stack or isinstance(x, tuple) else None
        except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
            return False
        return x is not None and all(map(self.feature_space.contains, x))

    def to_jsonable(self, sample_n: collections.abc.Sequence[Any]) -> Any:
        """Convert sequences to values that `json.dumps` accepts."""
        if self._rows:
            return self.stacked_feature_space.to_jsonable(sample_n)
        return [self.feature_space.to_jsonable(sample) for sample in map(self._elements, sample_n)]

    def from_jsonable(self, sample_n: Any) -> list[Any]:
        """Convert the result of `to_jsonable` back to sequences."""
        if self._rows:
            return self.stacked_feature_space.from_jsonable(sample_n)  # type: ignore[no-any-return]
        return [self._join(self.feature_space.from_jsonable(sample)) for sample in sample_n]

    def examples(self) -> Iterator[Any]:
        """Yield an empty sequence, a sequence with one item, a sequence with several items, and random sequences."""
        few = list(itertools.islice(examples(self.feature_space), 4))
        for elements in ([], few[:1], few):
            yield self._join(elements)
        yield from super().examples()

    def parts(self) -> list[tuple[str, Any]]:
        """Return the space of the items."""
        return [("feature_space", self.feature_space)]

    @classmethod
    def test_instances(cls) -> Iterator[Sequence]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls(Box(-1, 1, (2,)))
        yield cls(Box(0, 9, (), np.int8))
        yield cls(Box(-1, 1, (2,)), stack=True)

    def to_spec(self) -> dict[str, Any]:
        """Return the space of the items and the value of `stack`."""
        return {"space": self.feature_space, "stack": self.stack}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return compare_foreign(other)
        return self.stack == other.stack and self.feature_space == other.feature_space

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, which does not contain the cached batched spaces, because they may be large."""
        return {name: value for name, value in self.__dict__.items() if name != "_cache"}

    def __setstate__(self, state: Iterable[tuple[str, Any]] | dict[str, Any]) -> None:
        """Restore the state, ignoring the attribute `stacked_feature_space` in pickles from Gymnasium."""
        super().__setstate__({name: value for name, value in dict(state).items() if name != "stacked_feature_space"})

    def __repr__(self) -> str:
        return f"Sequence({self.feature_space}, stack={self.stack})"


@ops.flatdim.register(Sequence)
def _flatdim(space: Sequence) -> int:
    raise ValueError(f"{space} cannot flatten its elements to vectors: sequences vary in length")


@ops.flatten.register(Sequence)
def _flatten(space: Sequence, x: Any) -> Any:
    if space.stack:
        return flatten_all(space.feature_space, space._elements(x))  # noqa: SLF001 - the class is defined in this module
    flatten = ops.flatten.dispatch(type(space.feature_space))
    return tuple([flatten(space.feature_space, item) for item in x])


@ops.unflatten.register(Sequence)
def _unflatten(space: Sequence, x: Any) -> Any:
    if space.stack:
        return unflatten_all(space.feature_space, x)
    unflatten = ops.unflatten.dispatch(type(space.feature_space))
    return tuple([unflatten(space.feature_space, item) for item in x])


@ops.flatten_space.register(Sequence)
def _flatten_space(space: Sequence) -> Sequence:
    return Sequence(ops.flatten_space(space.feature_space), stack=space.stack)


@ops.is_space_dtype_shape_equiv.register(Sequence)
def _is_equivalent(space_1: Sequence, space_2: Any) -> bool:
    return (
        isinstance(space_2, Sequence)
        and space_1.stack == space_2.stack
        and ops.is_space_dtype_shape_equiv(space_1.feature_space, space_2.feature_space)
    )


ops.batch_space.register(Sequence, Tuple.of_copies)


@ops.create_empty_array.register(Sequence)
def _create_empty_array(space: Sequence, n: int | None = 1, fn: Callable[..., Any] = np.zeros) -> tuple[Any, ...]:
    if n is None:
        return _create_empty_array(space, 1, fn)[0]  # type: ignore[no-any-return]
    if not space.stack:
        return ((),) * n
    make = ops.create_empty_array.dispatch(type(space.feature_space))
    return tuple([make(space.feature_space, 1, fn) for _ in range(n)])


@ops.create_zero_array.register(Sequence)
def _create_zero_array(space: Sequence) -> Any:
    return ops.create_zero_array(space.stacked_feature_space) if space.stack else ()
