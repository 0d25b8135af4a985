"""The `Tuple` space, which contains tuples with one element of each inner space."""

from __future__ import annotations

import collections.abc
import copy
from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gymkernel import ops
from gymkernel.space import Layout, Space, compare_foreign, require_space
from gymkernel.utils import seeding
from gymkernel_space_box import Box
from gymkernel_util_spaces.arrays import register_nest
from gymkernel_util_spaces.batches import require_alike
from gymkernel_util_spaces.choice import mask_or_probability
from gymkernel_util_spaces.plans import plan_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Tuple"]


put = object.__setattr__


class Tuple(Space[tuple[Any, ...]], collections.abc.Sequence[Any]):
    """A space of tuples. Each tuple contains one element of each inner space.

    Args:
        spaces: the inner spaces.
        seed: an integer >= 0, from which the seeds of all inner spaces are derived, a sequence with a seed for each
            space, a `numpy.random.Generator`, or None. If a generator is given, a copy of the generator seeds all inner
            spaces that have no generator of their own.

    Raises:
        TypeError: if an item of `spaces` is not a space.

    >>> from gymkernel.spaces import Box
    >>> space = Tuple((Box(0, 1), Box(-1, 1, (2,))), seed=42)
    >>> space
    Tuple(Box(0.0, 1.0, (1,), float32), Box(-1.0, 1.0, (2,), float32))
    >>> space.sample() in space, len(space)
    (True, 2)
    """

    spec_fields = MappingProxyType({"spaces": list[Space]})
    spaces: tuple[Any, ...]
    """The inner spaces. They can be replaced."""

    def __init__(self, spaces: Iterable[Any], seed: int | Sequence[int] | np.random.Generator | None = None) -> None:
        inside = tuple(spaces)
        put(self, "spaces", inside)
        for space in inside:
            if not isinstance(space, Space):
                for i, item in enumerate(inside):
                    require_space(item, f"Tuple expects a space at index {i}")
                break
        if seed is not None:
            super().__init__(seed=seed)  # type: ignore[arg-type]

    @classmethod
    def of_copies(cls, space: Any, n: int = 1) -> Tuple:
        """Create the default batched space, which is a Tuple of copies of a space with different seeds.

        Args:
            space: a space from any library. The state of its random number generator does not change.
            n: the number of copies.
        """
        batched = cls((copy.deepcopy(space) for _ in range(n)), seed=seeding.twin(space.np_random))
        batched.seed(seeding.twin(space.np_random).integers(0, 10**8, n).tolist())
        return batched

    @property
    def is_np_flattenable(self) -> bool:
        """Whether the elements of all inner spaces can be flattened to vectors of fixed length."""
        return all(getattr(space, "is_np_flattenable", False) for space in self.spaces)

    def seed(self, seed: Any = None) -> tuple[Any, ...]:
        """Seed all inner spaces, and return the seeds, which can be passed to this method again.

        Args:
            seed: an integer from which the seeds of all inner spaces are derived, a sequence with a seed for each
                space, or None for random seeds.
        """
        if seed is None:
            return tuple(space.seed(None) for space in self.spaces)
        if isinstance(seed, tuple | list) or (isinstance(seed, np.ndarray) and seed.ndim):
            if len(seed) != len(self.spaces):
                raise ValueError(f"Expected a seed for each of the {len(self.spaces)} spaces, got {len(seed)}")
            return tuple(space.seed(value) for space, value in zip(self.spaces, seed, strict=True))
        if not hasattr(seed, "__index__"):
            raise TypeError(f"Expected the seed to be an integer, a sequence of integers, or None, got {seed!r}")
        super().seed(seed)
        seeds = self.np_random.integers(np.iinfo(np.int32).max, size=len(self.spaces))
        return tuple(space.seed(value) for space, value in zip(self.spaces, seeds.tolist(), strict=True))

    def sample(
        self, mask: tuple[Any, ...] | None = None, probability: tuple[Any, ...] | None = None
    ) -> tuple[Any, ...]:
        """Return a tuple with a random element of each inner space.

        Args:
            mask: a tuple with a mask (or None) for each space, or None.
            probability: a tuple with probabilities (or None) for each space, or None.
        """
        if mask is None and probability is None:
            return tuple([space.sample() for space in self.spaces])
        name, weights = mask_or_probability(mask, probability)
        if not isinstance(weights, tuple) or len(weights) != len(self.spaces):
            seen = f"a tuple of {len(weights)}" if isinstance(weights, tuple) else type(weights).__name__
            raise ValueError(f"Tuple expects {name} to be a tuple of length {len(self.spaces)}, got {seen}")
        return tuple(space.sample(**{name: part}) for space, part in zip(self.spaces, weights, strict=True))

    def contains(self, x: Any) -> bool:
        """Return whether an object is a tuple, list or array that contains an element of each inner space."""
        if x.__class__ is not tuple:
            try:
                x = tuple(x) if isinstance(x, tuple | list) or (isinstance(x, np.ndarray) and x.ndim) else None
            except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
                return False
        if x is None or len(x) != len(self.spaces):
            return False
        return all([space.contains(part) for space, part in zip(self.spaces, x, strict=True)])  # noqa: C419 - this is faster

    def to_jsonable(self, sample_n: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Convert tuples to a list with an item for each inner space, or to empty lists if there are no spaces."""
        if not self.spaces:
            return [[] for _ in sample_n]
        return [space.to_jsonable([sample[i] for sample in sample_n]) for i, space in enumerate(self.spaces)]

    def from_jsonable(self, sample_n: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Convert the result of `to_jsonable` back to elements."""
        if not self.spaces:
            return [() for _ in sample_n]
        columns = [space.from_jsonable(sample_n[i]) for i, space in enumerate(self.spaces)]
        return list(zip(*columns, strict=True))

    def layout(self) -> Layout | None:
        """Return the fields of all inner spaces, in order."""
        return plan_of(self).fields

    def encode(self, x: Sequence[Any], out: Sequence[NDArray[Any]]) -> None:
        """Store the element of each inner space in the arrays of that space."""
        plan_of(self).encode(x, out)

    def decode(self, arrays: Sequence[NDArray[Any]]) -> tuple[Any, ...]:
        """Create the element of each inner space from the arrays of that space."""
        return plan_of(self).decode(arrays)  # type: ignore[no-any-return]

    def parts(self) -> list[tuple[int, Any]]:
        """Return the inner spaces with their indices."""
        return list(enumerate(self.spaces))

    @classmethod
    def test_instances(cls) -> Iterator[Tuple]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls((Box(-1, 1, (2,)), Box(0, 9, (), np.int8)))
        yield cls((cls((Box(0, 1, (2, 2)),)), Box(0, 9, (3,), np.uint8)))

    def to_spec(self) -> dict[str, Any]:
        """Return the inner spaces, from which `from_spec` can create this space again."""
        return {"spaces": self.spaces}

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """Return the inner space with the given index or, for a slice, a tuple of inner spaces."""
        return self.spaces[index]

    def __len__(self) -> int:
        """Return the number of inner spaces."""
        return len(self.spaces)

    def __contains__(self, x: object) -> bool:
        return self.contains(x)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tuple):
            return compare_foreign(other)
        return self.spaces == other.spaces

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Tuple({', '.join(map(str, self.spaces))})"


