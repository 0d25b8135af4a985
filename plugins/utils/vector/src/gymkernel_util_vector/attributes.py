"""The function `get_attribute`, which looks up an attribute of an environment through its wrappers."""

from __future__ import annotations

import operator
from typing import Any

__all__ = ["get_attribute"]


def get_attribute(env: Any, name: str) -> Any:
    """Return an attribute of the outermost wrapper that has it, or of the environment itself.

    Args:
        env: an environment that has the method `get_wrapper_attr`.
        name: the name of the attribute, or a dotted path such as "np_random.random".

    Raises:
        AttributeError: if neither a wrapper nor the environment has the attribute.

    >>> from gymkernel import Env
    >>> get_attribute(Env(), "reset.__name__")
    'reset'
    """
    first, _, rest = name.partition(".")
    value = env.get_wrapper_attr(first)
    return operator.attrgetter(rest)(value) if rest else value
