"""`Space`: a set of values that can be drawn from and tested for, and the arrays in which a value fits."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

import numpy as np

from gymkernel import ops
from gymkernel.protocols import Generics, T_co
from gymkernel.utils import seeding

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["Field", "Layout", "MaskNDArray", "Space", "examples", "require_space"]


class Field(NamedTuple):
    """One fixed array: what `numpy.zeros(shape, dtype)` would make.

    Attributes:
        dtype: the type of its numbers.
        shape: the length of each axis; `()` for one number.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, dtype: DTypeLike, shape: Iterable[int] = ()) -> Field:
        """Make a field from anything NumPy takes as dtype and shape.

        Args:
            dtype: anything of which NumPy makes a dtype: "f4", `float`, `numpy.int64`.
            shape: the length of each axis.

        >>> Field.of("f4", [2, 3])
        Field(dtype=dtype('float32'), shape=(2, 3))
        """
        return cls(np.dtype(dtype), tuple(int(n) for n in shape))


MaskNDArray = np.ndarray[Any, np.dtype[np.int8]]
Layout = tuple[Field, ...]
"""The arrays that hold one element of a space without loss."""


def require_space(x: Any, where: str) -> None:
    """Raise a TypeError unless `x` is a space, of whatever library; `where` says who expects it.

    Args:
        x: what a constructor was given.
        where: how the message begins: "Tuple expects spaces".

    Raises:
        TypeError: it is no space: it has no method `sample`.

    >>> require_space(3, "Tuple expects spaces")
    Traceback (most recent call last):
    TypeError: Tuple expects spaces, got 3 (int)
    """
    if not isinstance(x, Space) and (isinstance(x, type) or not callable(getattr(x, "sample", None))):
        raise TypeError(f"{where}, got {x!r} ({type(x).__name__})")


def examples(space: Any) -> Iterator[Any]:
    """The examples of any space, also of one of another library, which has no such method.

    Args:
        space: a space of any library.

    Returns:
        Elements worth trying: bounds, zeros, the longest and the shortest.
    """
    own = getattr(space, "examples", None)
    return own() if callable(own) else Space.examples(space)


def _seed_inside(space: Any) -> None:
    """Give each space inside that has no generator yet one, by numbers from a copy of the generator of `space`."""
    inside = [part for _, part in space.parts() if isinstance(part, Space)]
    unseeded = [part for part in inside if part._np_random is None]  # noqa: SLF001 - one class
    drawn = seeding.twin(space.np_random).integers(np.iinfo(np.int32).max, size=len(unseeded)) if unseeded else ()
    for part, seed in zip(unseeded, drawn, strict=True):
        part._np_random, _ = seeding.np_random(seed)  # noqa: SLF001 - one class
        _seed_inside(part)


