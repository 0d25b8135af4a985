"""Functions that find data that instances of an environment share, such as class attributes and random generators."""

from __future__ import annotations

import copy
import random
import sys
from collections import deque
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.introspect import is_a, package_of, read
from gymkernel_util_spaces.compare import difference

__all__ = ["GENERATORS", "SharedData", "generators", "layers", "owners", "state_of"]

GENERATORS: Final = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
SCALARS: Final = (bool, int, float, complex, str, bytes, type(None), np.generic)
CONTAINERS: Final = (dict, list, tuple, set, deque)
MOST: Final = 10_000
BASES: Final = ("Env", "Wrapper")


def layers(env: Any) -> list[Any]:
    """Return an environment and all environments inside it, from the outermost wrapper to the innermost environment."""
    found = [env]
    while read(env, "unwrapped", env) is not env and read(env, "env") is not None:
        env = env.env
        found.append(env)
    return found


class SharedData:
    """A snapshot of the data in an environment's classes and in the modules that define the classes.

    Attributes:
        kept: a tuple (the class or module, the attribute's name, its value, a copy of the value) for each attribute.

    Args:
        env: the environment.
    """

    def __init__(self, env: Any) -> None:
        self.kept: list[tuple[Any, str, Any, Any]] = []
        for holder in owners(env):
            members = [(name, value) for name, value in vars(holder).items() if not name.startswith("__")]
            data = [(name, value) for name, value in members if _is_data(value)]
            self.kept += [(holder, name, value, copy.deepcopy(value)) for name, value in (*data, *_defaults(holder))]

    def changed(self, kinds: tuple[type, ...] = (object,)) -> list[str]:
        """Return the names (such as "Maze.walls") of attributes of the given types that changed since the snapshot."""
        found = []
        for holder, name, value, then in self.kept:
            if not isinstance(then, kinds):
                continue
            now = vars(holder).get(name, value)
            both = isinstance(then, GENERATORS) and isinstance(now, GENERATORS)
            if state_of(then) != state_of(now) if both else difference(then, now):
                found.append(f"{holder.__name__}.{name}")
        return found

    def restore(self) -> None:
        """Restore the contents of every object in the snapshot, except for generators, which `reset` should seed."""
        for holder, name, value, then in self.kept:
            if isinstance(value, GENERATORS):
                continue
            _refill(value, then)
            if vars(holder).get(name, value) is not value:
                setattr(holder, name, value)


def owners(env: Any) -> Iterator[Any]:
    """Yield the classes written by the environment's author, and the modules that define them."""
    root = package_of(type(read(env, "unwrapped", env)))
    seen: list[Any] = []
    for layer in layers(env):
        for cls in type(layer).__mro__:
            if package_of(cls) != root or (cls.__name__ in BASES and root in {"gymkernel", "gymnasium"}):
                continue
            for holder in (cls, sys.modules.get(read(cls, "__module__", ""))):
                if holder is not None and holder not in seen:
                    seen.append(holder)
                    yield holder


def _defaults(holder: Any) -> Iterator[tuple[str, Any]]:
    """Yield the mutable default arguments of the methods of a class, such as `log=[]`."""
    for method in list(vars(holder).values()):
        if not is_a(holder, type) or not is_a(method, FunctionType):
            continue
        for k, value in enumerate((*(method.__defaults__ or ()), *(method.__kwdefaults__ or {}).values())):
            if isinstance(value, list | dict | set | deque | np.ndarray) and _is_data(value):
                yield f"{method.__name__} (default {k + 1})", value


def _is_data(value: Any, depth: int = 5) -> bool:
    """Return whether a value consists only of numbers, strings, arrays and generators, and is small enough to copy."""
    if is_a(value, SCALARS) or (is_a(value, GENERATORS) and depth == 5):
        return True
    if is_a(value, np.ndarray):
        return bool(value.dtype != object and value.size < 100 * MOST)
    if type(value) not in CONTAINERS or not depth or len(value) > MOST:
        return False
    parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
    return all(_is_data(part, depth - 1) for part in parts)


def _refill(value: Any, then: Any) -> None:
    match value:
        case list() | deque():
            value.clear()
            value.extend(copy.deepcopy(then))
        case dict() | set():
            value.clear()
            value.update(copy.deepcopy(then))
        case np.ndarray() if value.flags.writeable:
            value[...] = then


def state_of(generator: Any) -> str:
    """Return the state of a generator as a string, for comparison."""
    bits = generator.bit_generator if isinstance(generator, np.random.Generator) else generator
    if isinstance(bits, np.random.BitGenerator):
        return repr(bits.state)
    state = generator.getstate() if isinstance(generator, random.Random) else generator.get_state()
    return repr([part.tobytes() if isinstance(part, np.ndarray) else part for part in state])


def generators(env: Any) -> dict[int, tuple[str, Any]]:
    """Return the name and the generator for each generator in an environment's attributes, keyed by object id."""
    found: dict[int, tuple[str, Any]] = {}
    for layer in layers(env):
        named = dict(getattr(layer, "__dict__", {}))
        for cls in reversed(type(layer).__mro__[:-1]):
            named = {**{k: v for k, v in vars(cls).items() if is_a(v, GENERATORS)}, **named}
        for name, value in named.items():
            if is_a(value, GENERATORS):
                found.setdefault(id(value), (name.removeprefix("_") if name == "_np_random" else name, value))
                continue
            if is_a(value, type) or read(value, "unwrapped") is not None or read(value, "contains") is not None:
                continue  # another rule reports shared spaces
            for inner, part in read(value, "__dict__", {}).items():
                if is_a(part, GENERATORS):
                    found.setdefault(id(part), (f"{name}.{inner}", part))
    return found
