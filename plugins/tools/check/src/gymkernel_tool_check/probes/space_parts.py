"""Functions that iterate over inner spaces, and `SpaceWatch`, which detects environments that replace their spaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gymkernel_tool_check.introspect import SPACES, read, safely
from gymkernel_tool_check.probes.shared_data import state_of
from gymkernel_tool_check.probes.trace import Call, Trace, is_space

__all__ = ["SpaceWatch", "boxes", "generator_state", "leaves"]


def leaves(space: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, space) for each innermost space. A space that is not composite is itself yielded.

    Args:
        space: a space from any library.
        path: a prefix for the yielded paths.
    """
    parts = read(space, "spaces")
    if isinstance(parts, dict) and parts:
        for key, part in parts.items():
            yield from leaves(part, f"{path}[{key!r}]")
    elif isinstance(parts, tuple) and parts and all(cls.__name__ != "OneOf" for cls in type(space).__mro__):
        for i, part in enumerate(parts):
            yield from leaves(part, f"{path}[{i}]")
    else:
        yield path, space


def boxes(space: Any) -> Iterator[tuple[str, Any]]:
    """Yield (path, space) for each innermost space whose elements are arrays within bounds.

    Args:
        space: a space from any library.
    """
    for path, leaf in leaves(space):
        if isinstance(read(leaf, "low"), np.ndarray) and isinstance(read(leaf, "high"), np.ndarray):
            yield path, leaf


class SpaceWatch:
    """An object that compares an environment's spaces before and after each call.

    An environment that replaces a space loses the seed of the space. If a space was replaced by an equal space, the
    replacement is recorded in `trace.replaced`. It is not recorded if the new space has the same generator or a copy of
    it, because the seed then remains effective.

    Args:
        trace: the trace of the run to watch.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        env = trace.env
        stable = {name: read(env, name) for name in SPACES if read(env, name) is read(env, name)}
        self.parts = {name: dict(leaves(space)) for name, space in stable.items() if is_space(space)}
        for parts in self.parts.values():
            for part in parts.values():
                generator_state(part)  # creates the space's generator, so that later generators can be compared with it

    def look(self, call: Call) -> None:
        """Record the spaces that a call replaced.

        Args:
            call: the call that has just returned.
        """
        for name, before in self.parts.items():
            if name in self.trace.replaced:
                continue
            now = dict(leaves(read(self.trace.env, name)))
            if now.keys() != before.keys() or not all(_equal(before[path], now[path]) for path in now):
                continue  # reported by GK104
            for path, part in now.items():
                if part is not before[path] and generator_state(part) != generator_state(before[path]):
                    self.trace.replaced[name] = call, path
                    break
            self.parts[name] = now


def generator_state(space: Any) -> str | None:
    """Return the state of a space's generator, or None if there is no generator.

    Args:
        space: a space from any library.
    """
    return safely(lambda: state_of(space.np_random))


def _equal(one: Any, other: Any) -> bool:
    return one is other or safely(lambda: bool(one == other), default=False)
