"""The function `space_from_gym`, which converts spaces from gym, and from libraries that imitate gym's spaces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from gymkernel.space import Space
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete
from gymkernel_space_graph import Graph
from gymkernel_space_multi_binary import MultiBinary
from gymkernel_space_multi_discrete import MultiDiscrete
from gymkernel_space_sequence import Sequence as SequenceSpace
from gymkernel_space_text import Text
from gymkernel_space_tuple import Tuple

__all__ = ["ForeignSpace", "is_space", "space_from_gym"]


class ForeignSpace(Space[Any]):
    """A space that calls the `sample` and `contains` methods of another library's space.

    Args:
        space: an object with the methods `sample` and `contains`, such as an instance of a user's own subclass of
            `gym.Space`.
    """

    def __init__(self, space: Any) -> None:
        super().__init__(getattr(space, "shape", None), getattr(space, "dtype", None))
        self.space = space

    def seed(self, seed: Any = None) -> Any:
        """Seed the other library's space."""
        return self.space.seed(seed) if hasattr(self.space, "seed") else super().seed(seed)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a random element of the other library's space. `mask` and `probability` are ignored."""
        return self.space.sample()

    def contains(self, x: Any) -> bool:
        """Return whether the other library's space contains an object."""
        return bool(self.space.contains(x))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ForeignSpace) and bool(self.space == other.space)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ForeignSpace({self.space!r})"


def is_space(thing: Any) -> bool:
    """Return whether an object has the attributes of a space, so that `space_from_gym` can convert it.

    Args:
        thing: an object of any class.

    >>> is_space(Discrete(2)), is_space("Discrete")
    (True, False)
    """
    kinds = ("n",), ("nvec",), ("low", "high"), ("spaces",), ("sample", "contains")
    return not isinstance(thing, type) and any(all(hasattr(thing, name) for name in names) for names in kinds)


def space_from_gym(space: Any) -> Any:
    """Convert a space from gym, or from a library that imitates gym, to the corresponding gymkernel space.

    The type of a space is recognised by its attributes, so any version of gym works, and gym need not be installed. For
    example, crafter uses named tuples as spaces if gym is not installed. An object that has only the methods `sample`
    and `contains` is converted to a `ForeignSpace`.

    The state of the random number generator is copied, except in gym before version 0.22, which does not use NumPy's
    `Generator`.

    Args:
        space: a space from gym or another library. A gymkernel space is returned unchanged.

    Raises:
        TypeError: if the object has neither the attributes of a known space nor the methods `sample` and `contains`.

    >>> from collections import namedtuple
    >>> space_from_gym(namedtuple("DiscreteSpace", "n")(3))
    Discrete(3)
    """
    if isinstance(space, Space):
        return space
    if not is_space(space):
        raise TypeError(f"Expected a space of gym, or an object with similar attributes, got {space!r}")
    new = _of_known_kind(space)
    if new is None:
        return ForeignSpace(space)
    generator = getattr(space, "_np_random", None)
    if isinstance(generator, np.random.Generator):
        new._np_random = deepcopy(generator)  # noqa: SLF001 - gym and gymkernel use this name
    return new


def _of_known_kind(space: Any) -> Any:
    """Convert a space according to its attributes. Return None if it has none of the attributes in `_CONVERSIONS`."""
    attribute = next((name for name in _CONVERSIONS if hasattr(space, name)), None)
    return None if attribute is None else _CONVERSIONS[attribute](space)


def _box(space: Any) -> Box:
    """Convert a space with the attributes `low` and `high`, which may be single numbers if it also has a `shape`."""
    low, high = np.asarray(space.low), np.asarray(space.high)
    shape = getattr(space, "shape", None)
    dtype = _dtype(space, np.float32)
    shape = np.broadcast_shapes(low.shape, high.shape) if shape is None else tuple(shape)
    return Box(np.broadcast_to(low, shape).astype(dtype), np.broadcast_to(high, shape).astype(dtype), dtype=dtype)


def _finite(space: Any) -> Any:
    """Convert a Discrete space with `n` elements, or a MultiBinary space with `n` bits."""
    if any(base.__name__ == "MultiBinary" for base in type(space).__mro__):
        return MultiBinary(list(space.shape) if len(space.shape) > 1 else int(space.shape[0]))
    return Discrete(int(space.n), start=int(getattr(space, "start", 0)))


def _graph(space: Any) -> Graph:
    edges = space.edge_space
    return Graph(space_from_gym(space.node_space), None if edges is None else space_from_gym(edges))


def _text(space: Any) -> Text:
    return Text(space.max_length, min_length=space.min_length, charset="".join(space.character_list))


def _nested(space: Any) -> Any:
    parts = space.spaces
    if isinstance(parts, Mapping):
        return Dict([(key, space_from_gym(part)) for key, part in parts.items()])
    if isinstance(parts, Sequence):
        return Tuple([space_from_gym(part) for part in parts])
    raise TypeError(f"Expected the attribute spaces to be a dictionary, list or tuple, got {parts!r}")


def _dtype(space: Any, default: Any) -> Any:
    dtype = getattr(space, "dtype", None)
    return np.dtype(default if dtype is None else dtype).type


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "nvec": lambda space: MultiDiscrete(np.array(space.nvec), dtype=_dtype(space, np.int64)),
    "low": _box,
    "spaces": _nested,
    "feature_space": lambda space: SequenceSpace(space_from_gym(space.feature_space)),
    "node_space": _graph,
    "character_list": _text,
    "n": _finite,
}
"""The functions that convert spaces. Each key is the attribute by which a type of space is recognised."""
