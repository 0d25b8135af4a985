"""The function `plan_of`, which returns a description of how the elements of a space are stored in arrays.

Each space caches its plan. The plan is used for flattening (`codec`), for the layout, and for batches and buffers
(`batch`). Each of these parts is computed when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel.space import Layout, Space
from gymkernel_util_spaces.batches import BatchPlan
from gymkernel_util_spaces.changes import silent_parts, spaces_inside
from gymkernel_util_spaces.vectors import Array, Codec, of_layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ArrayPlan", "flatten", "plan_of", "register", "unflatten"]

ARRAY = np.ndarray
_makers: dict[type, Callable[[Any], Codec | None]] = {}
_VECTORS = (ops.flatdim, ops.flatten, ops.unflatten)


class ArrayPlan:
    """A description of how the elements of a space are stored in arrays.

    A plan is valid only as long as the space does not change. After a change, `plan_of` creates a new plan. When an
    attribute of a space changes, the space reports the change by increasing `ops.version`. Lists and plain dicts of
    spaces, and spaces from other libraries, do not report changes, so they are compared with their earlier state before
    each use. Copies and pickles of a space do not contain the plan.

    Args:
        space: a space from any library.

    >>> from gymkernel.space import Field
    >>> class Angle(Space):
    ...     def layout(self):
    ...         return (Field.of(float, (1,)),)
    >>> plan_of(Angle()).codec.flatten(np.array([0.5]))
    array([0.5])
    """

    def __init__(self, space: Any) -> None:
        self.space, self.version, self.made = space, ops.version, ops.version
        if isinstance(space, Space):
            # The attribute is set first, because an inner space may refer back to this space.
            object.__setattr__(space, "_array_plan", self)
        # If the class is known, `parts()` contains all inner spaces.
        known = any(base in _makers for base in type(space).__mro__)
        self.inside = [plan_of(part) for part in spaces_inside(space, also_attributes=not known)]
        silent = [is_unchanged for part in self.inside for is_unchanged in part.silent]
        self.silent: list[Callable[[], bool]] = [*silent_parts(space), *silent]
        if self.silent:
            # With this version, `is_current` is called before each use of the plan.
            self.version = -1
        self._batches: dict[tuple[bool, bool], BatchPlan] = {}
        self._bound: dict[Any, list[tuple[Any, Any, Any]]] = {}

    def is_current(self) -> bool:
        """Return whether the plan is still valid. It becomes invalid as soon as the space changes."""
        return self.made == ops.version and all(is_unchanged() for is_unchanged in self.silent)

    def notice_changes(self) -> None:
        """Invalidate the plan if an array of the space or of an inner space has been modified in place."""
        for part in self.inside:
            part.notice_changes()
        if isinstance(self.space, Space):
            self.space._notice_changes()  # noqa: SLF001 - every `Space` has this method

    def __reduce__(self) -> Any:
        return type(None), ()

    @cached_property
    def codec(self) -> Codec | None:
        """The codec that converts elements to vectors and back, or None if the length of the vectors varies."""
        cls = type(self.space)
        owner = next((base for base in cls.__mro__ if base in _makers), None)
        if owner is not None and all(operation.dispatch(cls) is operation.dispatch(owner) for operation in _VECTORS):
            return _makers[owner](self.space)
        if any(ops.is_registered(operation, cls) for operation in _VECTORS):
            return _operations_codec(self.space) if getattr(self.space, "is_np_flattenable", False) else None
        return self.by_layout

    @cached_property
    def by_layout(self) -> Codec | None:
        """The codec that is derived only from the layout, or None if the space has no layout."""
        fields = ops.layout(self.space)
        return None if fields is None else of_layout(self.space, fields)

    @cached_property
    def flatten(self) -> Callable[[Any], NDArray[Any]]:
        """A function that flattens an element. It is the default for `ops.flatten`."""
        return (self.by_layout or of_layout(self.space, ops.require_layout(self.space, "flatten"))).flatten

    @cached_property
    def unflatten(self) -> Callable[[Any], Any]:
        """A function that converts a vector to an element in new memory. It is the default for `ops.unflatten`."""
        whole = self.by_layout or of_layout(self.space, ops.require_layout(self.space, "unflatten"))
        size, read, array = whole.size, whole.reader(0), np.array

        def unflatten(x: Any) -> Any:
            if len(x) != size:
                message = f"unflatten expects a vector of length {size} for {self.space}, got length {len(x)}"
                raise ValueError(message)
            return read(array(x))

        if not isinstance(whole.form, Array):
            return unflatten
        shape, dtype, line, flat = whole.form.shape, whole.dtype, len(whole.form.shape) == 1, (size,)

        def unflatten_array(x: Any) -> Any:
            if x.__class__ is not ARRAY or x.shape != flat:
                return unflatten(x)
            return x.astype(dtype) if line else x.astype(dtype).reshape(shape)

        return unflatten_array

    def batch(self, *, shared: bool = True, encode: bool = True) -> BatchPlan:
        """Return a description of a batch of elements.

        Args:
            shared: whether processes share the arrays. If so, no array may contain objects.
            encode: whether to encode parts that are not arrays but have a layout.
        """
        key = shared, encode
        if key not in self._batches:
            self._batches[key] = BatchPlan.of(self.space, shared=shared, encode=encode)
        return self._batches[key]

    # The following members can be used only for spaces whose elements are dicts or tuples.

    @cached_property
    def parts(self) -> list[tuple[Any, ArrayPlan]]:
        """The plan of each inner space, with the key or index of the inner space."""
        inner = self.space.spaces
        return [(key, plan_of(part)) for key, part in (inner.items() if self.named else enumerate(inner))]

    @cached_property
    def named(self) -> bool:
        """Whether the elements are dicts rather than tuples."""
        return isinstance(self.space.spaces, Mapping)

    def expect_whole(self, x: Any) -> None:
        """Raise an error if a tuple has the wrong number of parts. Dicts are not checked here.

        Args:
            x: a dict or tuple that should be an element of the space.

        Raises:
            ValueError: if a tuple has the wrong number of parts.
        """
        if not self.named and len(x) != len(self.parts):
            raise ValueError(f"Expected an element with {len(self.parts)} parts, got {len(x)} parts")

    @cached_property
    def is_batch(self) -> bool:
        """Whether every inner space is a batch space."""
        spaces = [part.space for _, part in self.parts]
        return bool(spaces) and all(ops.is_registered(ops.iterate, type(space)) for space in spaces)

    def nested(self, values: Iterable[Any]) -> Any:
        """Arrange values in a dict or tuple, as in an element of the space.

        Args:
            values: one value for each inner space, in the order of `parts`.
        """
        return {key: value for (key, _), value in zip(self.parts, values, strict=True)} if self.named else tuple(values)

    def bound(self, operation: Any) -> list[tuple[Any, Any, Any]]:
        """Return a tuple (key, function, space) for each inner space. The function performs the operation.

        Args:
            operation: an operation of `gymkernel.ops`.
        """
        if operation not in self._bound:
            self._bound[operation] = [
                (key, operation.dispatch(type(part.space)), part.space) for key, part in self.parts
            ]
        return self._bound[operation]

    @cached_property
    def _layouts(self) -> list[tuple[Any, Any, Layout | None]]:
        """The keys, spaces and layouts of the parts, sorted by key, so that equal spaces have the same layout."""
        parts = [(key, part.space, ops.layout(part.space)) for key, part in self.parts]
        return sorted(parts, key=lambda part: (type(part[0]).__name__, repr(part[0]))) if self.named else parts

    @cached_property
    def _slices(self) -> list[tuple[Any, Any, slice]]:
        ends = list(accumulate((len(fields or ()) for *_, fields in self._layouts), initial=0))
        return [(key, space, slice(*ends[i : i + 2])) for i, (key, space, _) in enumerate(self._layouts)]

    @cached_property
    def fields(self) -> Layout | None:
        """The combined layout of all parts, or None if a part has no layout."""
        layouts = [fields for *_, fields in self._layouts]
        return None if None in layouts else tuple(field for fields in layouts for field in fields or ())

    def encode(self, x: Any, out: Sequence[NDArray[Any]]) -> None:
        """Write an element into arrays, as described by the layout.

        Args:
            x: an element of the space.
            out: the arrays to write to, one for each field of the layout.
        """
        self.expect_whole(x)
        for key, space, place in self._slices:
            space.encode(x[key], out[place])

    def decode(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Create an element from the arrays that `encode` has filled.

        Args:
            arrays: one array for each field of the layout.
        """
        decoded = {key: space.decode(arrays[place]) for key, space, place in self._slices}
        return self.nested([decoded[key] for key, _ in self.parts])


