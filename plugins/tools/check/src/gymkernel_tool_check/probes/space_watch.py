"""`SpaceWatch`, which detects environments that replace their spaces and thereby lose the seeds of the spaces."""

from __future__ import annotations

from typing import Any

from gymkernel_tool_check.introspect import SPACES, read, safely
from gymkernel_tool_check.probes.shared_data import state_of
from gymkernel_tool_check.probes.space_parts import leaves
from gymkernel_tool_check.probes.trace import Call, Trace, is_space

__all__ = ["SpaceWatch", "generator_state"]


class SpaceWatch:
    """An object that compares an environment's spaces before and after each call.

    If a space was replaced by an equal space, the replacement is recorded in `trace.replaced`. It is not recorded if
    the new space has the same generator or a copy of it, because the seed then remains effective.

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
