"""Names of Gymnasium's modules that gymkernel's modules do not have, such as private helpers and imported names."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymkernel_tool_run import installed

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["complete", "resolve"]


def complete(module: ModuleType, path: str) -> None:
    """Make a gymkernel module provide the names that only Gymnasium's module has.

    Args:
        module: gymkernel's module.
        path: the full name of Gymnasium's module.
    """
    own = vars(module).get("__getattr__")

    def get_attribute(name: str) -> Any:
        try:
            if own is not None:
                return own(name)
        except (AttributeError, ImportError):
            if name.startswith("__"):
                raise
        return resolve(path, module, name)

    vars(module)["__getattr__"] = get_attribute


def resolve(path: str, module: ModuleType, name: str) -> Any:
    """Return the object that a name refers to in Gymnasium's module.

    Args:
        path: the full name of Gymnasium's module.
        module: gymkernel's module, which has no such name.
        name: the name.

    Raises:
        AttributeError: Gymnasium's module has no such name, or Gymnasium is not installed.
    """
    if installed.module_spec(f"{path}.{name}") is not None:
        return import_module(f"{path}.{name}")
    raise AttributeError(f"module {path!r} ({module.__name__!r}) has no attribute {name!r}")
