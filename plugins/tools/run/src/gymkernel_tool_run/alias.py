"""The function `as_gymnasium`, after which `import gymnasium` imports gymkernel's modules in this process.

If gymkernel has the imported module, the module is added to `sys.modules` under gymkernel's and Gymnasium's name. If
only Gymnasium has the module, it is executed from Gymnasium's files, but its own imports of `gymnasium` import
gymkernel's modules. The package `gymnasium` itself is a separate module that forwards all attributes to `gymkernel`,
because its version and its file differ.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import gymkernel
from gymkernel import error, plugins
from gymkernel_tool_run import children, class_names, custom_workers, global_generators, installed, pickling
from gymkernel_tool_run.after_import import after_import
from gymkernel_tool_run.completing import completion
from gymkernel_tool_run.missing_names import complete, resolve

if TYPE_CHECKING:
    from importlib.metadata import Distribution

__all__ = ["AliasFinder", "as_gymnasium", "is_active"]

IMPORT_ATTRIBUTES: Final = {"__spec__", "__loader__", "__package__", "__path__", "__file__", "__cached__", "__name__"}
"""The attributes that the import system sets on a module."""

GYMNASIUM_RESULTS: Final = (
    ("gymkernel_wrapper_max_and_skip_observation", "MaxAndSkipObservation", "keeps_old_observations", True),
    ("gymkernel_wrapper_normalize_observation", "Normalizer", "statistics_dtype", "float32"),
    ("gymkernel_wrapper_time_limit", "TimeLimit", "adds_key", False),
)
"""For each wrapper whose results differ from Gymnasium's on purpose, the module, the class, and the name and the value
of the attribute that makes the results equal."""


def as_gymnasium() -> None:
    """Make `import gymnasium` import gymkernel's modules from now on, in this process and its worker processes.

    Call this function before anything imports Gymnasium, on the first line of a program or in the first cell of a
    notebook. Further calls do nothing.

    Raises:
        gymkernel.error.Error: if Gymnasium has already been imported.

    >>> import subprocess, sys
    >>> program = "import gymkernel.utils as u; u.as_gymnasium(); import gymnasium; print(gymnasium.make.__module__)"
    >>> subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip()
    'gymkernel.making'
    """
    if is_active():
        return
    imported = sys.modules.get(installed.NAME)
    if imported is not None:
        raise error.Error(
            "Expected as_gymnasium() to be called before Gymnasium is imported, but gymnasium has been imported from "
            f"{getattr(imported, '__file__', None)}; call gymkernel.utils.as_gymnasium() on the first line of the "
            "program, before all other imports. In a notebook, restart the kernel first"
        )
    install()


def is_active() -> bool:
    """Return whether `import gymnasium` imports gymkernel's modules in this process."""
    return any(isinstance(finder, AliasFinder) for finder in sys.meta_path)


def install() -> None:
    """Install the import finder, and change the modules that depend on the finder, now or when they are imported."""
    sys.meta_path.insert(0, AliasFinder())
    after_import(completion)
    after_import(global_generators.watched_modules().get)
    functions = children.watched_modules(as_gymnasium) | pickling.watched_modules() | custom_workers.watched_modules()
    functions |= {"gymkernel.ops": adapt_operations, "gymkernel.registration": register_ids}
    functions |= {module: partial(set_class_attribute, *names) for module, *names in GYMNASIUM_RESULTS}
    functions |= {"gymkernel.making": offer_own_vector_envs}
    after_import(class_names.watched_modules().get)
    after_import(functions.get)


def adapt_operations(operations: Any) -> None:
    """Adapt gymkernel's operations on spaces to programs for Gymnasium and to the new names of classes.

    As in Gymnasium, a program can replace the function that an operation calls for a space class. For example,
    SuperSuit registers its own function for `iterate` and `Discrete`. Adapters are found by the names that classes have
    without `gymkernel run`.
    """

    def accept(_table: Any, name: str, cls: Any, _function: Any) -> None:
        if not isinstance(cls, type):
            raise TypeError(f"Expected a class, as in @{name}.register(MySpace), got {cls!r}")

    operations.refuse_second = accept
    operations.adapter_names = class_names.own_names


def set_class_attribute(name: str, attribute: str, value: Any, module: Any) -> None:
    """Set an attribute of the class with the given name in a module."""
    setattr(getattr(module, name), attribute, value)


def register_ids(_registration: ModuleType) -> None:
    """Register the ids of Gymnasium's environments as soon as gymkernel's registry exists."""
    # The import is inside the function, because the module requires the registry.
    from gymkernel_tool_run import gymnasium_ids

    gymnasium_ids.register_ids()


