"""The function `complete_modules`, which gives gymkernel's modules the names that only Gymnasium's modules have.

A program can reach a module by attributes alone, such as `gymnasium.vector.utils` after `import gymnasium`. Therefore,
each module is completed when it is imported under gymkernel's name.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gymkernel_tool_run import installed
from gymkernel_tool_run.after_import import calling
from gymkernel_tool_run.missing_names import complete

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

__all__ = ["complete_modules"]

_counterparts = {"gymkernel": installed.NAME}
"""The names of Gymnasium's modules, keyed by the names of the modules that have been completed."""


def complete_modules() -> None:
    """Complete all modules that Gymnasium also has, both those already imported and those imported later."""
    for name, module in sorted(sys.modules.items()):  # packages come before their modules
        if path := _counterpart(name):
            _complete(module, name, path)
    sys.meta_path.insert(0, _Finder())


def _counterpart(name: str) -> str | None:
    """Return the name of Gymnasium's module for a module of gymkernel or of a plugin, or None without one."""
    package, _, last = name.rpartition(".")
    path = f"{_counterparts.get(package)}.{last}"
    return path if package in _counterparts and installed.file(path) is not None else None


def _complete(module: ModuleType, name: str, path: str) -> None:
    """Complete a module, and those of its submodules that it has already imported.

    Args:
        module: the module, which can belong to a plugin.
        name: the name under which the module was imported, which can differ from the module's own name.
        path: the name of Gymnasium's module.
    """
    complete(module, path)
    _counterparts[name] = _counterparts[module.__name__] = path
    for submodule in [value for value in vars(module).values() if isinstance(value, ModuleType)]:
        package, _, last = submodule.__name__.rpartition(".")
        if package == module.__name__ and installed.file(f"{path}.{last}") is not None:
            _complete(submodule, submodule.__name__, f"{path}.{last}")


class _Finder:
    """An import finder that completes modules of gymkernel after other finders have found them."""

    def __init__(self) -> None:
        self._searching: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Return a spec whose loader completes a module, or None if Gymnasium has no such module.

        Args:
            name: the full name of the module.
            path: the search path of the parent package.
            target: the module if it is reloaded.
        """
        theirs = None if name in self._searching else _counterpart(name)
        if theirs is None:
            return None
        self._searching.add(name)  # gymkernel's own finder also asks all finders
        try:
            found = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
            spec = next((spec for spec in found if spec is not None and spec.loader is not None), None)
        finally:
            self._searching.discard(name)
        return spec and calling(spec, lambda module: _complete(module, name, theirs))
