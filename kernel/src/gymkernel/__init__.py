"""gymkernel: an environment API for reinforcement learning, built as a microkernel.

`import gymkernel as gym` is a drop-in for the names, signatures and semantics of Gymnasium. This package imports
nothing when it starts: every name below is loaded where it is first used, and every concrete space, wrapper, vector
backend and environment comes from a plugin.
"""

from __future__ import annotations

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

__all__ = [
    "ActionWrapper",
    "Env",
    "ObservationWrapper",
    "RewardWrapper",
    "Space",
    "VectorizeMode",
    "Wrapper",
    "__version__",
    "core",
    "envs",
    "error",
    "experimental",
    "logger",
    "make",
    "make_vec",
    "pprint_registry",
    "register",
    "register_envs",
    "registry",
    "spaces",
    "spec",
    "utils",
    "vector",
    "wrappers",
]


if not TYPE_CHECKING:  # a type checker shall know which names there are

    def __getattr__(name: str) -> Any:
        from importlib import import_module  # part of starting with nothing

        if name in _SUBPACKAGES:
            return import_module(f"{__name__}.{name}")
        if name not in _MODULE:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        globals()[name] = found = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
