"""Functions that repeat the program's registrations with Gymnasium in workers that are not forked."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gymnasium.envs import registration

from gymkernel_bridge_gymnasium.registration import BUILT_IN, register_ids

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec

__all__ = ["worker_setup"]

EVERYWHERE = (BUILT_IN, "gymkernel_bridge_gymnasium.creators.")
"""The prefixes of entry points that every process registers when it imports Gymnasium and this package."""


def worker_setup() -> list[Callable[[], None]]:
    """Return functions that register this process's ids in another process, one function per id."""
    specs = [spec for spec in registration.registry.values() if not _home(spec).startswith(EVERYWHERE)]
    return [register_ids, *(functools.partial(_register, spec) for spec in specs)]


def _home(spec: EnvSpec) -> str:
    entry_point: Any = spec.entry_point
    return entry_point if isinstance(entry_point, str) else getattr(entry_point, "__module__", None) or ""


def _register(spec: EnvSpec) -> None:
    # modules that are imported later may register the same ids
    warnings.filterwarnings("ignore", message="(?s).*already in registry")
    registration.registry[spec.id] = spec
