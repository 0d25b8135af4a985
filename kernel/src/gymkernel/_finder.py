"""Import paths without a file, such as `gymkernel.spaces.box`, which is a module of a plugin.

If an entry point of the group `gymkernel.modules` is named after a path, the path is a second name of the plugin's
module, as `os.path` is a second name of `posixpath`. Code that patches, reloads or pickles the module therefore sees
only one module. The module's submodules can be imported under the path as well. If only entry points with longer names,
which begin with a path, exist in this group or in the group `gymkernel.utils`, the path is a module whose attributes
are loaded one by one.
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
        MissingPlugin: a known plugin that is not installed provides the path.
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
    """An import loader that obtains the module from a function and preserves the module's own spec."""

    def __init__(self, load: Callable[[ModuleSpec], ModuleType]) -> None:
        self._load = load

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import or create the module."""
        module = self._load(spec)
        self._spec = vars(module).get("__spec__")  # not getattr, because a module may define special attributes
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec, which the import system has replaced with the spec of the path."""
        vars(module)["__spec__"] = self._spec


def module_of_names(spec: ModuleSpec) -> ModuleType:
    """Return a module or package whose attributes are provided by plugins."""
    module = ModuleType(spec.name, f"`{spec.name}`: names that installed plugins provide.")
    get_attribute, directory = plugins.facade(spec.name, "utils", vars(module))
    vars(module).update(__spec__=spec, __path__=[], __getattr__=get_attribute, __dir__=directory)
    return module
