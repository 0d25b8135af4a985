"""Looking at environments, and at where they come from, without calling them."""

from __future__ import annotations

import inspect
from typing import Any

__all__ = ["innermost", "source_of", "takes"]


def innermost(env: Any) -> Any:
    """The environment inside of all wrappers, and of adapters, which name their attribute that has it as `_inside`."""
    inner = getattr(env, "unwrapped", env)
    name = getattr(type(inner), "_inside", None)
    return innermost(getattr(inner, name)) if isinstance(name, str) and hasattr(inner, name) else inner


def takes(env: Any, name: str) -> bool:
    """Whether `reset` takes an argument of this name; True where that cannot be known."""
    try:
        parameters = inspect.signature(env.reset).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


def source_of(thing: Any) -> tuple[str, int] | None:
    """File and line of a class or function, None where its source is unknown."""
    try:
        thing = inspect.unwrap(thing)
        file = inspect.getsourcefile(thing)
        return None if file is None else (file, inspect.getsourcelines(thing)[1])
    except (TypeError, OSError, ValueError):
        return None
