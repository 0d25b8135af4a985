"""The base class of all spaces, and the class `Field`, which describes an array that stores part of an element."""

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

__all__ = ["Field", "Layout", "MaskNDArray", "Space", "compare_foreign", "examples", "require_space"]


class Field(NamedTuple):
    """The dtype and shape of an array in the layout of a space.

    Attributes:
        dtype: the dtype of the array.
        shape: the shape of the array, which is `()` for a single number.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, dtype: DTypeLike, shape: Iterable[int] = ()) -> Field:
        """Create a field from any dtype and shape that NumPy accepts.

        Args:
            dtype: anything that NumPy can convert to a dtype, such as "f4", `float` or `numpy.int64`.
            shape: the length of each axis.

        >>> Field.of("f4", [2, 3])
        Field(dtype=dtype('float32'), shape=(2, 3))
        """
        return cls(np.dtype(dtype), tuple(int(n) for n in shape))


MaskNDArray = np.ndarray[Any, np.dtype[np.int8]]
Layout = tuple[Field, ...]
"""The type of a layout, which describes the arrays in which an element of a space can be stored without loss."""


def require_space(x: Any, where: str) -> None:
    """Raise a TypeError unless an object is a space from gymkernel or another library.

    Args:
        x: the object to check.
        where: the beginning of the error message, such as "Tuple expects spaces".

    Raises:
        TypeError: if `x` has no method `sample` and is therefore not a space.

    >>> require_space(3, "Tuple expects spaces")
    Traceback (most recent call last):
    TypeError: Tuple expects spaces, got 3 (int)
    """
    if not isinstance(x, Space) and (isinstance(x, type) or not callable(getattr(x, "sample", None))):
        raise TypeError(f"{where}, got {x!r} ({type(x).__name__})")


def compare_foreign(other: object) -> bool:
    """Return the result of a space's `__eq__` for an object of another class.

    The result is usually NotImplemented, so that Python calls the other object's `__eq__`. For arrays, NumPy numbers
    and tables, the result is False, because their `__eq__` would compare the space with each element and return an
    array.

    Args:
        other: the object that is compared with a space.

    >>> compare_foreign("a text")
    NotImplemented
    """
    return False if hasattr(type(other), "__array__") else NotImplemented


def examples(space: Any) -> Iterator[Any]:
    """Yield elements of a space that are useful in tests.

    Args:
        space: a space from any library, which need not have a method `examples`.

    Returns:
        An iterator over elements such as the bounds, zeros, and the longest and shortest elements.
    """
    own = getattr(space, "examples", None)
    return own() if callable(own) else Space.examples(space)


def _seed_inside(space: Any) -> None:
    """Seed the inner spaces that have not been seeded, using numbers from a copy of the outer space's generator."""
    parts = [part for _, part in space.parts() if isinstance(part, Space)]
    unseeded = [part for part in parts if part._np_random is None]  # noqa: SLF001 - another instance of this class
    seeds = seeding.twin(space.np_random).integers(np.iinfo(np.int32).max, size=len(unseeded)) if unseeded else ()
    for part, seed in zip(unseeded, seeds, strict=True):
        part._np_random, _ = seeding.np_random(seed)  # noqa: SLF001 - another instance of this class
        _seed_inside(part)


