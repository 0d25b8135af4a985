"""gymkernel: an environment API for reinforcement learning, built as a microkernel.

`import gymkernel as gym` is a drop-in for the names, signatures and semantics of Gymnasium. This package imports
nothing when it starts: every name below is loaded where it is first used, and every concrete space, wrapper, vector
backend and environment comes from a plugin.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gymkernel import core, envs, error, experimental, logger, spaces, utils, vector, wrappers
    from gymkernel.env import Env
    from gymkernel.making import VectorizeMode, make, make_vec
    from gymkernel.registration import pprint_registry, register, register_envs, registry, spec
    from gymkernel.space import Space
    from gymkernel.wrapper import ActionWrapper, ObservationWrapper, RewardWrapper, Wrapper

_HOME = {
    "env": ("Env",),
    "wrapper": ("Wrapper", "ObservationWrapper", "ActionWrapper", "RewardWrapper"),
    "space": ("Space",),
    "making": ("VectorizeMode", "make", "make_vec"),
    "registration": ("pprint_registry", "register", "register_envs", "registry", "spec"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}
_SUBPACKAGES = ("core", "envs", "error", "experimental", "logger", "spaces", "utils", "vector", "wrappers")

__all__ = ["ActionWrapper", "Env", "ObservationWrapper", "RewardWrapper", "Space", "VectorizeMode", "Wrapper"]
__all__ += ["__version__", "core", "envs", "error", "experimental", "logger", "make", "make_vec", "pprint_registry"]
__all__ += ["register", "register_envs", "registry", "spaces", "spec", "utils", "vector", "wrappers"]


if not TYPE_CHECKING:  # a type checker shall know which names there are

    def __getattr__(name: str) -> Any:
        from importlib import import_module  # part of starting with nothing

        if name in _SUBPACKAGES:
            return import_module(f"{__name__}.{name}")
        if name not in _MODULE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})

    class _Finder:
        """Finds `gymkernel.spaces.box` and other documented paths that no file has; what others find comes first.

        It also sees the import of a library that plugins join to gymkernel, so that these are loaded after the library.
        """

        libraries: set[str] = set()  # noqa: RUF012 - of all, to which `watch` adds

        @staticmethod
        def find_spec(fullname: str, path: Any = None, _target: Any = None) -> Any:
            is_library = fullname in _Finder.libraries
            if not (is_library or fullname.startswith("gymkernel.")):
                return None
            parent = fullname.rpartition(".")[0]
            if is_library or sys.modules[parent].__name__ == parent:  # else a plugin's module, of another file name
                for finder in sys.meta_path:
                    found = None if finder is _Finder else finder.find_spec(fullname, path)
                    if found is not None and found.loader is not None:  # without a loader, a folder of stubs
                        return _Finder.accompanied(found) if is_library else found
            from gymkernel import _finder

            return None if is_library else _finder.find_spec(fullname)

        @staticmethod
        def accompanied(spec: Any) -> Any:
            """Have a library's companions loaded as soon as the library is."""
            run = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                run(module)
                _Finder.load_companions(spec.name)

            spec.loader.exec_module = exec_module
            return spec

        @staticmethod
        def watch(libraries: Any) -> None:
            """Load the companions of these libraries: now where a library is imported, else as soon as it is."""
            new = libraries - _Finder.libraries
            _Finder.libraries |= new
            for library in new & sys.modules.keys():
                _Finder.load_companions(library)

        @staticmethod
        def load_companions(library: str) -> None:
            from gymkernel import plugins

            plugins.load_all("companions", [library], f"objects of {library} and of gymkernel do not fit each other")

    sys.meta_path.insert(0, _Finder)
    _Finder.watch({"gymnasium", "stable_baselines3"})  # known before a scan, which has those of other distributions
