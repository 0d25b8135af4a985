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
        """Finds `gymkernel.spaces.box` and other documented paths that no file has; what others find comes first."""

        @staticmethod
        def find_spec(fullname: str, path: Any = None, _target: Any = None) -> Any:
            if not fullname.startswith("gymkernel."):
                return None
            parent = fullname.rpartition(".")[0]
            if sys.modules[parent].__name__ == parent:  # else it is a plugin's module, whose files have another name
                for finder in sys.meta_path:
                    found = None if finder is _Finder else finder.find_spec(fullname, path)
                    if found is not None and found.loader is not None:  # without a loader, a folder of stubs
                        return found
            from gymkernel import _finder

            return _finder.find_spec(fullname)

    sys.meta_path.insert(0, _Finder)
