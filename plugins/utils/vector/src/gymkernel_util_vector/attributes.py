"""Look up attributes of environments through their wrappers."""

from __future__ import annotations

import operator
from typing import Any

__all__ = ["get_attribute"]


def get_attribute(env: Any, name: str) -> Any:
    """Return the attribute that the outermost wrapper, or the environment, has under a name.

    Args:
        env: has `get_wrapper_attr`.
        name: of the attribute; what follows a dot is an attribute of what comes before the dot.

    Raises:
        AttributeError: neither a wrapper nor the environment has the attribute.

    >>> from gymkernel import Env
    >>> get_attribute(Env(), "reset.__name__")
    'reset'
    """
    first, _, rest = name.partition(".")
    found = env.get_wrapper_attr(first)
    return operator.attrgetter(rest)(found) if rest else found
