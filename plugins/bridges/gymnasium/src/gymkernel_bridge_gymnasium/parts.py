"""Functions that check whether Gymnasium's classes or spaces belong to gymkernel. This module imports no spaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymkernel.env import Env
from gymkernel.space import Space

__all__ = ["is_alias", "is_converted"]

INSIDE = ("feature_space", "node_space", "edge_space")


def is_converted(space: Any) -> bool:
    """Return whether a space and all of its inner spaces are instances of gymkernel's classes.

    Args:
        space: a space from either library.

    >>> import gymnasium
    >>> from gymkernel.spaces import Discrete, Tuple
    >>> is_converted(Discrete(2)), is_converted(Tuple([Discrete(2), gymnasium.spaces.Discrete(2)]))
    (True, False)
    """
    if not isinstance(space, Space):
        return False
    spaces: Any = getattr(space, "spaces", ())
    parts = list(spaces.values() if isinstance(spaces, Mapping) else spaces)
    parts += [getattr(space, name, None) for name in INSIDE]
    return all(is_converted(part) for part in parts if part is not None)


def is_alias() -> bool:
    """Return whether `import gymnasium` imports gymkernel, as under `gymkernel run`, so that there is nothing to join.

    >>> is_alias()
    False
    """
    import gymnasium  # at the top, this import would load `companion`, which needs this module

    theirs: Any = gymnasium.Env
    return theirs is Env
