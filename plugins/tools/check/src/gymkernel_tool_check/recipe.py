"""The classes `Recipe` and `Program`, which hold Python code that creates a target or reproduces a defect."""

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
"""Modules that the lines of a reproducer may use. Their import statements are added automatically."""


@dataclass(frozen=True, slots=True)
class Program:
    """A reproducer that creates its own environments or spaces, for example in a loop."""

    text: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """Python code that creates the target in a reproducer.

    Attributes:
        value: the source code of the function or class to call, such as "Maze" or "gym.make", or of the object itself
            if `arguments` is None.
        arguments: the source code of each argument, or None if `value` is not called.
        imports: the import statements that `value` needs.
        name: the variable to which the target is assigned: "env" or "space".
        note: a comment at the end of the line, or "" for no comment.

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
        """A Python expression that creates the target."""
        return self.value if self.arguments is None else f"{self.value}({', '.join(self.arguments)})"

    @property
    def statement(self) -> str:
        """A Python statement that creates the target and assigns it to `name`."""
        return f"{self.name} = {self.expression}{self.note and f'  # {self.note}'}"

    def calling(self, *arguments: str) -> Recipe:
        """Return the recipe with additional arguments, given as source code, or unchanged if `arguments` is None."""
        return self if self.arguments is None else replace(self, arguments=(*self.arguments, *arguments))

    def program(self, show: str | Program, *, made: bool = True) -> str:
        """Return a program that reproduces a fault.

        Args:
            show: the lines to run once the target has been created, or a complete `Program` that creates its own
                objects.
            made: whether to create the target before running the lines.

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
