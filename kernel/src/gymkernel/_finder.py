"""Module paths that no file has: `gymkernel.spaces.box` is the module of the plugin that provides it.

A path that an entry point of the group `gymkernel.modules` names is a second name of that very module, as `os.path` is
one of `posixpath`: whoever patches, reloads or pickles it has the one module there is. What is below such a path is
what is below the module. A path that is only in front of such names, or of those of the kind "utils", is a module whose
names load one by one.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

from gymkernel import plugins

__all__ = ["find_spec"]


def find_spec(fullname: str) -> ModuleSpec | None:
    """How to load a path below `gymkernel`; None for an unknown one, `MissingPlugin` for one that is not installed."""
    parent, _, name = fullname.rpartition(".")
    home, path = sys.modules[parent].__name__, fullname.partition(".")[2]
    if path in plugins.missing("modules"):
        plugins.get("modules", path)
    if path in plugins.known("modules"):
        loader = Loader(lambda _: plugins.get("modules", path))
    elif home != parent and plugins.has_module(f"{home}.{name}"):
        loader = Loader(lambda _: import_module(f"{home}.{name}"))
    elif any(one.startswith(f"{path}.") for kind in plugins.PLACES for one in plugins.known(kind)):
        loader = Loader(module_of_names)
    else:
        return None
    plugins.cached.append((sys.modules, fullname))
    if home == parent:
        plugins.cached.append((vars(sys.modules[parent]), name))
    return ModuleSpec(fullname, loader)  # type: ignore[arg-type] # its base class would have to be imported


class Loader:
    """Loads what a function returns, which has a spec of its own."""

    def __init__(self, load: Callable[[ModuleSpec], ModuleType]) -> None:
        self._load = load

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import it, or make it."""
        module = self._load(spec)
        self._spec = vars(module).get("__spec__")  # a module may make an attribute of it that cannot be set
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give back the spec, which the import system has replaced by that of the path."""
        vars(module)["__spec__"] = self._spec


def module_of_names(spec: ModuleSpec) -> ModuleType:
    """A module, or package, whose names are those of plugins."""
    module = ModuleType(spec.name, f"`{spec.name}`: names that plugins provide, where these are installed.")
    find, directory = plugins.facade(spec.name, "utils", vars(module))
    vars(module).update(__spec__=spec, __path__=[], __getattr__=find, __dir__=directory)
    return module
