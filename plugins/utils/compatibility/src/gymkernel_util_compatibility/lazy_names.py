"""The function `lazy_names`, which lets a package import its names only when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(package: str, **homes: Iterable[str]) -> Callable[[str], Any]:
    """Create the function `__getattr__` (PEP 562) of a package whose names and modules are imported when first used.

    Args:
        package: the full name of the package.
        **homes: for each module of the package, the names that are imported from the module.

    >>> lazy_names("json", decoder=("JSONDecoder",))("JSONDecoder").__module__
    'json.decoder'
    """
    modules = {name: module for module, names in homes.items() for name in names}

    def get_attribute(name: str) -> Any:
        if name in homes:
            return import_module(f"{package}.{name}")
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return get_attribute
