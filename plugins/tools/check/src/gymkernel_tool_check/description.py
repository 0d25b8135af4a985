"""`Description`: what is checked, as far as that is known before it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel_tool_check.options import Options
from gymkernel_tool_check.recipe import Recipe

__all__ = ["Description"]

UNKNOWN: Final = Recipe(note="make the environment")


@dataclass
class Description:
    """What is checked: an environment that can be made again and again, one that is there, or another object.

    Attributes:
        name: how the user calls it.
        kind: the kind of target: "envs", "spaces", "wrappers", "vector", "vector_wrappers", ...
        make: makes an environment, with the keyword arguments given; None where there is but one object.
        live: the one environment or space that there is, where it cannot be made.
        object: a class, or another object, where the target is no environment.
        plugin: the entry point through which it was found, if any.
        options: how thoroughly to look.
        recipe: how `env` or `space` is made, for reproducers.
        nondeterministic: whether the spec says that equal seeds may give different trajectories.
        found: what the report shows of the target.
    """

    name: str
    kind: str = "envs"
    make: Callable[..., Any] | None = None
    live: Any = None
    object: Any = None
    plugin: Any = None
    options: Options = field(default_factory=Options)
    recipe: Recipe = UNKNOWN
    nondeterministic: bool = False
    found: dict[str, Any] = field(default_factory=dict)
