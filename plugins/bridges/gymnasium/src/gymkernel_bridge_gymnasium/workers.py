"""What the program registered with Gymnasium while it ran, for workers that are not forked."""

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
"""Where entry points are of ids that every process has which imports Gymnasium and this package."""


def worker_setup() -> list[Callable[[], None]]:
    """Functions that give another process the ids that Gymnasium has in this one, each by itself."""
    specs = [spec for spec in registration.registry.values() if not _home(spec).startswith(EVERYWHERE)]
    return [register_ids, *(functools.partial(_register, spec) for spec in specs)]


def _home(spec: EnvSpec) -> str:
    entry_point: Any = spec.entry_point
    return entry_point if isinstance(entry_point, str) else getattr(entry_point, "__module__", None) or ""


def _register(spec: EnvSpec) -> None:
    warnings.filterwarnings("ignore", message="(?s).*already in registry")  # by a module that is imported later
    registration.registry[spec.id] = spec