class Space(Generics, Generic[T_co]):
    """The base class of all spaces. A space is a set of values from which random elements can be sampled.

    A subclass must define `contains` and either `draw` or, to support masks and probabilities, `sample`. If it also
    defines `layout`, its elements can be flattened, batched and stored in shared memory. If its elements are not
    arrays, a subclass with a layout must define `encode` and `decode`, which convert elements to arrays and back.

    Args:
        shape: the shape of the elements, or None if elements are not arrays.
        dtype: the dtype of the elements, or None if elements are not arrays.
        seed: an integer >= 0, or a `numpy.random.Generator`, which is not copied. If the seed is None, the random
            number generator is seeded from system entropy when it is first used.

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
    """The types of the values that `to_spec` returns, keyed by name. A type can be a class, a union, `list[type]`,
    `tuple[int, ...]` for a shape, or `numpy.dtype` for the name of a dtype. Before `from_spec` is called, values of
    other types are rejected. If `spec_fields` is None, `from_spec` must check the values itself."""

    def __init__(
        self,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        object.__setattr__(self, "_shape", None if shape is None else tuple(shape))  # no cached values exist yet
        object.__setattr__(self, "dtype", None if dtype is None else np.dtype(dtype))
        if isinstance(seed, np.random.Generator):
            self._np_random = seed
            _seed_inside(self)
        elif seed is not None:
            self.seed(seed)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, and discard all cached values that depend on the attributes of the space."""
        object.__setattr__(self, name, value)
        if name != "_np_random":
            self._drop_facts()

    def _drop_facts(self) -> None:
        """Discard all cached values that depend on the attributes of the space, because an attribute has changed.

        The array plans of all spaces are rebuilt when they are next used, because other spaces may contain this space.
        A subclass that caches other values in `__dict__` must extend this method.
        """
        if self._array_plan is not None:
            ops.changed()

    def _notice_changes(self) -> None:
        """Discard cached values that are outdated because an array or another attribute was modified in place.

        By default, this method does nothing.
        """

    @property
    def np_random(self) -> np.random.Generator:
        """The random number generator of this space, which is created when it is first used."""
        if self._np_random is None:
            self._np_random, _ = seeding.np_random()  # not seed(), which would also seed the parts of a composite space
        return self._np_random

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of the elements, or None if elements are not arrays."""
        return self._shape

    @property
    def is_np_flattenable(self) -> bool:
        """Whether all elements can be flattened to vectors of the same length."""
        return self.layout() is not None

    def sample(self, mask: Any = None, probability: Any = None) -> T_co:
        """Return a random element. Some spaces also support masks and probabilities.

        Args:
            mask: the values that may be sampled. The structure of the mask depends on the space. For example, it is an
                int8 array of shape (n,) for `Discrete(n)`.
            probability: the probabilities of the values, in the same structure as a mask, but with dtype float64. A
                mask and probabilities cannot be combined.

        Returns:
            An element that shares no memory with the space. The element depends only on the seed and the number of
            earlier calls.

        Raises:
            ValueError: if a mask or a probability is given, but the space does not support it.
        """
        if mask is not None or probability is not None:
            raise ValueError(f"{self} does not support sampling with a mask or probabilities")
        return self.draw()

    def draw(self) -> T_co:
        """Return a random element. `sample` calls this method. To support masks, override `sample` instead."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """Return a batch of n random elements. The batch is an element of `batch_space(self, n)`.

        Args:
            n: the number of elements, which may be 0.
        """
        return ops.batch(self, [self.sample() for _ in range(self._count(n))])

    @staticmethod
    def _count(n: Any) -> int:
        if not hasattr(n, "__index__") or n < 0:
            raise ValueError(f"Expected the number of elements to be an integer >= 0, got {n!r}")
        return operator.index(n)

    def seed(self, seed: Any = None) -> Any:
        """Seed the random number generator, and return a seed with which the same state can be restored.

        Args:
            seed: a Python or NumPy integer >= 0, or None to take a seed from system entropy.
        """
        self._np_random, used = seeding.np_random(seed)
        return used

    def contains(self, x: Any) -> bool:
        """Return whether an object is an element of the space.

        Args:
            x: any object. This method never raises an error, whatever the object is.
        """
        raise NotImplementedError

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)

    def to_jsonable(self, sample_n: Sequence[Any]) -> Any:
        """Convert elements to values that `json.dumps` accepts, such as lists and Python numbers instead of arrays.

        Args:
            sample_n: elements of this space.
        """
        return [x.tolist() if isinstance(x, np.ndarray | np.generic) else x for x in sample_n]

    def from_jsonable(self, sample_n: Any) -> Any:
        """Convert the result of `to_jsonable` back to elements.

        Args:
            sample_n: the result of `to_jsonable`, possibly after `json.dumps` and `json.loads`.
        """
        dtype, layout = self.dtype, self.layout()
        if dtype is None and layout and type(self).decode is Space.decode:
            dtype = layout[0].dtype
        as_it_is = dtype is None or np.dtype(dtype).kind not in "biuf"
        return sample_n if as_it_is else [np.array(x, dtype)[()] for x in sample_n]

    def layout(self) -> Layout | None:
        """Describe the arrays in which an element can be stored, or return None if elements have no fixed size."""
        return None

    def encode(self, x: Any, out: Sequence[NDArray[Any]]) -> None:
        """Store an element in arrays. The default implementation requires that the element is a single array or number.

        Args:
            x: an element of this space.
            out: the arrays to write to, with the dtypes and shapes that `layout()` describes.
        """
        out[0][...] = x

    def decode(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Create an element from the arrays in which it was stored. The element shares no memory with the arrays.

        Args:
            arrays: the arrays, with the dtypes and shapes that `layout()` describes.
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
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls()

    def parts(self) -> Sequence[tuple[Any, Any]]:
        """Return the inner spaces of a composite space, each with its key or name."""
        return ()

    def to_spec(self) -> dict[str, Any]:
        """Return values that describe this space, from which `from_spec` can create the space again.

        A value can be a string, a finite number, None, a space, or a list of such values.
        """
        raise TypeError(f"{type(self).__qualname__} cannot be described; define to_spec() and, if needed, from_spec()")

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Space[Any]:
        """Create a space from the result of `to_spec`. By default, the values are passed to the constructor.

        Args:
            spec: the values, keyed by name. Their types have already been checked against `spec_fields`.
        """
        return cls(**spec)

    @classmethod
    def spec_size(cls, spec: dict[str, Any]) -> int:  # noqa: ARG003 - subclasses use the argument
        """Return the number of values that a space created from `spec` must store in addition to the values in `spec`.

        The result is used to reject descriptions of spaces that would need too much memory.

        Args:
            spec: the values that `to_spec` returned, keyed by name.
        """
        return 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Copy the space. To save time, immutable values are shared, and only the state of the generator is copied."""
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
        for name in ("shape", "np_random"):  # the names of these attributes in pickles from gym before 0.18
            if name in old:
                old[f"_{name}"] = old.pop(name)
        self._drop_facts()  # also before the update, because other spaces' plans may contain this space's plan
        self.__dict__.update(old)
        self._drop_facts()
