"""Functions that give gymkernel's classes the module names of Gymnasium's classes.

Programs print classes, store their names in specs and pickles, and recognise environments by the name of a class in
`type(env).__bases__`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from gymkernel import plugins
from gymkernel_tool_run import installed

__all__ = ["import_homes", "own_names", "watched_modules"]

CORE: Final = "gymnasium.core"
VECTOR: Final = "gymnasium.vector.vector_env"
HOMES: Final = {
    "gymkernel.env": CORE,
    "gymkernel.wrapper": CORE,
    "gymkernel.vector_env": VECTOR,
    "gymkernel.vector_wrapper": VECTOR,
    "gymkernel.specs": "gymnasium.envs.registration",
    "gymkernel.making": "gymnasium.envs.registration",
    "gymkernel.error": "gymnasium.error",
    "gymkernel.utils.ezpickle": "gymnasium.utils.ezpickle",
    "gymkernel.utils.record_constructor": "gymnasium.utils.record_constructor",
}
"""For each of gymkernel's modules whose classes Gymnasium defines in a module with another path, Gymnasium's module."""
BASES: Final = ("Env", "Wrapper", "ObservationWrapper", "ActionWrapper", "RewardWrapper")
"""The names of the base classes. For vector environments, the names begin with `Vector`."""
PLUGIN: Final = "gymkernel_"
"""The prefix of the module names of gymkernel's plugins."""


_own_modules: dict[type, str] = {}
"""gymkernel's module of each class that has been renamed."""

_pending: list[str] = []
"""Names of Gymnasium's modules after which classes were named, and which may not have been imported yet."""


def watched_modules() -> dict[str, Callable[[ModuleType], None]]:
    """Return the functions to call when gymkernel's modules with renamed classes are imported, keyed by module name."""
    homes = {module: {home} for module, home in HOMES.items()}
    for plugin in plugins.plugins("modules"):
        homes.setdefault(plugin.value, set()).add(f"{installed.NAME}.{plugin.name}")
    for plugin in plugins.plugins("utils"):
        module, home = plugin.value.partition(":")[0], plugin.name.rpartition(".")[0]
        homes.setdefault(module, set()).add(f"{installed.NAME}.{home}")
    return {module: partial(_rename, homes=found) for module, found in homes.items()}


@cache
def _classes(home: str) -> list[str]:
    """Return the names of the classes that a module in Gymnasium's files defines."""
    text = installed.source(home)
    if text is None:
        return [prefix + name for name in BASES for prefix in ("", "Vector") if home in {CORE, VECTOR}]
    return re.findall(r"^class (\w+)", text, re.MULTILINE)


def _rename(module: ModuleType, homes: set[str]) -> None:
    """Give classes the name of Gymnasium's module. Make `Env` and `VectorEnv` direct bases of plugins' classes."""
    for home in homes:
        for name in _classes(home):
            cls = vars(module).get(name)
            if isinstance(cls, type) and f"{cls.__module__}.".startswith(f"{module.__name__}."):
                _own_modules.setdefault(cls, cls.__module__)
                cls.__module__ = home
                if name in {"Env", "VectorEnv"}:
                    _become_direct_base(cls)
                _pending.append(home)
    if module.__name__.startswith(PLUGIN):  # gymkernel's own modules import each other
        import_homes()


def import_homes() -> None:
    """Import the modules after which classes were named. Otherwise, cloudpickle pickles these classes by value."""
    while _pending:
        import_module(_pending.pop())


def own_names(cls: type) -> list[str]:
    """Return the names of a class and its base classes, with gymkernel's module names, as entry points contain them."""
    return [f"{_own_modules.get(base, base.__module__)}.{base.__qualname__}" for base in cls.__mro__]


def _become_direct_base(base: Any) -> None:
    """Make a base class a direct base of each class of a plugin that is defined later and that derives from it."""

    def init_subclass(cls: Any, **kwargs: Any) -> None:
        super(base, cls).__init_subclass__(**kwargs)
        bases = cls.__bases__
        if cls.__module__.startswith(PLUGIN) and not any(parent.__module__ in {CORE, VECTOR} for parent in bases):
            position = max(i for i, parent in enumerate(bases, 1) if issubclass(parent, base))
            cls.__bases__ = (*bases[:position], base, *bases[position:])

    hook: Any = init_subclass  # mypy expects the type of the first parameter to be `type`
    base.__init_subclass__ = classmethod(hook)
