"""Look up attributes of environments through their wrappers."""

from __future__ import annotations

import operator
from typing import Any

__all__ = ["get_attribute"]


def get_attribute(env: Any, name: str) -> Any:
    """Return an attribute of the outermost wrapper that has the attribute, or of the environment.

    Args:
        env: an environment with `get_wrapper_attr`.
        name: the name of the attribute; each part after a dot is an attribute of the value before the dot.

    Raises:
        AttributeError: neither a wrapper nor the environment has the attribute.

    >>> from gymkernel import Env
    >>> get_attribute(Env(), "reset.__name__")
    'reset'
    """
    first, _, rest = name.partition(".")
    value = env.get_wrapper_attr(first)
    return operator.attrgetter(rest)(value) if rest else value
