"""Reads the metadata of installed distributions, including distributions without plugins."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Mapping
from typing import Any

import importlib_metadata

__all__ = ["distribution", "normalize", "providers_of", "version"]


def distribution(name: str) -> Any:
    """Return an installed distribution with all its metadata, from `importlib.metadata`, or None."""
    return next(iter(importlib_metadata.distributions(name=name)), None)


def version(name: str) -> str | None:
    """Return the installed version of a distribution, or None."""
    found = distribution(name)
    return None if found is None else str(found.version)


def providers_of(package: str) -> list[str]:
    """Return the normalized names of the distributions that contain an import package, or the package's own name."""
    return [normalize(name) for name in _packages(tuple(sys.path)).get(package, (package,))]


@functools.lru_cache(1)
def _packages(_path: tuple[str, ...]) -> Mapping[str, list[str]]:
    """Return the distributions of each package; the search takes a tenth of a second."""
    return importlib_metadata.packages_distributions()


def normalize(name: str) -> str:
    """Return the normalized form of a distribution's name (PEP 503).

    >>> normalize("Acme_Rules")
    'acme-rules'
    """
    return re.sub(r"[-_.]+", "-", name).lower()
