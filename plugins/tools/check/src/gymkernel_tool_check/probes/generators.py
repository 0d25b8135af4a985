"""Functions that find the random number generators that an environment uses."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.introspect import is_a, package_of, read
from gymkernel_tool_check.probes.shared_data import state_of
from gymkernel_tool_check.probes.trace import is_space

__all__ = ["generators", "states"]

OWN: Final = {"_np_random", "np_random"}
"""The attributes that contain the generator that `super().reset(seed=seed)` seeds."""
FOREIGN: Final = (sys.stdlib_module_names - {"__main__"}) | {"gymkernel", "gymnasium", "numpy", ""}
"""The packages whose classes are not searched. A class whose module is unknown has the package ""."""
DEPTH: Final = 4
MANY: Final = 400
"""The maximum number of objects to search for generators."""


def states(env: Any) -> dict[str, str]:
    """Return the state of each generator, keyed by the expression that leads to it from `env.unwrapped`."""
    return {path: state_of(generator) for path, generator in generators(env).items()}


def generators(env: Any) -> dict[str, Any]:
    """Return the generators in the attributes of an environment, of its class and of the class's module.

    Each key is the expression that leads from `env.unwrapped` to the generator.
    """
    inner = read(env, "unwrapped", env)
    found: dict[str, Any] = {}
    seen: set[int] = set()
    for path, thing in _roots(inner):
        for where, generator in _walk(thing, path, DEPTH, seen):
            if len(seen) > MANY:
                return found
            found.setdefault(where, generator)
    return found


def _roots(env: Any) -> Iterator[tuple[str, Any]]:
    yield from ((f"self.{name}", value) for name, value in _attributes(env) if name not in OWN)
    for cls in type(env).__mro__:
        if package_of(cls) in FOREIGN:
            continue
        for name, value in vars(cls).items():
            if not callable(value) and not isinstance(value, property | classmethod | staticmethod):
                yield f"{cls.__name__}.{name}", value
        module = sys.modules.get(read(cls, "__module__", ""))
        for name, value in list(vars(module).items()) if module is not None else ():
            if _is_generator(value):
                yield f"{cls.__module__}.{name}", value


def _attributes(thing: Any) -> list[tuple[str, Any]]:
    named = dict(read(thing, "__dict__", {}))
    for cls in type(thing).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            value = read(thing, name) if not name.startswith("__") else None
            if value is not None:
                named.setdefault(name, value)
    return list(named.items())


def _walk(thing: Any, path: str, depth: int, seen: set[int]) -> Iterator[tuple[str, Any]]:
    if thing is None or is_a(thing, bool | int | float | str | bytes | np.ndarray | type) or id(thing) in seen:
        return
    seen.add(id(thing))
    if _is_generator(thing):
        yield path, thing
        return
    if is_space(thing):
        generator = read(thing, "np_random")  # a space creates its generator when it is first read
        if _is_generator(generator):
            yield path, generator
        return
    for where, value in _parts(thing, path) if depth and not callable(thing) and len(seen) <= MANY else ():
        yield from _walk(value, where, depth - 1, seen)


def _parts(thing: Any, path: str) -> list[tuple[str, Any]]:
    if is_a(thing, dict | list | tuple):
        pairs = thing.items() if is_a(thing, dict) else enumerate(thing)
        parts = [(f"{path}[{key!r}]", value) for key, value in pairs]
    elif package_of(type(thing)) in FOREIGN:
        parts = []
    else:
        parts = [(f"{path}.{name}", value) for name, value in _attributes(thing)]
    return parts[:MANY]


def _is_generator(thing: Any) -> bool:
    return is_a(thing, np.random.Generator | np.random.RandomState | random.Random)
