"""Spaces of the one library as spaces of the other: open tables, to which third parties register their own.

Elements stay as they are, and so does the state of every generator: equal draws follow on both sides.
"""

from __future__ import annotations

from copy import deepcopy
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import gymnasium.spaces as theirs

import gymkernel.spaces as ours
from gymkernel.spaces import Box, Dict, Discrete, Graph, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["from_gymnasium", "to_gymnasium"]


@singledispatch
def to_gymnasium(space: Any) -> Any:
    """The space of Gymnasium's with the same elements; one that is Gymnasium's already is returned as it is.

    Raises:
        TypeError: no conversion is registered for the class; the message has the line that registers one.

    >>> to_gymnasium(Box(0, 1, (2,)))
    Box(0.0, 1.0, (2,), float32)
    """
    if isinstance(space, theirs.Space):
        return space
    message = (
        f"No space of Gymnasium's is known for {type(space).__qualname__}; register a function that makes one with "
        f"@gymkernel_bridge_gymnasium.to_gymnasium.register({type(space).__qualname__})"
    )
    raise TypeError(message)


@singledispatch
def from_gymnasium(space: Any) -> Any:
    """The space of gymkernel's with the same elements; one that is gymkernel's already is returned as it is.

    Conversion is for those who want it: gymkernel works on Gymnasium's spaces as they are.

    Raises:
        TypeError: no conversion is registered for the class; the message has the line that registers one.

    >>> from_gymnasium(theirs.Discrete(3, start=1))
    Discrete(3, start=1)
    """
    if isinstance(space, ours.Space):
        return space
    message = (
        f"No space of gymkernel's is known for {type(space).__qualname__}; register a function that makes one with "
        f"@gymkernel_bridge_gymnasium.from_gymnasium.register({type(space).__qualname__})"
    )
    raise TypeError(message)


def _pair(mine: type, foreign: type, rebuild: Callable[[Any, Any, Callable[[Any], Any]], Any]) -> None:
    """Register both directions: `rebuild(space, library, convert)` makes the space of the class in a library."""

    def outward(space: Any) -> Any:
        return _with_generator(rebuild(space, theirs, to_gymnasium), space)

    def inward(space: Any) -> Any:
        return _with_generator(rebuild(space, ours, from_gymnasium), space)

    to_gymnasium.register(mine, outward)
    from_gymnasium.register(foreign, inward)


def _with_generator(made: Any, source: Any) -> Any:
    made._np_random = deepcopy(source._np_random)  # noqa: SLF001 - both libraries keep it under this name
    return made


def _box(space: Any, library: Any, convert: Any) -> Any:
    """With infinities where integers are marked as unbounded."""
    low, high = space.low, space.high
    if low.dtype.kind == "i" and not (space.bounded_below.all() and space.bounded_above.all()):
        made = library.Box(low.copy(), high.copy(), dtype=space.dtype)
        made.bounded_below, made.bounded_above = space.bounded_below.copy(), space.bounded_above.copy()
        return made
    return library.Box(low.copy(), high.copy(), dtype=space.dtype)


def _dict(space: Any, library: Any, convert: Any) -> Any:
    """In the order of the keys, on which flattening depends."""
    return library.Dict([(key, convert(part)) for key, part in space.spaces.items()])


_pair(Box, theirs.Box, _box)
_pair(Discrete, theirs.Discrete, lambda s, lib, _: lib.Discrete(int(s.n), start=int(s.start), dtype=s.dtype))
_pair(MultiDiscrete, theirs.MultiDiscrete, lambda s, lib, _: lib.MultiDiscrete(s.nvec, s.dtype, start=s.start))
_pair(
    MultiBinary, theirs.MultiBinary, lambda s, lib, _: lib.MultiBinary(s.n if isinstance(s.n, int) else list(s.shape))
)
_pair(
    Text,
    theirs.Text,
    lambda s, lib, _: lib.Text(s.max_length, min_length=s.min_length, charset="".join(s.character_list)),
)
_pair(Tuple, theirs.Tuple, lambda s, lib, convert: lib.Tuple([convert(part) for part in s.spaces]))
_pair(Dict, theirs.Dict, _dict)
_pair(OneOf, theirs.OneOf, lambda s, lib, convert: lib.OneOf([convert(part) for part in s.spaces]))
_pair(Sequence, theirs.Sequence, lambda s, lib, convert: lib.Sequence(convert(s.feature_space), stack=s.stack))
_pair(
    Graph,
    theirs.Graph,
    lambda s, lib, convert: lib.Graph(convert(s.node_space), None if s.edge_space is None else convert(s.edge_space)),
)
