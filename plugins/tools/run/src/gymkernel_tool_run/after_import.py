"""The function `after_import`, which delays changes to modules until a program imports these modules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

__all__ = ["after_import"]

Function = Callable[[ModuleType], Any]


def after_import(find: Callable[[str], Function | None]) -> None:
    """Call a function with each module that the function should change, now or right after the module's import.

    Args:
        find: a function that takes the full name of a module and returns the function to call with this module, or None
            if the module should not be changed.
    """
    sys.meta_path.insert(0, _Watcher(find))
    for name, module in sorted(sys.modules.items()):  # packages come before their modules
        if function := find(name):
            function(module)


class _Watcher:
    """An import finder that calls a function with a watched module after the module has been executed.

    Args:
        find: a function that returns the function to call for the full name of a module, or None.
    """

    def __init__(self, find: Callable[[str], Function | None]) -> None:
        self._find = find
        self._searching: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Return a spec whose loader calls the function for a watched module. Return None for any other module.

        Args:
            name: the full name of the module.
            path: the search path of the parent package.
            target: the module if it is reloaded.
        """
        function = None if name in self._searching else self._find(name)
        if function is None:
            return None
        self._searching.add(name)  # gymkernel's own finder also asks all finders
        try:
            found = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
            spec = next((spec for spec in found if spec is not None and spec.loader is not None), None)
        finally:
            self._searching.discard(name)
        return spec and _calling(spec, function)


def _calling(spec: ModuleSpec, function: Function) -> ModuleSpec:
    """Make a spec's loader call a function with the module after the loader has executed the module."""
    loader: Any = spec.loader
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        execute(module)
        function(module)

    loader.exec_module = exec_module
    return spec
