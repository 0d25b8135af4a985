"""Functions that read the metadata of installed distributions, whether or not they contain plugins."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Mapping
from typing import Any

import importlib_metadata

__all__ = ["distribution", "normalize", "providers_of", "version"]


def distribution(name: str) -> Any:
    """Return the `importlib.metadata.Distribution` with this name, or None if it is not installed."""
    return next(iter(importlib_metadata.distributions(name=name)), None)


def version(name: str) -> str | None:
    """Return the installed version of a distribution, or None if it is not installed."""
    found = distribution(name)
    return None if found is None else str(found.version)


def providers_of(package: str) -> list[str]:
    """Return the normalized names of the distributions that provide a package, or the package's name if none do."""
    return [normalize(name) for name in _packages(tuple(sys.path)).get(package, (package,))]


@functools.lru_cache(1)
def _packages(_path: tuple[str, ...]) -> Mapping[str, list[str]]:
    """Return the distributions that provide each package. The result is cached because the search takes 0.1 s."""
    return importlib_metadata.packages_distributions()


def normalize(name: str) -> str:
    """Normalize the name of a distribution as described in PEP 503.

    >>> normalize("Acme_Rules")
    'acme-rules'
    """
    return re.sub(r"[-_.]+", "-", name).lower()
