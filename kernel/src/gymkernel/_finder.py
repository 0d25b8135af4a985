"""Functions that import modules from plugins under paths such as `gymkernel.spaces.box`, for which no file exists.

An entry point in the group `gymkernel.modules` maps such a path to a module in a plugin. The path is then a second name
for the module, just as `os.path` is a second name for `posixpath`. There is only one module object, so patching,
reloading and pickling work as usual. Submodules of the module can be imported under the path as well. If no entry point
has the path itself as its name, but entry points in this group or in `gymkernel.utils` have names that begin with the
path, importing the path creates a module whose attributes are loaded when they are first used.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

from gymkernel import plugins

__all__ = ["find_spec"]


def find_spec(fullname: str) -> ModuleSpec | None:
    """Return the module spec of a path below `gymkernel`, or None if the path is unknown.

    Raises:
        MissingPlugin: if the plugin that provides the path is known but not installed.
    """
    parent, _, name = fullname.rpartition(".")
    home, path = sys.modules[parent].__name__, fullname.partition(".")[2]
    if path in plugins.missing("modules"):
        plugins.get("modules", path)
    if path in plugins.known("modules"):
        loader = Loader(lambda _: plugins.get("modules", path))
    elif home != parent and plugins.has_module(f"{home}.{name}"):
        loader = Loader(lambda _: import_module(f"{home}.{name}"))
    elif any(place.startswith(f"{path}.") for kind in plugins.PLACES for place in plugins.known(kind)):
        loader = Loader(module_of_names)
    else:
        return None
    plugins.cached.append((sys.modules, fullname))
    if home == parent:
        plugins.cached.append((vars(sys.modules[parent]), name))
    return ModuleSpec(fullname, loader)  # type: ignore[arg-type] # importing the base class of loaders takes time


class Loader:
    """A loader that gets the module from a function and leaves the module's `__spec__` unchanged."""

    def __init__(self, load: Callable[[ModuleSpec], ModuleType]) -> None:
        self._load = load

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import or create the module."""
        module = self._load(spec)
        self._spec = vars(module).get("__spec__")  # not getattr, which would call the module's own `__getattr__`
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own `__spec__`, which the import system has just replaced."""
        # If the module is reloaded, it is not created again, and its `__spec__` is already right.
        vars(module)["__spec__"] = vars(self).get("_spec", module.__spec__)


def module_of_names(spec: ModuleSpec) -> ModuleType:
    """Create a module whose attributes are provided by plugins."""
    module = ModuleType(spec.name, f"`{spec.name}`: names that installed plugins provide.")
    get_attribute, directory = plugins.facade(spec.name, "utils", vars(module))
    vars(module).update(__spec__=spec, __path__=[], __getattr__=get_attribute, __dir__=directory)
    return module