def plan_of(space: Any) -> ArrayPlan:
    """Return the plan of a space.

    A gymkernel space caches its plan. For a space from another library, every call creates a new plan.

    Args:
        space: a space from any library.
    """
    plan: ArrayPlan | None = getattr(space, "_array_plan", None)
    if plan is None or (plan.version != ops.version and not plan.is_current()):
        plan = ArrayPlan(space)
    return plan


def flatten(space: Any, x: Any) -> Any:
    """Flatten an element as described by the layout. This is the default for `gymkernel.ops.flatten`.

    Args:
        space: a space that has a layout. It may come from any library.
        x: an element of the space.
    """
    plan = getattr(space, "_array_plan", None)
    if plan is None or plan.version != ops.version:
        ops.require_layout(space, "flatten")
        plan = plan_of(space)
    return plan.flatten(x)


def unflatten(space: Any, x: Any) -> Any:
    """Convert a vector to an element as described by the layout. This is the default for `gymkernel.ops.unflatten`.

    Args:
        space: a space that has a layout. It may come from any library.
        x: the vector that `flatten` returned.
    """
    plan = getattr(space, "_array_plan", None)
    if plan is None or plan.version != ops.version:
        ops.require_layout(space, "unflatten")
        plan = plan_of(space)
    return plan.unflatten(x)


def _operations_codec(space: Any) -> Codec:
    """Return a codec that calls the operations that are registered for the space's class."""
    cls = type(space)
    size, dtype = ops.flatdim(space), ops.flatten_space(space).dtype
    flatten, unflatten = ops.flatten.dispatch(cls), ops.unflatten.dispatch(cls)

    def writer(offset: int) -> Callable[[Any, NDArray[Any]], None]:
        place = slice(offset, offset + size)

        def write(x: Any, out: NDArray[Any]) -> None:
            out[place] = flatten(space, x)

        return write

    def reader(offset: int) -> Callable[[NDArray[Any]], Any]:
        place = slice(offset, offset + size)
        return lambda x: unflatten(space, np.asarray(x[place], dtype))

    return Codec(size, dtype, writer, reader)


def register(cls: type) -> Callable[[Callable[[Any], Codec | None]], Callable[[Any], Codec | None]]:
    """Register a function that creates codecs for a space class. The codecs must give the same results as `flatten`."""

    def decorate(maker: Callable[[Any], Codec | None]) -> Callable[[Any], Codec | None]:
        _makers[cls] = maker
        return maker

    return decorate
