"""The function `after_import`, which delays changes to modules until a program imports these modules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gymkernel_tool_run import installed

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

__all__ = ["after_import", "calling"]

Function = Callable[[ModuleType], None]


def after_import(functions: Mapping[str, Function]) -> None:
    """Call a function with each given module, either now or, if the module is not imported yet, right after its import.

    Args:
        functions: the functions, keyed by the full name of the module.
    """
    sys.meta_path.insert(0, _Watcher({name: call for name, call in functions.items() if name not in sys.modules}))
    for name, call in functions.items():
        if name in sys.modules:
            call(sys.modules[name])


class _Watcher:
    """An import finder that calls a function with a watched module after the module has been executed.

    Args:
        functions: the functions, keyed by the full name of the module.
    """

    def __init__(self, functions: dict[str, Function]) -> None:
        self._functions = functions

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Return a spec whose loader calls the function for a watched module. Return None for any other module.

        Args:
            name: the full name of the module.
            path: the search path of the parent package.
            target: the module if it is reloaded.
        """
        if name not in self._functions:
            return None
        for finder in sys.meta_path:
            if finder is self or installed.is_own_finder(finder):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                return calling(spec, self._functions[name])
        return None


def calling(spec: ModuleSpec, function: Function) -> ModuleSpec:
    """Make a spec's loader call a function after the loader has executed the module.

    Args:
        spec: the spec, whose loader is changed.
        function: the function, which is called with the module.
    """
    loader: Any = spec.loader
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        execute(module)
        function(module)

    loader.exec_module = exec_module
    return spec
