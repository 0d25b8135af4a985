"""`Space`, the base class of all spaces, and the description of the arrays that hold an element."""

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
    """The dtype and shape of one array in a layout.

    Attributes:
        dtype: the dtype of the array.
        shape: the length of each axis; `()` for a single number.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, dtype: DTypeLike, shape: Iterable[int] = ()) -> Field:
        """Create a field from any dtype and shape that NumPy accepts.

        Args:
            dtype: anything that NumPy can convert to a dtype: "f4", `float`, `numpy.int64`.
            shape: the length of each axis.

        >>> Field.of("f4", [2, 3])
        Field(dtype=dtype('float32'), shape=(2, 3))
        """
        return cls(np.dtype(dtype), tuple(int(n) for n in shape))


MaskNDArray = np.ndarray[Any, np.dtype[np.int8]]
Layout = tuple[Field, ...]
"""The descriptions of the arrays that together hold one element of a space without loss."""


def require_space(x: Any, where: str) -> None:
    """Raise a TypeError unless `x` is a space of gymkernel or of another library.

    Args:
        x: the object to check.
        where: the beginning of the error message, such as "Tuple expects spaces".

    Raises:
        TypeError: `x` is not a space, because it has no method `sample`.

    >>> require_space(3, "Tuple expects spaces")
    Traceback (most recent call last):
    TypeError: Tuple expects spaces, got 3 (int)
    """
    if not isinstance(x, Space) and (isinstance(x, type) or not callable(getattr(x, "sample", None))):
        raise TypeError(f"{where}, got {x!r} ({type(x).__name__})")


def examples(space: Any) -> Iterator[Any]:
    """Yield example elements of a space, even if it belongs to another library and has no method `examples`.

    Args:
        space: a space of any library.

    Returns:
        Elements that are useful in tests: bounds, zeros, and the longest and shortest elements.
    """
    own = getattr(space, "examples", None)
    return own() if callable(own) else Space.examples(space)


def _seed_inside(space: Any) -> None:
    """Seed each inner space that has no generator yet, using numbers from a copy of the outer space's generator."""
    parts = [part for _, part in space.parts() if isinstance(part, Space)]
    unseeded = [part for part in parts if part._np_random is None]  # noqa: SLF001 - the same class
    seeds = seeding.twin(space.np_random).integers(np.iinfo(np.int32).max, size=len(unseeded)) if unseeded else ()
    for part, seed in zip(unseeded, seeds, strict=True):
        part._np_random, _ = seeding.np_random(seed)  # noqa: SLF001 - the same class
        _seed_inside(part)


