"""The function `completion`, which gives gymkernel's modules the names that only Gymnasium's modules have.

A program can reach a module by attributes alone, such as `gymnasium.vector.utils` after `import gymnasium`. Therefore,
each module is completed when it is imported under gymkernel's name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType

from gymkernel_tool_run import installed
from gymkernel_tool_run.missing_names import complete

__all__ = ["completion"]

_counterparts = {"gymkernel": installed.NAME}
"""The names of Gymnasium's modules, keyed by the names of the modules that have been completed."""


def completion(name: str) -> Callable[[ModuleType], None] | None:
    """Return the function that completes a module of gymkernel or of a plugin, or None if Gymnasium has no such module.

    Args:
        name: the name under which the module is imported, which can differ from the module's own name.
    """
    package, _, last = name.rpartition(".")
    path = f"{_counterparts.get(package)}.{last}"
    if package not in _counterparts or installed.file(path) is None:
        return None
    return partial(_complete, name=name, path=path)


def _complete(module: ModuleType, name: str, path: str) -> None:
    """Complete a module, and those of its submodules that it has already imported.

    Args:
        module: the module, which can belong to a plugin.
        name: the name under which the module was imported, which can differ from the module's own name.
        path: the name of Gymnasium's module.
    """
    complete(module, path)
    names = installed.exported(path)
    if names is not None:  # a name such as gymkernel's `vector.make` must not replace the program's `make`
        vars(module)["__all__"] = names
    _counterparts[name] = _counterparts[module.__name__] = path
    for submodule in [value for value in vars(module).values() if isinstance(value, ModuleType)]:
        package, _, last = submodule.__name__.rpartition(".")
        if package == module.__name__ and installed.file(f"{path}.{last}") is not None:
            _complete(submodule, submodule.__name__, f"{path}.{last}")
