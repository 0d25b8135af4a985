"""The class `Registrations`, which transfers a program's registrations to processes that are not forked."""

from __future__ import annotations

import contextlib
import pickle
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle

from gymkernel import logger, plugins
from gymkernel.ops import OPERATIONS
from gymkernel.registration import registry
from gymkernel_util_spaces.texts import error_text

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["Registrations"]


class Registrations:
    """A picklable copy of a program's registered environments, operations, plugin setups and module paths.

    A process that runs on another machine or is started by a launcher has the installed packages, but not the
    registrations that the program has made since it started. Create this object in the program, and send it to the
    other process, for example with plain pickle. In that process, call `install` before anything else.

    Objects that cannot be pickled are missing in the other process. If the registration of an environment cannot be
    pickled, creating the environment there raises an error that explains the reason.
    """

    def __init__(self) -> None:
        self._path = [str(Path(entry).absolute()) for entry in sys.path]
        self._deleted = list(registry.deleted)
        self._repetitions: list[tuple[str, bytes]] = []
        """A description of each registration, and a pickled function that repeats it."""
        for env_id, spec in registry.registered.items():
            try:
                self._add("a registration", partial(_register_env, spec))
            except Exception as exc:  # noqa: BLE001 - pickling a third-party class may raise any exception
                placeholder = _NotPickled(env_id, error_text(exc))
                without_code = replace(
                    spec, entry_point=placeholder, vector_entry_point=None, kwargs={}, additional_wrappers=()
                )
                self._add("a registration", partial(_register_env, without_code))
        for name, operation in OPERATIONS.items():
            for cls, function in operation.registry.items():
                if _has_no_module(cls):
                    with contextlib.suppress(Exception):  # the operation will be missing in the other process
                        self._add("an operation on a space", partial(_register_operation, name, cls, function))
        for setup in (setup for setups in plugins.call_hook("gymkernel_worker_setup", []) for setup in setups):
            # If pickling fails, the setup function will be missing in the other process.
            with contextlib.suppress(Exception):
                self._add("the worker setup of a plugin", setup)

    def _add(self, what: str, function: Callable[[], Any]) -> None:
        self._repetitions.append((what, cloudpickle.dumps(function)))

    def install(self) -> None:
        """Repeat the program's registrations in this process, and warn about objects that cannot be unpickled."""
        sys.path += [entry for entry in self._path if entry not in sys.path and Path(entry).exists()]
        # modules that are imported later may register the same ids
        warnings.filterwarnings("ignore", message="(?s).*is registered already")
        for env_id in self._deleted:
            registry.pop(env_id, None)
        for what, data in self._repetitions:
            try:
                pickle.loads(data)()  # noqa: S301 - the program itself created the data
            except Exception as exc:  # noqa: BLE001 - unpickling a third-party class may raise any exception
                logger.warn(f"{what} of the parent process is missing in this worker: {error_text(exc)}")


def _register_env(spec: EnvSpec) -> None:
    registry[spec.id] = spec


def _register_operation(name: str, cls: type, function: Callable[..., Any]) -> None:
    if cls not in OPERATIONS[name].registry:
        OPERATIONS[name].register(cls, function)


class _NotPickled:
    """A substitute for an entry point that cannot be pickled. It raises an error when it is called."""

    def __init__(self, env_id: str, why: str) -> None:
        self.env_id, self.why = env_id, why

    def __call__(self, **kwargs: Any) -> Any:
        raise pickle.PicklingError(
            f"The registration of {self.env_id} cannot be pickled, but workers that are not forked need it: "
            f"{self.why}. Register an entry point of the form module:attribute"
        )


def _has_no_module(cls: type) -> bool:
    """Return whether a class is pickled by value, in which case no module registers operations for it elsewhere."""
    by_value = {"__main__", "__mp_main__", *cloudpickle.list_registry_pickle_by_value()}
    return cls.__module__ in by_value or "<locals>" in cls.__qualname__
