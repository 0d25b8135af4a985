"""Test cases about reading attributes, calling methods and closing environments through a vector backend."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel.error import ClosedEnvironmentError
from gymkernel_tool_check.backends.cases import Backend, case, expect, refuses
from gymkernel_tool_check.backends.players import box, players

__all__: list[str] = []


@case()
def attributes_and_methods(backend: Backend) -> None:
    """Check that a vector environment can read and set attributes of its environments, and call their methods."""
    with backend(players(box, n=3)) as envs:
        expect(envs.get_attr("number"), (0, 1, 2), "get_attr")
        expect(envs.call("number"), (0, 1, 2), "call")
        envs.set_attr("total", [4, 5, 6])
        expect(envs.get_attr("total"), (4, 5, 6), "an attribute that was set for each")
        envs.set_attr("total", 7)
        expect(envs.get_attr("total"), (7, 7, 7), "an attribute that was set for all")
        expect(envs.call("has_wrapper_attr", "nothing"), (False,) * 3, "a method's results")
        refuses(lambda: envs.get_attr("nothing"), AttributeError, "nothing")
        refuses(lambda: envs.set_attr("total", [1]), ValueError, "3")
        envs.reset()


@case()
def closed_means_closed(backend: Backend) -> None:
    """Check that a vector environment can be closed twice, and that every other call raises afterwards."""
    envs = backend(players(box))
    envs.close()
    envs.close()
    expect(envs.closed, True, "closed")
    refuses(envs.reset, ClosedEnvironmentError)
    refuses(lambda: envs.step(np.full(5, 3)), ClosedEnvironmentError)


@case()
def what_a_constructor_raises_is_raised(backend: Backend) -> None:
    """Check that exceptions in an environment's constructor propagate, and that an empty list of functions raises."""

    def broken() -> Any:
        raise LookupError("no licence")

    refuses(lambda: backend([*players(box), broken]), LookupError, "no licence")
    refuses(lambda: backend([]), ValueError, "at least one")
