"""`Registrations`: what a program registered by call, for a process that is not forked from it."""

from __future__ import annotations

import contextlib
import pickle
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cloudpickle

from gymkernel import logger, plugins
from gymkernel.ops import OPERATIONS
from gymkernel.registration import registry
from gymkernel_util_spaces.texts import error_text

__all__ = ["Registrations"]


class Registrations:
    """Environments and operations that this process registered by call, what plugins set up, and its module path.

    A process that another machine or a launcher starts knows what is installed, and nothing of what the program did
    since. Make this in the program, send it (it pickles by plain pickle), and call `install` there, first of all.

    What cannot be pickled is missing there; an environment whose registration cannot be pickled says so when made.
    """

    def __init__(self) -> None:
        dumps = cloudpickle.dumps
        self._path = [str(Path(one).absolute()) for one in sys.path]
        self._specs: list[bytes] = []
        for env_id, spec in registry.registered.items():
            try:
                self._specs.append(dumps(spec))
            except Exception as exc:  # noqa: BLE001 - whatever a class of somebody else does when it is pickled
                absent = _NotPickled(env_id, error_text(exc))
                named = replace(spec, entry_point=absent, vector_entry_point=None, kwargs={}, additional_wrappers=())
                self._specs.append(dumps(named))
        self._deleted = list(registry.deleted)
        self._operations: list[bytes] = []
        for name, operation in OPERATIONS.items():
            for cls, function in operation.registry.items():
                if _has_no_module(cls):
                    with contextlib.suppress(Exception):  # it is missing where somebody asks for it
                        self._operations.append(dumps((name, cls, function)))
        self._setups: list[bytes] = []
        for setup in (one for several in plugins.call_hook("gymkernel_worker_setup", []) for one in several):
            with contextlib.suppress(Exception):  # as above
                self._setups.append(dumps(setup))

    def install(self) -> None:
        """Register here what the program had registered; what cannot be made here is warned of."""
        sys.path += [one for one in self._path if one not in sys.path and Path(one).exists()]
        warnings.filterwarnings("ignore", message="(?s).*is registered already")  # by a module that is imported later
        for one in self._specs:
            with _warning_of("a registration"):
                spec = pickle.loads(one)  # noqa: S301 - from this program
                registry[spec.id] = spec
        for env_id in self._deleted:
            registry.pop(env_id, None)
        for one in self._operations:
            with _warning_of("an operation on a space"):
                name, cls, function = pickle.loads(one)  # noqa: S301 - as above
                if cls not in OPERATIONS[name].registry:
                    OPERATIONS[name].register(cls, function)
        for one in self._setups:
            with _warning_of("what a plugin sets up in workers"):
                pickle.loads(one)()  # noqa: S301 - as above


class _NotPickled:
    """Stands for what makes environments of an id, where that cannot be pickled."""

    def __init__(self, env_id: str, why: str) -> None:
        self.env_id, self.why = env_id, why

    def __call__(self, **kwargs: Any) -> Any:
        raise pickle.PicklingError(
            f"The registration of {self.env_id} cannot be pickled, which workers need that are not forked: {self.why}. "
            "Register an entry point of the form module:attribute"
        )


def _has_no_module(cls: type) -> bool:
    """Whether a class goes to other processes by value, so that no module registers operations beside it there."""
    by_value = {"__main__", "__mp_main__", *cloudpickle.list_registry_pickle_by_value()}
    return cls.__module__ in by_value or "<locals>" in cls.__qualname__


@contextlib.contextmanager
def _warning_of(what: str) -> Iterator[None]:
    """Warn where something cannot be made here, and go on."""
    try:
        yield
    except Exception as exc:  # noqa: BLE001 - whatever a class of somebody else does when it is made
        logger.warn(f"{what} of the parent is missing in this worker: {error_text(exc)}")
