"""`Recipe`, the Python code that creates a target, and `Program`, code that creates its objects itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

__all__ = ["Program", "Recipe"]

SHORTHANDS: Final = {
    "copy": "import copy",
    "json": "import json",
    "pickle": "import pickle",
    "random": "import random",
    "np": "import numpy as np",
    "ops": "from gymkernel import ops",
    "probe_envs": "from gymkernel_tool_check.probes import probe_envs",
}
"""Modules that the lines of a fault may use by these names; their imports are added automatically."""


@dataclass(frozen=True, slots=True)
class Program:
    """Lines that show a fault and create their objects themselves, for example in a loop."""

    text: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """The Python code that creates the target, for programs that show a fault.

    Attributes:
        value: the function or class that is called or, without `arguments`, the object itself: "Maze", "gym.make",
            "...".
        arguments: the arguments of the call as source code; None if nothing is called.
        imports: the lines that import `value`.
        name: the variable for the target: "env" or "space".
        note: a comment behind the line.

    >>> maze = Recipe("Maze", (), ("from acme import Maze",))
    >>> print(maze.calling("size=3"))
    from acme import Maze
    <BLANKLINE>
    env = Maze(size=3)
    """

    value: str = "..."
    arguments: tuple[str, ...] | None = None
    imports: tuple[str, ...] = ()
    name: str = "env"
    note: str = ""

    @property
    def expression(self) -> str:
        """The expression that creates the target."""
        return self.value if self.arguments is None else f"{self.value}({', '.join(self.arguments)})"

    @property
    def statement(self) -> str:
        """The line that creates the target."""
        return f"{self.name} = {self.expression}{self.note and f'  # {self.note}'}"

    def calling(self, *arguments: str) -> Recipe:
        """Return the recipe with further arguments as source code; a recipe without a call is unchanged."""
        return self if self.arguments is None else replace(self, arguments=(*self.arguments, *arguments))

    def program(self, show: str | Program, *, made: bool = True) -> str:
        """Return a program that shows a fault.

        Args:
            show: the lines after the creation of the target, or a `Program` that creates its objects itself.
            made: whether the lines use the created target.

        >>> print(Recipe("Box", ()).program("np.zeros(3) in env"))
        import numpy as np
        env = Box()
        np.zeros(3) in env
        """
        text = show.text if isinstance(show, Program) else show
        used = [line for name, line in SHORTHANDS.items() if re.search(rf"\b{name}\.", text)]
        making = [self.statement] if made and isinstance(show, str) else []
        return "\n".join([*used, *self._head, *making, *text.strip("\n").splitlines()])

    @property
    def _head(self) -> list[str]:
        return [*self.imports, ""] if self.imports else []

    def __str__(self) -> str:
        return "\n".join([*self._head, self.statement])