class Space(Generics, Generic[T_co]):
    """The base class of all spaces: sets of values that can be sampled and tested for membership.

    A subclass must define `draw` and `contains`. A subclass whose samples can be masked or weighted defines `sample`,
    with the parameters `mask` and `probability`, instead of `draw`. If a subclass also defines `layout`, its elements
    can be flattened, batched and put into shared memory, as those of the built-in spaces can. If its elements are not
    arrays, it must then also define `encode` and `decode`, which convert them to and from arrays.

    Args:
        shape: the shape of an element if it is an array, otherwise None.
        dtype: the dtype of an element if it is an array, otherwise None.
        seed: an integer >= 0, or a `numpy.random.Generator`, which is used itself rather than copied. If the seed is
            None, the random number generator is seeded from system entropy when it is first used.

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
    """Maps each name in the result of `to_spec` to the type of its value: a type or union, `list[type]`,
    `tuple[int, ...]` for a shape, or `numpy.dtype` for a dtype's name. Values of other types are rejected. If
    `spec_fields` is None, `from_spec` must check the values itself."""

    def __init__(
        self,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        object.__setattr__(self, "_shape", None if shape is None else tuple(shape))  # nothing is derived from the shape
        object.__setattr__(self, "dtype", None if dtype is None else np.dtype(dtype))
        if isinstance(seed, np.random.Generator):
            self._np_random = seed
            _seed_inside(self)
        elif seed is not None:
            self.seed(seed)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, and discard all cached values that were derived from the attributes."""
        object.__setattr__(self, name, value)
        if name != "_np_random":
            self._drop_facts()

    def _drop_facts(self) -> None:
        """Discard all cached values that were derived from the attributes, because an attribute has changed.

        The array plans of spaces that contain this space are outdated, too, so all plans are rebuilt when they are next
        used. A subclass that caches derived values in `__dict__` extends this method.
        """
        if self._array_plan is not None:
            ops.changed()

    def _notice_changes(self) -> None:
        """Discard cached values that are outdated because an attribute, such as an array, was modified in place.

        The base class caches no such values, so this method does nothing.
        """

    @property
    def np_random(self) -> np.random.Generator:
        """This space's random number generator, which is seeded when it is first used."""
        if self._np_random is None:
            self._np_random, _ = seeding.np_random()  # not seed(), because a composite space also seeds its parts
        return self._np_random

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of an element if it is an array, otherwise None."""
        return self._shape

    @property
    def is_np_flattenable(self) -> bool:
        """Whether every element flattens to a vector of the same length."""
        return self.layout() is not None

    def sample(self, mask: Any = None, probability: Any = None) -> T_co:
        """Return a random element; some spaces accept a mask or probabilities.

        Args:
            mask: the values that may be drawn, in a form that depends on the space, such as an int8 array of shape (n,)
                for `Discrete(n)`.
            probability: the probability of each value, in the form of a mask but with the dtype float64. A mask and
                probabilities cannot be combined.

        Returns:
            An element that shares no memory with the space. The same seed and the same previous calls give the same
            element.

        Raises:
            ValueError: a mask or a probability is given, but the space does not support it.
        """
        if mask is not None or probability is not None:
            raise ValueError(f"{self} does not support sampling with a mask or probabilities")
        return self.draw()

    def draw(self) -> T_co:
        """Return a random element, on behalf of `sample`; a subclass that supports masks overrides `sample` instead."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """Return a batch of n random elements, which is an element of `batch_space(self, n)`.

        Args:
            n: the number of elements, 0 or more.
        """
        return ops.batch(self, [self.sample() for _ in range(self._count(n))])

    @staticmethod
    def _count(n: Any) -> int:
        if not hasattr(n, "__index__") or n < 0:
            raise ValueError(f"Expected a number of elements, an integer >= 0, got {n!r}")
        return operator.index(n)

    def seed(self, seed: Any = None) -> Any:
        """Seed the random number generator, and return a seed that restores the same state when passed again.

        Args:
            seed: a Python or NumPy integer >= 0; None to take a seed from system entropy.
        """
        self._np_random, used = seeding.np_random(seed)
        return used

    def contains(self, x: Any) -> bool:
        """Return whether `x` is an element.

        Args:
            x: any object. If the object is not an element, the method returns False and does not raise an error.
        """
        raise NotImplementedError

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)

    def to_jsonable(self, sample_n: Sequence[Any]) -> Any:
        """Convert elements to values that `json.dumps` accepts: lists and Python numbers instead of NumPy objects.

        Args:
            sample_n: elements of this space.
        """
        return [x.tolist() if isinstance(x, np.ndarray | np.generic) else x for x in sample_n]

    def from_jsonable(self, sample_n: Any) -> Any:
        """Convert the result of `to_jsonable` back to elements, with the dtype of the space or of its layout.

        Args:
            sample_n: the result of `to_jsonable`, possibly after `json.dumps` and `json.loads`.
        """
        dtype, layout = self.dtype, self.layout()
        if dtype is None and layout and type(self).decode is Space.decode:
            dtype = layout[0].dtype
        as_it_is = dtype is None or np.dtype(dtype).kind not in "biuf"
        return sample_n if as_it_is else [np.array(x, dtype)[()] for x in sample_n]

    def layout(self) -> Layout | None:
        """Describe the arrays that hold one element, or return None if elements have no fixed size."""
        return None

    def encode(self, x: Any, out: Sequence[NDArray[Any]]) -> None:
        """Write an element into the arrays of the layout; by default, the element itself is the only array.

        Args:
            x: an element of this space.
            out: the arrays to write to, one for each field of `layout()`, with its dtype and shape.
        """
        out[0][...] = x

    def decode(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Create an element from the arrays of the layout; the element shares no memory with the arrays.

        Args:
            arrays: one array for each field of `layout()`, with its dtype and shape.
        """
        return arrays[0].copy() if arrays[0].ndim else arrays[0][()]

    def examples(self) -> Iterator[Any]:
        """Yield elements that are useful in tests, such as the bounds, without using the space's own generator."""
        twin = copy.deepcopy(self)
        twin.seed(0)
        for _ in range(3):
            yield twin.sample()

    @classmethod
    def test_instances(cls) -> Iterator[Space[Any]]:
        """Yield small, different spaces of this class for tests and for `gymkernel check`."""
        yield cls()

    def parts(self) -> Sequence[tuple[Any, Any]]:
        """Return the inner spaces as pairs of a key or name and the space."""
        return ()

    def to_spec(self) -> dict[str, Any]:
        """Return the values from which `from_spec` builds this space.

        The values are strings, finite numbers, None, spaces, and lists of such values.
        """
        raise TypeError(f"{type(self).__qualname__} cannot be described: define to_spec() and, if needed, from_spec()")

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Space[Any]:
        """Build a space from the result of `to_spec`; by default, the values are passed to the constructor.

        Args:
            spec: the values, keyed by field name; their types have already been checked against `spec_fields`.
        """
        return cls(**spec)

    @classmethod
    def spec_size(cls, spec: dict[str, Any]) -> int:  # noqa: ARG003 - subclasses with arrays use it
        """Return how many numbers `from_spec` would allocate in addition to the numbers in `spec`.

        The result is used to reject malicious descriptions.

        Args:
            spec: the values, keyed by field name.
        """
        return 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Copy the space. To save time, only the generator's state is copied, and immutable values are shared."""
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
        for name in ("shape", "np_random"):  # attribute names in pickles of gym before 0.18
            if name in old:
                old[f"_{name}"] = old.pop(name)
        self._drop_facts()  # before the update, because the plan of an existing object may be part of other plans
        self.__dict__.update(old)
        self._drop_facts()