class Space(Generics, Generic[T_co]):
    """Base of all spaces: a generator, a test for membership, and a layout.

    A subclass needs `draw` and `contains`; one whose draws can be limited or weighted has `sample` instead of `draw`,
    with a mask and a probability. With `layout`, and `encode` and `decode` where an element is not itself
    the array, it can be flattened, batched and put into shared memory like the built-in spaces.

    Args:
        shape: shape of an element where it is an array, None otherwise.
        dtype: dtype of an element where it is an array, None otherwise.
        seed: an integer >= 0, or a `numpy.random.Generator` that is used as it is; None seeds from the system's
            entropy at the first draw.

    >>> class Angle(Space[np.ndarray]):
    ...     def draw(self):
    ...         return self.np_random.uniform(-np.pi, np.pi, size=1)
    ...
    ...     def contains(self, x):
    ...         return isinstance(x, np.ndarray) and x.shape == (1,) and bool(abs(x[0]) <= np.pi)
    ...
    ...     def layout(self):
    ...         return (Field.of(float, (1,)),)
    >>> space = Angle(seed=1)
    >>> space.sample() in space
    True
    >>> from gymkernel.ops import flatdim
    >>> flatdim(space)
    1
    """

    dtype: Any = None
    _shape: tuple[int, ...] | None = None
    _np_random: np.random.Generator | None = None
    _array_plan: Any = None  # see gymkernel.arrays
    spec_fields: ClassVar[Mapping[str, Any] | None] = None
    """The types of what `to_spec` gives, all others being refused: types and unions, `list[type]`, `tuple[int, ...]`
    for a shape, `numpy.dtype` for the name of one. None leaves it to `from_spec`."""

    def __init__(
        self,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        object.__setattr__(self, "_shape", None if shape is None else tuple(shape))  # nothing follows from it yet
        object.__setattr__(self, "dtype", None if dtype is None else np.dtype(dtype))
        if isinstance(seed, np.random.Generator):
            self._np_random = seed
            _seed_inside(self)
        elif seed is not None:
            self.seed(seed)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, and drop what was worked out from the attributes before."""
        object.__setattr__(self, name, value)
        if name != "_np_random":
            self._drop_facts()

    def _drop_facts(self) -> None:
        """Drop what was worked out from the attributes, because one of them has changed.

        The plan of a space that contains this one is stale as well, so all plans are made again at their next use. A
        class that keeps facts of its own in `__dict__` extends this method.
        """
        if self._array_plan is not None:
            ops.changed()

    def _notice_changes(self) -> None:
        """Drop what is stale because an attribute, such as an array, was changed in place; by default nothing is."""

    @property
    def np_random(self) -> np.random.Generator:
        """The generator of this space, seeded at its first use."""
        if self._np_random is None:
            self._np_random, _ = seeding.np_random()  # not by seed(), which a composite hands on to its parts
        return self._np_random

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape of an element that is an array, None otherwise."""
        return self._shape

    @property
    def is_np_flattenable(self) -> bool:
        """Whether every element flattens to a vector of one length."""
        return self.layout() is not None

    def sample(self, mask: Any = None, probability: Any = None) -> T_co:
        """Draw an element; `mask` and `probability` limit or weight the choice where the space supports it.

        Args:
            mask: which values may be drawn; its form is that of the space, such as int8 of shape (n,) for
                `Discrete(n)`.
            probability: the weight of each value, in the form of a mask of float64; not together with a mask.

        Returns:
            An element in memory of its own. With the same seed and the same calls before, the same element.

        Raises:
            ValueError: either is given, and the space does not support it.
        """
        if mask is not None or probability is not None:
            raise ValueError(f"{self} draws all of its elements alike: expected no mask and no probability")
        return self.draw()

    def draw(self) -> T_co:
        """Draw an element by `np_random`, for `sample`; a subclass whose `sample` takes masks defines that instead."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """Draw n elements as one batch, an element of `batch_space(self, n)`.

        Args:
            n: how many, 0 or more.
        """
        return ops.batch(self, [self.sample() for _ in range(self._count(n))])

    @staticmethod
    def _count(n: Any) -> int:
        if not hasattr(n, "__index__") or n < 0:
            raise ValueError(f"Expected a number of elements, an integer >= 0, got {n!r}")
        return operator.index(n)

    def seed(self, seed: Any = None) -> Any:
        """Seed the generator and return what gives the same state when it is passed again.

        Args:
            seed: an integer >= 0 (NumPy's too), or None for one from the system's entropy.
        """
        self._np_random, used = seeding.np_random(seed)
        return used

    def contains(self, x: Any) -> bool:
        """Whether `x` is an element.

        Args:
            x: anything; what is no element is answered with False and raises nothing.
        """
        raise NotImplementedError

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)

    def to_jsonable(self, sample_n: Sequence[Any]) -> Any:
        """Elements as something that `json.dumps` takes: arrays and numbers of NumPy as lists and Python's numbers.

        Args:
            sample_n: elements of this space.
        """
        return [x.tolist() if isinstance(x, np.ndarray | np.generic) else x for x in sample_n]

    def from_jsonable(self, sample_n: Any) -> Any:
        """Elements from what `to_jsonable` returned, NumPy's by the dtype of the space, or of its layout.

        Args:
            sample_n: that, perhaps after a way through `json.dumps` and `json.loads`.
        """
        dtype, layout = self.dtype, self.layout()
        if dtype is None and layout and type(self).decode is Space.decode:
            dtype = layout[0].dtype
        as_it_is = dtype is None or np.dtype(dtype).kind not in "biuf"
        return sample_n if as_it_is else [np.array(x, dtype)[()] for x in sample_n]

    def layout(self) -> Layout | None:
        """The arrays that hold one element without loss; None where elements have no fixed size."""
        return None

    def encode(self, x: Any, out: Sequence[NDArray[Any]]) -> None:
        """Write an element into the arrays of the layout; by default the element is the one array.

        Args:
            x: an element of this space.
            out: an array for each field of `layout()`, of its dtype and shape, which are written to.
        """
        out[0][...] = x

    def decode(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Make an element from the arrays of the layout; the result shares no memory with them.

        Args:
            arrays: an array for each field of `layout()`, of its dtype and shape.
        """
        return arrays[0].copy() if arrays[0].ndim else arrays[0][()]

    def examples(self) -> Iterator[Any]:
        """Elements worth trying in tests and checks, such as corners; the space's own generator is left alone."""
        twin = copy.deepcopy(self)
        twin.seed(0)
        for _ in range(3):
            yield twin.sample()

    @classmethod
    def test_instances(cls) -> Iterator[Space[Any]]:
        """Small spaces of this class, each different, for tests and `gymkernel check` to try."""
        yield cls()

    def parts(self) -> Sequence[tuple[Any, Any]]:
        """The spaces inside, each with the key or name by which it is known here."""
        return ()

    def to_spec(self) -> dict[str, Any]:
        """What `from_spec` builds this space from: strings, finite numbers, None, spaces, and lists of them."""
        raise TypeError(f"{type(self).__qualname__} has no description: give the class to_spec(), perhaps from_spec()")

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Space[Any]:
        """Build a space from what `to_spec` gave, of the types in `spec_fields`; by default by the constructor.

        Args:
            spec: the fields by name, whose types were looked at before.
        """
        return cls(**spec)

    @classmethod
    def spec_size(cls, spec: dict[str, Any]) -> int:  # noqa: ARG003 - for the classes that have arrays
        """How many numbers `from_spec` would hold beyond those that stand in `spec`; a description may be hostile.

        Args:
            spec: the fields by name.
        """
        return 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Copy everything: the generator by its state, which takes the most time, and what cannot change not at all."""
        memo.update((id(value), value) for value in vars(self).values() if isinstance(value, np.number | np.dtype))
        if self._np_random is not None:
            memo.setdefault(id(self._np_random), seeding.twin(self._np_random))
        reduced: Any = self.__reduce_ex__(4)
        copied = memo[id(self)] = reduced[0](*copy.deepcopy(reduced[1], memo))
        if len(reduced) > 2 and reduced[2] is not None:
            copied.__setstate__(copy.deepcopy(reduced[2], memo))
        return copied

    def __setstate__(self, state: Iterable[tuple[str, Any]] | dict[str, Any]) -> None:
        old = dict(state)
        for name in ("shape", "np_random"):  # pickles of gym before 0.18
            if name in old:
                old[f"_{name}"] = old.pop(name)
        self._drop_facts()  # before, because the plan of an existing object may be part of others
        self.__dict__.update(old)
        self._drop_facts()
