"""Process-wide settings: working directory, environment variables, warning filters, logging and random generators."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

__all__ = ["Settings", "state"]


def _folder() -> str:
    with contextlib.suppress(OSError):
        return str(Path.cwd())
    return "gone"


def _enter(folder: str) -> None:
    with contextlib.suppress(OSError):
        os.chdir(folder)


def _numpy_state() -> tuple[Any, ...]:
    found: Any = np.random.get_state()  # noqa: NPY002 - this function reads the global generator
    name, keys, *rest = found
    return name, keys.tobytes(), *rest


def _set_numpy_state(kept: tuple[Any, ...]) -> None:
    name, keys, *rest = kept
    np.random.set_state((name, np.frombuffer(keys, np.uint32), *rest))  # noqa: NPY002


def _set_filters(filters: list[Any]) -> None:
    if list(warnings.filters) != filters:
        warnings.filters[:] = filters  # type: ignore[index]
        warnings.simplefilter("default", append=True)  # tells Python that the filters have changed
        warnings.filters.pop()  # type: ignore[attr-defined]


def _set_handlers(handlers: list[Any]) -> None:
    logging.root.handlers[:] = handlers


class Setting(NamedTuple):
    """A process-wide setting, and how to read and write it.

    The aspect is the group of settings that this setting is in. Each group is checked by one rule.
    """

    aspect: str
    name: str
    read: Callable[[], Any]
    write: Callable[[Any], Any]


ROOT: Final = logging.root
SETTINGS: Final = (
    Setting("random", "random", random.getstate, random.setstate),
    Setting("random", "numpy.random", _numpy_state, _set_numpy_state),
    Setting("place", "the working directory", _folder, _enter),
    Setting("filters", "the warning filters", lambda: list(warnings.filters), _set_filters),
    Setting("filters", "numpy's handling of floating-point errors", np.geterr, lambda kept: np.seterr(**kept)),
    Setting("filters", "the level of the root logger", lambda: ROOT.level, ROOT.setLevel),
    Setting("filters", "the handlers of the root logger", lambda: list(ROOT.handlers), _set_handlers),
    Setting("filters", "logging.disable", lambda: ROOT.manager.disable, logging.disable),
    Setting("filters", "numpy's print options", np.get_printoptions, lambda kept: np.set_printoptions(**kept)),
)


def state() -> dict[tuple[str, str], Any]:
    """Return the state of all settings as a dictionary from (aspect, name) to a value that can be compared."""
    found = {(setting.aspect, setting.name): setting.read() for setting in SETTINGS}
    found.update({("place", f"os.environ[{name!r}]"): value for name, value in os.environ.items()})
    torch: Any = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_rng_state"):
        found["random", "torch"] = torch.get_rng_state().numpy().tobytes()
    return found


@dataclass(frozen=True, slots=True)
class Settings:
    """A snapshot of the process-wide settings that can be restored later.

    Attributes:
        values: the value of each setting in `SETTINGS`, in the same order.
        variables: the environment variables.
    """

    values: tuple[Any, ...]
    variables: dict[str, str]

    @classmethod
    def now(cls) -> Settings:
        """Take a snapshot of the current settings."""
        return cls(tuple(setting.read() for setting in SETTINGS), dict(os.environ))

    def restore(self) -> None:
        """Restore all settings to this snapshot."""
        for setting, value in zip(SETTINGS, self.values, strict=True):
            setting.write(value)
        for name in os.environ.keys() - self.variables.keys():
            del os.environ[name]
        os.environ.update(self.variables)
