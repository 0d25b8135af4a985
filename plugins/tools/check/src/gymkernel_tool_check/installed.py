"""What installed distributions say of themselves, also those without plugins."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Mapping
from typing import Any

import importlib_metadata

__all__ = ["distribution", "normalize", "providers_of", "version"]


def distribution(name: str) -> Any:
    """An installed distribution with all of its metadata, as `importlib.metadata` has it; None where there is none."""
    return next(iter(importlib_metadata.distributions(name=name)), None)


def version(name: str) -> str | None:
    """The installed version of a distribution, None where it is not installed."""
    found = distribution(name)
    return None if found is None else str(found.version)


def providers_of(package: str) -> list[str]:
    """Normalised names of the installed distributions that have a package of this import name; else, its own name."""
    return [normalize(name) for name in _packages(tuple(sys.path)).get(package, (package,))]


@functools.lru_cache(1)
def _packages(_path: tuple[str, ...]) -> Mapping[str, list[str]]:
    """The distributions of each package, which takes a tenth of a second to find."""
    return importlib_metadata.packages_distributions()


def normalize(name: str) -> str:
    """The form in which distribution names are compared (PEP 503).

    >>> normalize("Acme_Rules")
    'acme-rules'
    """
    return re.sub(r"[-_.]+", "-", name).lower()
