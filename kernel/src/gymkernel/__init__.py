"""gymkernel: an environment API for reinforcement learning, built as a microkernel.

`import gymkernel as gym` is a drop-in replacement for `import gymnasium as gym`, with the same names, signatures and
semantics. Importing this package loads no other module. Each name is loaded when it is first used, and plugins provide
every concrete space, wrapper, vector backend and environment.
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


if not TYPE_CHECKING:  # type checkers use the imports at the top of this file instead

    def __getattr__(name: str) -> Any:
        from importlib import import_module  # imported here so that `import gymkernel` stays fast

        if name in _SUBPACKAGES:
            return import_module(f"{__name__}.{name}")
        if name not in _MODULE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})

    class _Finder:
        """An import finder for documented module paths that have no file, such as `gymkernel.spaces.box`.

        All other finders take precedence. When a library that has companion plugins is imported, this finder also loads
        the companion plugins.
        """

        libraries: set[str] = set()  # noqa: RUF012 - the set is shared on purpose

        @staticmethod
        def find_spec(fullname: str, path: Any = None, _target: Any = None) -> Any:
            is_library = fullname in _Finder.libraries
            if not (is_library or fullname.startswith("gymkernel.")):
                return None
            parent = fullname.rpartition(".")[0]
            if is_library or sys.modules[parent].__name__ == parent:  # otherwise, the parent is a module from a plugin
                for finder in sys.meta_path:
                    spec = None if finder is _Finder else finder.find_spec(fullname, path)
                    if spec is not None and spec.loader is not None:  # a folder without modules has no loader
                        return _Finder.with_companions(spec) if is_library else spec
            from gymkernel import _finder

            return None if is_library else _finder.find_spec(fullname)

        @staticmethod
        def with_companions(spec: Any) -> Any:
            """Change a library's module spec so that its companion plugins are loaded right after the library."""
            run = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                run(module)
                _Finder.load_companions(spec.name)

            spec.loader.exec_module = exec_module
            return spec

        @staticmethod
        def watch(libraries: Any) -> None:
            """Load the companion plugins of the given libraries, each as soon as its library has been imported."""
            new = libraries - _Finder.libraries
            _Finder.libraries |= new
            for library in new & sys.modules.keys():
                _Finder.load_companions(library)

        @staticmethod
        def load_companions(library: str) -> None:
            from gymkernel import plugins

            plugins.load_all("companions", [library], f"objects of {library} and of gymkernel are incompatible")

    sys.meta_path[:] = [_Finder, *(f for f in sys.meta_path if getattr(f, "__module__", "") != __name__)]  # no old one
    _Finder.watch({"gymnasium", "stable_baselines3"})  # reading the plugins' metadata adds other libraries
