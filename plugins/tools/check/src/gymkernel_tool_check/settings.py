"""What belongs to the whole process: directory, variables, filters of warnings, logs, global generators."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Settings", "state"]


def state() -> dict[tuple[str, str], Any]:
    """The state of everything: (kind, name) and a value to compare; kinds are "random", "place" and "filters"."""
    found: dict[tuple[str, str], Any] = {
        ("random", "random"): random.getstate(),
        ("random", "numpy.random"): _numpy_state(),
        ("place", "the working directory"): _folder(),
        ("filters", "the warning filters"): list(warnings.filters),
        ("filters", "numpy's handling of floating-point errors"): np.geterr(),
        ("filters", "the level of the root logger"): logging.root.level,
        ("filters", "the handlers of the root logger"): list(logging.root.handlers),
        ("filters", "logging.disable"): logging.root.manager.disable,
        ("filters", "numpy's print options"): {key: str(value) for key, value in np.get_printoptions().items()},
    }
    found.update({("place", f"os.environ[{name!r}]"): value for name, value in os.environ.items()})
    torch: Any = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "get_rng_state"):
        found["random", "torch"] = torch.get_rng_state().numpy().tobytes()
    return found


def _numpy_state() -> tuple[Any, ...]:
    found: Any = np.random.get_state()  # noqa: NPY002 - the global generator is what is meant
    return found[1].tobytes(), *found[2:]


def _folder() -> str:
    with contextlib.suppress(OSError):
        return str(Path.cwd())
    return "gone"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the process at one moment, to be put back."""

    folder: str
    variables: dict[str, str]
    filters: list[Any]
    errors: dict[str, Any]
    printing: dict[str, Any]
    level: int
    handlers: list[Any]
    disabled: int
    generators: tuple[Any, Any]

    @classmethod
    def now(cls) -> Settings:
        """As they are."""
        root, filters = logging.root, list(warnings.filters)
        errors, printing = dict(np.geterr()), dict(np.get_printoptions())
        level, handlers, disabled = root.level, list(root.handlers), root.manager.disable
        generators = random.getstate(), np.random.get_state()  # noqa: NPY002 - the global generator is what is meant
        return cls(_folder(), dict(os.environ), filters, errors, printing, level, handlers, disabled, generators)

    def restore(self) -> None:
        """Put everything back."""
        with contextlib.suppress(OSError):
            os.chdir(self.folder)
        for name in os.environ.keys() - self.variables.keys():
            del os.environ[name]
        os.environ.update(self.variables)
        if list(warnings.filters) != self.filters:
            warnings.filters[:] = self.filters  # type: ignore[index]
            warnings.simplefilter("default", append=True)  # which tells Python that they changed
            warnings.filters.pop()  # type: ignore[attr-defined]
        np.seterr(**self.errors)
        np.set_printoptions(**self.printing)
        logging.root.setLevel(self.level)
        logging.root.handlers[:] = self.handlers
        logging.root.manager.disable = self.disabled
        random.setstate(self.generators[0])
        np.random.set_state(self.generators[1])  # noqa: NPY002 - the global generator is what is meant