register_nest(Tuple)


@ops.flatten_space.register(Tuple)
def _flatten_space(space: Tuple) -> Box[Any] | Tuple:
    flat = [ops.flatten_space(s) for s in space.spaces]
    if not space.is_np_flattenable:
        return Tuple(flat)
    if not flat:
        return Box(0, 1, (0,), np.float64)
    low, high = (np.concatenate([getattr(s, name) for s in flat]) for name in ("low", "high"))
    return Box(low, high, dtype=np.result_type(*[s.dtype for s in flat]))


@ops.batch_space.register(Tuple)
def _batch_space(space: Tuple, n: int = 1) -> Tuple:
    return Tuple((ops.batch_space(s, n) for s in space.spaces), seed=seeding.twin(space.np_random))


ops.batch_space.register(Space, Tuple.of_copies)


@ops.batch_differing_spaces.register(Tuple)
def _batch_differing_spaces(space: Tuple, spaces: Sequence[Tuple]) -> Tuple:
    require_alike(spaces, len, "Tuples of the same length")
    parts = (ops.batch_differing_spaces(list(column)) for column in zip(*[s.spaces for s in spaces], strict=True))
    return Tuple(parts, seed=seeding.twin(space.np_random))


@ops.batch_differing_spaces.register(Space)
def _batch_any_differing_spaces(space: Space[Any], spaces: Sequence[Space[Any]]) -> Tuple:
    return Tuple([copy.deepcopy(part) for part in spaces], seed=seeding.twin(spaces[0].np_random))
