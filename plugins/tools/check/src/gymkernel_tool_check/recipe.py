"""`Recipe`: how the target is made, as Python; `Program`: lines that make it themselves."""

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
"""Modules that the lines of a fault may use by these names; whoever writes a rule need not import them."""


@dataclass(frozen=True, slots=True)
class Program:
    """Lines that show a fault, and make what they are about themselves: in a loop, say, or in another way."""

    text: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the target is made, as Python, for programs that show a fault.

    Attributes:
        value: what is called, or, without `arguments`, what there is: "Maze", "gym.make", "...".
        arguments: of the call, as they are written; None where nothing is called.
        imports: lines that import `value`.
        name: the variable for it: "env" or "space".
        note: a comment after it.

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
        """What makes it."""
        return self.value if self.arguments is None else f"{self.value}({', '.join(self.arguments)})"

    @property
    def statement(self) -> str:
        """The line that makes it."""
        return f"{self.name} = {self.expression}{self.note and f'  # {self.note}'}"

    def calling(self, *arguments: str) -> Recipe:
        """The same with more arguments, as they are written; nothing changes where nothing is called."""
        return self if self.arguments is None else replace(self, arguments=(*self.arguments, *arguments))

    def program(self, show: str | Program, *, made: bool = True) -> str:
        """A program that shows a fault.

        Args:
            show: the lines that follow the making, or those that make it themselves.
            made: whether the lines that follow are about what the recipe makes.

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
