"""Functions that convert spaces and their elements between the two libraries. Third parties can register conversions.

A converted space has the same elements as the original, except for graphs. The state of the space's random number
generator is copied, so both spaces produce the same samples. The module `environments` adds conversions for
environments.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import singledispatch
from typing import Any

import gymnasium.spaces as theirs

import gymkernel.spaces as ours
from gymkernel_bridge_gymnasium.dual import as_dual
from gymkernel_bridge_gymnasium.parts import is_converted
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete
from gymkernel_space_graph import Graph, GraphInstance
from gymkernel_space_multi_binary import MultiBinary
from gymkernel_space_multi_discrete import MultiDiscrete
from gymkernel_space_one_of import OneOf
from gymkernel_space_sequence import Sequence
from gymkernel_space_text import Text
from gymkernel_space_tuple import Tuple
from gymkernel_util_compatibility.other_apis import explain_space

__all__ = ["element_converter", "from_gymnasium", "to_gymnasium", "unknown"]


@singledispatch
def to_gymnasium(thing: Any) -> Any:
    """Convert a space, an environment or a vector environment to one of Gymnasium's own classes.

    If both libraries are imported, gymkernel's objects are already instances of Gymnasium's classes. A conversion is
    only needed if Gymnasium's own classes are required, for example to unpickle an object where gymkernel is not
    installed. An instance of one of Gymnasium's own classes is returned unchanged.

    Args:
        thing: a space, an environment or a vector environment from gymkernel or Gymnasium, or an instance of another
            class for which a conversion is registered.

    Raises:
        TypeError: if no conversion is registered for the class. The message shows how to register a conversion.

    >>> to_gymnasium(Box(0, 1, (2,)))
    Box(0.0, 1.0, (2,), float32)
    >>> import gymkernel
    >>> from gymkernel_bridge_gymnasium import to_gymnasium  # this import also supports environments
    >>> to_gymnasium(gymkernel.make("gymnasium/Pendulum-v1")).action_space
    Box(-2.0, 2.0, (1,), float32)
    """
    if isinstance(thing, theirs.Space):
        return thing
    raise TypeError(unknown(thing, "to_gymnasium"))


@singledispatch
def from_gymnasium(thing: Any) -> Any:
    """Convert a space, an environment or a vector environment to one of gymkernel's classes.

    A gymkernel object is returned unchanged, unless it is a space that contains Gymnasium spaces. A space of a
    third-party class keeps its methods and additionally becomes an instance of gymkernel's class.

    Args:
        thing: a space, an environment or a vector environment from Gymnasium or gymkernel, or an instance of another
            class for which a conversion is registered.

    Raises:
        TypeError: if no conversion is registered for the class. The message shows how to register a conversion.

    >>> from_gymnasium(theirs.Discrete(3, start=1))
    Discrete(3, start=1)
    >>> import gymnasium
    >>> from gymkernel_bridge_gymnasium import from_gymnasium  # this import also supports environments
    >>> from_gymnasium(gymnasium.make("Pendulum-v1")).spec.id
    'gymnasium/Pendulum-v1'
    """
    if isinstance(thing, ours.Space):
        return thing
    raise TypeError(unknown(thing, "from_gymnasium"))


def unknown(thing: Any, function: str) -> str:
    """Return the error message for an object that cannot be converted.

    Args:
        thing: the object that cannot be converted.
        function: the conversion that was called: "to_gymnasium" or "from_gymnasium".
    """
    library = "Gymnasium" if function == "to_gymnasium" else "gymkernel"
    if isinstance(thing, type):
        return f"Expected a space or an environment, got the class {thing.__qualname__}; create an instance"
    if not (hasattr(thing, "sample") and hasattr(thing, "contains")):
        return f"Expected a space or an environment, got {thing!r} ({type(thing).__qualname__})"
    cls = type(thing)
    explained = explain_space(thing)
    return (
        f"No conversion to a space of {library} is known for {cls.__module__}.{cls.__qualname__}; "
        + (f"{explained}; or " if explained else "")
        + f"register a conversion with @gymkernel_bridge_gymnasium.{function}.register({cls.__qualname__})"
    )


def _pair(mine: type, foreign: type, rebuild: Callable[[Any, Any, Callable[[Any], Any]], Any]) -> None:
    """Register a conversion in both directions. `rebuild(space, library, convert)` creates the space for a library."""

    def outward(space: Any) -> Any:
        return _with_generator(rebuild(space, theirs, to_gymnasium), space)

    def inward(space: Any) -> Any:
        if isinstance(space, ours.Space) and (type(space) is not mine or is_converted(space)):
            return space
        if type(space) not in (foreign, mine):  # a third-party subclass must keep its own methods
            return as_dual(space, mine, from_gymnasium)
        return _with_generator(rebuild(space, ours, from_gymnasium), space)

    to_gymnasium.register(mine, outward)
    from_gymnasium.register(foreign, inward)


def _with_generator(new: Any, source: Any) -> Any:
    new._np_random = deepcopy(source._np_random)  # noqa: SLF001 - both libraries use this name
    return new


def _box(space: Any, library: Any, convert: Any) -> Any:
    """Convert a Box, and keep the information about which integers are unbounded."""
    low, high = space.low, space.high
    if low.dtype.kind == "i" and not (space.bounded_below.all() and space.bounded_above.all()):
        box = library.Box(low.copy(), high.copy(), dtype=space.dtype)
        box.bounded_below, box.bounded_above = space.bounded_below.copy(), space.bounded_above.copy()
        return box
    return library.Box(low.copy(), high.copy(), dtype=space.dtype)


def _dict(space: Any, library: Any, convert: Any) -> Any:
    """Convert a Dict, and keep the order of its keys, which determines the order of flattened elements."""
    new = library.Dict([(key, convert(part)) for key, part in space.spaces.items()])
    new.sort_keys = getattr(space, "sort_keys", True)  # older versions of Gymnasium always sort the keys
    return new


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


@from_gymnasium.register(theirs.Space)
def _custom_from_gymnasium(space: Any) -> Any:
    """Convert a space of a third-party class that derives directly from `Space`."""
    return space if isinstance(space, ours.Space) else as_dual(space, ours.Space, from_gymnasium)


@to_gymnasium.register(GraphInstance)
def _graph_to_gymnasium(graph: Any) -> Any:
    """Convert a graph to an instance of Gymnasium's own graph class."""
    return theirs.GraphInstance(*graph)


@from_gymnasium.register(theirs.GraphInstance)
def _graph_from_gymnasium(graph: Any) -> Any:
    return GraphInstance(*graph)


def element_converter(space: Any, convert: Callable[[Any], Any]) -> Callable[[Any], Any] | None:
    """Return a function that converts elements of a space, which is only necessary for graphs.

    Args:
        space: a space from either library.
        convert: the function that converts the space: `to_gymnasium` or `from_gymnasium`.

    Returns:
        The function, or None if the elements need no conversion.

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
