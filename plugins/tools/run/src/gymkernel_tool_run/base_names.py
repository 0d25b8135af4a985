"""Functions that give gymkernel's base classes the names of Gymnasium's base classes.

Some libraries, such as skrl, recognise an environment by the name of a class in `type(env).__bases__`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any, Final

__all__ = ["watched_modules"]

CORE: Final = "gymnasium.core"
VECTOR: Final = "gymnasium.vector.vector_env"
HOMES: Final = {
    "gymkernel.env": (CORE, ("Env",)),
    "gymkernel.wrapper": (CORE, ("Wrapper", "ObservationWrapper", "ActionWrapper", "RewardWrapper")),
    "gymkernel.vector_env": (VECTOR, ("VectorEnv",)),
    "gymkernel.vector_wrapper": (
        VECTOR,
        ("VectorWrapper", "VectorObservationWrapper", "VectorActionWrapper", "VectorRewardWrapper"),
    ),
}
"""For each of gymkernel's modules with base classes, Gymnasium's module, and the names of the classes."""
PLUGIN: Final = "gymkernel_"
"""The prefix of the module names of gymkernel's plugins."""


def watched_modules() -> dict[str, Callable[[ModuleType], None]]:
    """Return the functions to call when the modules with base classes are imported, keyed by module name."""
    return {module: partial(_rename, home=home, names=names) for module, (home, names) in HOMES.items()}


def _rename(module: ModuleType, home: str, names: tuple[str, ...]) -> None:
    """Give base classes the name of Gymnasium's module. Make `Env` and `VectorEnv` direct bases of plugins' classes."""
    for name in names:
        base = getattr(module, name)
        base.__module__ = home
        if name in {"Env", "VectorEnv"}:
            _become_direct_base(base)


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
