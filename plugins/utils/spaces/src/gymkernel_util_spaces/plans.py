"""`plan_of`: how elements of a space stand in arrays, worked out once per space and kept by it.

A plan serves flattening (`codec`), the layout, batches and buffers (`batch`); each is worked out at its first use.
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
from gymkernel_util_spaces.changes import Silent, silent_parts, spaces_inside
from gymkernel_util_spaces.vectors import Array, Codec, of_layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ArrayPlan", "flatten", "plan_of", "register", "unflatten"]

ARRAY = np.ndarray
_makers: dict[type, Callable[[Any], Codec | None]] = {}
_VECTORS = (ops.flatdim, ops.flatten, ops.unflatten)


class ArrayPlan:
    """How elements of a space stand in arrays.

    It belongs to the space as it was when it was made: `plan_of` makes another after a change. A space reports a change
    of an attribute, by which `ops.version` grows. What reports nothing is looked at before each use: a list or a plain
    dict of spaces, and a space of another library. In a copy or a pickle of the space it is None, so that a copy makes
    its own.

    Args:
        space: of any library.

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
            object.__setattr__(
                space, "_array_plan", self
            )  # before its parts are looked at: they may refer to the space
        known = any(base in _makers for base in type(space).__mro__)  # what it has inside, it has as parts
        self.inside = [plan_of(part) for part in spaces_inside(space, also_attributes=not known)]
        self.silent: list[Silent] = [*silent_parts(space), *[one for part in self.inside for one in part.silent]]
        if self.silent:
            self.version = -1  # so that every use asks `is_current`
        self._batches: dict[tuple[bool, bool], BatchPlan] = {}
        self._bound: dict[Any, list[tuple[Any, Any, Any]]] = {}

    def is_current(self) -> bool:
        """Whether the space is as it was when the plan was made, as far as that can be seen from attributes."""
        return self.made == ops.version and all(part.is_unchanged() for part in self.silent)

    def notice_changes(self) -> None:
        """Make the plan stale where an array of the space, or of one inside, has been written to."""
        for part in self.inside:
            part.notice_changes()
        if isinstance(self.space, Space):
            self.space._notice_changes()  # noqa: SLF001 - declared by `Space`

    def __reduce__(self) -> Any:
        return type(None), ()

    @cached_property
    def codec(self) -> Codec | None:
        """How elements become vectors; None where they have no fixed length."""
        cls = type(self.space)
        owner = next((base for base in cls.__mro__ if base in _makers), None)
        if owner is not None and all(one.dispatch(cls) is one.dispatch(owner) for one in _VECTORS):
            return _makers[owner](self.space)
        if any(ops.is_registered(one, cls) for one in _VECTORS):
            return _of_operations(self.space) if getattr(self.space, "is_np_flattenable", False) else None
        return self.by_layout

    @cached_property
    def by_layout(self) -> Codec | None:
        """How elements become vectors where the layout alone says it; None where there is no layout."""
        fields = ops.layout(self.space)
        return None if fields is None else of_layout(self.space, fields)

    @cached_property
    def flatten(self) -> Callable[[Any], NDArray[Any]]:
        """`flatten(x)`: what `ops.flatten` does by default."""
        return (self.by_layout or of_layout(self.space, ops.require_layout(self.space, "flatten"))).flatten

    @cached_property
    def unflatten(self) -> Callable[[Any], Any]:
        """`unflatten(x)`: what `ops.unflatten` does by default; the element has memory of its own."""
        whole = self.by_layout or of_layout(self.space, ops.require_layout(self.space, "unflatten"))
        size, read, array = whole.size, whole.reader(0), np.array

        def unflatten(x: Any) -> Any:
            if len(x) != size:
                message = f"unflatten expects a vector of length {size} for {self.space}, got one of length {len(x)}"
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
        """What a batch of elements consists of; the arguments are those of `BatchPlan.of`.

        Args:
            shared: whether the arrays may be in memory that processes share.
            encode: whether parts without arrays of their own are laid out as their `layout` says.
        """
        key = shared, encode
        if key not in self._batches:
            self._batches[key] = BatchPlan.of(self.space, shared=shared, encode=encode)
        return self._batches[key]

    # What follows is of nests alone: dicts and tuples of other spaces' elements.

    @cached_property
    def parts(self) -> list[tuple[Any, ArrayPlan]]:
        """The plans of the spaces inside, by their keys or indexes, in the order of the elements."""
        inner = self.space.spaces
        return [(key, plan_of(part)) for key, part in (inner.items() if self.named else enumerate(inner))]

    @cached_property
    def named(self) -> bool:
        """Whether elements are dicts."""
        return isinstance(self.space.spaces, Mapping)

    def expect_whole(self, x: Any) -> None:
        """Refuse a tuple with more or fewer parts; a dict that lacks one is refused where that is looked for.

        Args:
            x: an element of a space with parts.

        Raises:
            ValueError: it has another number of parts.
        """
        if not self.named and len(x) != len(self.parts):
            raise ValueError(f"Expected an element with {len(self.parts)} parts, got {len(x)}")

    @cached_property
    def is_batch(self) -> bool:
        """Whether every space inside is the space of a batch."""
        spaces = [part.space for _, part in self.parts]
        return bool(spaces) and all(ops.is_registered(ops.iterate, type(space)) for space in spaces)

    def nested(self, values: Iterable[Any]) -> Any:
        """A dict or tuple with one value for each part.

        Args:
            values: one for each part, in the order of `parts`.
        """
        return {key: value for (key, _), value in zip(self.parts, values, strict=True)} if self.named else tuple(values)

    def bound(self, operation: Any) -> list[tuple[Any, Any, Any]]:
        """For each part its key, what the operation does for its class, and its space.

        Args:
            operation: a table of `gymkernel.ops`.
        """
        if operation not in self._bound:
            self._bound[operation] = [
                (key, operation.dispatch(type(part.space)), part.space) for key, part in self.parts
            ]
        return self._bound[operation]

    @cached_property
    def _placed(self) -> list[tuple[Any, Any, Layout | None]]:
        """Keys, spaces and layouts in the order of the layout: keys sorted, so that what is equal has one layout."""
        parts = [(key, part.space, ops.layout(part.space)) for key, part in self.parts]
        return sorted(parts, key=lambda part: (type(part[0]).__name__, repr(part[0]))) if self.named else parts

    @cached_property
    def _places(self) -> list[tuple[Any, Any, slice]]:
        ends = list(accumulate((len(fields or ()) for *_, fields in self._placed), initial=0))
        return [(key, space, slice(*ends[i : i + 2])) for i, (key, space, _) in enumerate(self._placed)]

    @cached_property
    def fields(self) -> Layout | None:
        """The layouts of all parts, one after another; None where one has none."""
        layouts = [fields for *_, fields in self._placed]
        return None if None in layouts else tuple(field for fields in layouts for field in fields or ())

    def encode(self, x: Any, out: Sequence[NDArray[Any]]) -> None:
        """Write every part of an element into its arrays of the layout.

        Args:
            x: an element of the space.
            out: an array for each field of the layout, which are written to.
        """
        self.expect_whole(x)
        for key, space, place in self._places:
            space.encode(x[key], out[place])

    def decode(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Make an element of the arrays of the layout.

        Args:
            arrays: an array for each field of the layout.
        """
        made = {key: space.decode(arrays[place]) for key, space, place in self._places}
        return self.nested([made[key] for key, _ in self.parts])


def plan_of(space: Any) -> ArrayPlan:
    """The plan of a space, which it keeps; one of another library stays as it is, and has a new plan at every call.

    Args:
        space: a space of any library.
    """
    plan: ArrayPlan | None = getattr(space, "_array_plan", None)
    if plan is None or (plan.version != ops.version and not plan.is_current()):
        plan = ArrayPlan(space)
    return plan


def flatten(space: Any, x: Any) -> Any:
    """Flatten an element as the layout of its space says: the adapter of `gymkernel.ops.flatten`.

    Args:
        space: a space of any library with a layout.
        x: an element.
    """
    plan = getattr(space, "_array_plan", None)
    if plan is None or plan.version != ops.version:
        ops.require_layout(space, "flatten")
        plan = plan_of(space)
    return plan.flatten(x)


def unflatten(space: Any, x: Any) -> Any:
    """Make an element of a vector as the layout of its space says: the adapter of `gymkernel.ops.unflatten`.

    Args:
        space: a space of any library with a layout.
        x: what `flatten` returned.
    """
    plan = getattr(space, "_array_plan", None)
    if plan is None or plan.version != ops.version:
        ops.require_layout(space, "unflatten")
        plan = plan_of(space)
    return plan.unflatten(x)


def _of_operations(space: Any) -> Codec:
    """The codec of a space whose class has operations registered, and no codec that agrees with them."""
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
    """Register the function that makes the codec of a class; it must agree with the `flatten` of that class."""

    def decorate(maker: Callable[[Any], Codec | None]) -> Callable[[Any], Codec | None]:
        _makers[cls] = maker
        return maker

    return decorate
