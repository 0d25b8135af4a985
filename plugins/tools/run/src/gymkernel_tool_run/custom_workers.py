"""Functions that make `AsyncVectorEnv(..., worker=function)` create an instance of Gymnasium's class.

A custom worker function follows Gymnasium's protocol: it runs one environment and receives requests through a pipe.
gymkernel's own workers step several environments in shared memory and do not use this protocol. The code of
Gymnasium's class is executed with gymkernel's base classes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from gymkernel_tool_run import installed
from gymkernel_tool_run.missing_names import execute

__all__ = ["watched_modules"]

NAME: Final = "AsyncVectorEnv"
HOME: Final = f"{installed.NAME}.vector.async_vector_env"
POSITION: Final = 5
"""The position of the argument `worker` in the arguments of `AsyncVectorEnv`."""


def watched_modules() -> dict[str, Callable[[ModuleType], None]]:
    """Return the function to call when the module that defines `AsyncVectorEnv` is imported, keyed by module name."""
    return {"gymkernel_vector_async": _accept_worker}


def _accept_worker(module: ModuleType) -> None:
    """Make `AsyncVectorEnv` create an instance of Gymnasium's class if a worker function is passed."""
    if installed.source(HOME) is None:
        return
    ours: Any = getattr(module, NAME)

    def new(cls: type, *args: Any, **kwargs: Any) -> Any:
        worker = kwargs.get("worker", args[POSITION] if len(args) > POSITION else None)
        created: Any = _class_with_worker(ours) if cls is ours and worker is not None else cls
        return super(ours, created).__new__(created)  # not object.__new__, because --report changes VectorEnv.__new__

    ours.__new__ = staticmethod(new)


@cache
def _class_with_worker(ours: type) -> type:
    """Return a class that inherits from Gymnasium's class and then from gymkernel's class."""
    theirs = execute(HOME, import_module(HOME), NAME)
    # Gymnasium's constructor assigns a list to `processes`, so this attribute must replace gymkernel's property.
    return type(NAME, (theirs, ours), {"__module__": HOME, "__doc__": theirs.__doc__, "processes": ()})
