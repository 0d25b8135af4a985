"""Functions that convert elements of spaces between the libraries, which is only necessary for graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium.spaces as theirs

from gymkernel_space_dict import Dict
from gymkernel_space_graph import Graph
from gymkernel_space_one_of import OneOf
from gymkernel_space_sequence import Sequence
from gymkernel_space_tuple import Tuple

__all__ = ["element_converter"]


def element_converter(space: Any, convert: Callable[[Any], Any]) -> Callable[[Any], Any] | None:
    """Return a function that converts elements of a space to elements of the converted space.

    Args:
        space: a space from either library.
        convert: the function that converts the space: `to_gymnasium` or `from_gymnasium`.

    Returns:
        The function, or None if the elements need no conversion.

    >>> from gymkernel.spaces import Box, Graph, Tuple
    >>> from gymkernel_bridge_gymnasium import to_gymnasium
    >>> element_converter(Tuple([Box(0, 1), Box(0, 1)]), to_gymnasium) is None
    True
    >>> graphs = Tuple([Graph(Box(0, 1), None), Box(0, 1)], seed=1)
    >>> element_converter(graphs, to_gymnasium)(graphs.sample()) in to_gymnasium(graphs)
    True
    """
    if isinstance(space, Graph | theirs.Graph):
        return convert
    if isinstance(space, Sequence | theirs.Sequence):
        inner = None if space.stack else element_converter(space.feature_space, convert)
        return None if inner is None else lambda x: tuple(map(inner, x))
    if isinstance(space, Tuple | OneOf | Dict | theirs.Tuple | theirs.OneOf | theirs.Dict):
        return _of_parts(space, convert)
    return None


def _of_parts(space: Any, convert: Callable[[Any], Any]) -> Callable[[Any], Any] | None:
    named = isinstance(space.spaces, dict)
    pairs = space.spaces.items() if named else enumerate(space.spaces)
    parts = {key: element_converter(part, convert) or _same for key, part in pairs}
    if all(part is _same for part in parts.values()):
        return None
    if named:
        return lambda x: {key: part(x[key]) for key, part in parts.items()}
    if isinstance(space, OneOf | theirs.OneOf):
        return lambda x: (x[0], parts[int(x[0])](x[1]))
    return lambda x: tuple(part(x[i]) for i, part in parts.items())


def _same(element: Any) -> Any:
    return element