def offer_own_vector_envs(making: ModuleType) -> None:
    """Let `make_vec` create vector environments that only gymkernel has."""
    # The import is inside the function, because the module requires the registry.
    from gymkernel_tool_run import gymnasium_ids

    gymnasium_ids.offer_own_vector_envs(making)


class AliasFinder:
    """An import finder for the package `gymnasium` and all of its modules."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, _target: Any = None) -> ModuleSpec | None:
        """Return a spec that loads gymkernel's module or, if gymkernel has no such module, Gymnasium's.

        Args:
            name: the full name of the module.
            path: the search path of the parent package.

        Raises:
            ImportError: if gymkernel knows the module, but the distribution that contains it is not installed.
            ModuleNotFoundError: if neither library has the module.
        """
        top, _, rest = name.partition(".")
        if top != installed.NAME:
            return None
        if not rest:
            return _package_spec()
        parent = sys.modules[name.rpartition(".")[0]]
        if parent.__name__.startswith(f"{installed.NAME}."):  # the parent is executed from Gymnasium's files
            return installed.module_spec(name)
        absent = None
        try:
            if _is_own(rest) and plugins.has_module(f"gymkernel.{rest}"):
                loader: Any = AliasLoader(f"gymkernel.{rest}")
                return ModuleSpec(name, loader)
        except ImportError as exc:
            absent = exc
        found = installed.module_spec(name)
        if found is not None:
            return found
        if absent is not None:
            raise absent
        hint = (
            ""
            if installed.folder()
            else "; gymkernel has no such module. If Gymnasium has it, run: pip install gymnasium"
        )
        raise ModuleNotFoundError(f"No module named {name!r}{hint}", name=name)

    def find_distributions(self, context: Any) -> Iterable[Distribution]:
        """Return metadata for programs that look up Gymnasium's version, unless Gymnasium is installed.

        Args:
            context: the request, whose `name` attribute is the name of the distribution.
        """
        return installed.emulated_distributions(context.name)


def _package_spec() -> ModuleSpec | None:
    """Return the spec of the package, with the files of Gymnasium or, if it is not installed, those of gymkernel."""
    root = installed.folder()
    path = gymkernel.__file__ if root is None else str(Path(root, "__init__.py"))
    places = list(gymkernel.__path__) if root is None else [root]
    loader = PackageLoader(installed.NAME, str(path))
    return spec_from_file_location(installed.NAME, path, loader=loader, submodule_search_locations=places)


def _is_own(path: str) -> bool:
    """Return whether gymkernel or one of its plugins, and not only Gymnasium, has a module below `gymkernel`."""
    return not plugins.providers("modules", path) or installed.is_provided_by_a_plugin(path)


class AliasLoader:
    """A loader that imports a module under gymkernel's name and preserves the module's own spec.

    Args:
        name: the name of the module in gymkernel.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Import gymkernel's module."""
        module = import_module(self._name)
        self._spec = vars(module).get("__spec__")
        complete(module, spec.name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec, which the import system has replaced with the alias's spec."""
        vars(module)["__spec__"] = self._spec


class Package(ModuleType):
    """The module `gymnasium`, which has gymkernel's attributes but Gymnasium's version and file."""

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """The namespace of gymkernel, so that programs that patch attributes see only one namespace."""
        return vars(gymkernel)

    def __getattr__(self, name: str) -> Any:
        try:
            value = getattr(gymkernel, name)
        except (AttributeError, ImportError):
            if name.startswith("__"):
                raise
            return resolve(installed.NAME, gymkernel, name)
        class_names.import_homes()
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        from_files = isinstance(value, ModuleType) and value.__name__.startswith(f"{installed.NAME}.")
        if name in IMPORT_ATTRIBUTES or from_files:
            super().__setattr__(name, value)
        else:
            setattr(gymkernel, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(gymkernel, name)

    def __dir__(self) -> list[str]:
        return dir(gymkernel)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the package by name.

        This is necessary because cloudpickle recognises modules only by their exact type.
        """
        return import_module, (self.__name__,)


class PackageLoader(SourceFileLoader):
    """The loader of the package `gymnasium`, which finds files beside the package's file but does not execute it."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Create the package."""
        return Package(spec.name, gymkernel.__doc__)

    def exec_module(self, module: ModuleType) -> None:
        """Set the path, the file, the version and the exported names of the package."""
        spec: Any = module.__spec__
        own = {
            "__path__": spec.submodule_search_locations,
            "__file__": spec.origin,
            "__cached__": spec.cached,
            "__version__": installed.version(),
            "__all__": installed.exported(installed.NAME) or gymkernel.__all__,
        }
        for name, value in own.items():
            ModuleType.__setattr__(module, name, value)
        os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "hide"  # Gymnasium also suppresses pygame's greeting
