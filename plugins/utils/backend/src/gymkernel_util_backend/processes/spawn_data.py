"""`SpawnData`: what a worker that is not forked is given, so that it knows the program as a forked one does."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import cloudpickle

from gymkernel import logger, plugins, registry
from gymkernel.ops import OPERATIONS
from gymkernel_util_backend.processes.main_module import LazyMain, main_preparation
from gymkernel_util_backend.processes.pickling import dumps_functions, learn_classes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["SpawnData"]

FORK: Final = "pass context='fork'"


@dataclass(frozen=True, slots=True)
class SpawnData:
    """What the program has that a new interpreter lacks: paths, main module, functions, and what it registered."""

    path: list[str]
    main: dict[str, str]
    """Where the program's main module is."""
    functions: bytes
    registrations: bytes

    @classmethod
    def collect(
        cls, env_fns: Sequence[Callable[[], Any]], first: int, known_classes: set[str], *, by_fork: bool = True
    ) -> SpawnData:
        """The data for a worker; the error says which function cannot be pickled, and why.

        Args:
            env_fns: functions that make the environments.
            first: index of the first of them.
            known_classes: is given the ids of the classes that the worker has with its functions.
            by_fork: whether workers might be forked instead, which messages then recommend.
        """
        try:
            functions = dumps_functions(env_fns, known_classes)
        except Exception as exc:
            for i, make in enumerate(env_fns, first):
                try:
                    dumps_functions(make, set())
                except Exception as cause:  # noqa: BLE001 - whatever somebody's class raises
                    raise pickle.PicklingError(
                        f"The function that makes environment {i} cannot be pickled, {_why(by_fork=by_fork)}: {cause}. "
                        f"Make in the function what cannot be pickled{', or ' + FORK if by_fork else ''}"
                    ) from exc
            raise
        return cls(sys.path, main_preparation(), functions, _registrations(by_fork=by_fork))

    def install(self, *, elsewhere: bool = False) -> list[Any]:
        """Make this process what a forked one would be, as far as that goes; the functions.

        Args:
            elsewhere: whether it may be on another machine, or have other packages: its own paths come first then,
                and it keeps its main module.
        """
        if elsewhere:
            given = [path or os.getcwd() for path in self.path]  # noqa: PTH109 - sys.path has strings
            sys.path += [path for path in given if path not in sys.path]
        else:
            sys.path[:] = self.path
            LazyMain(self.main).install()
        functions: list[Any] = pickle.loads(self.functions)  # noqa: S301 - from this program's own parent
        learn_classes()
        _register(self.registrations)
        return functions


class _Unpicklable:
    """Stands for what makes environments of an id, where that cannot be pickled."""

    def __init__(self, env_id: str, why: str, *, by_fork: bool) -> None:
        self.env_id, self.why, self.by_fork = env_id, why, by_fork

    def __call__(self, **kwargs: Any) -> Any:
        raise pickle.PicklingError(
            f"The registration of {self.env_id} cannot be pickled, {_why(by_fork=self.by_fork)}: {self.why}. "
            f"Register an entry point of the form module:attribute{', or ' + FORK if self.by_fork else ''}"
        )


def _why(*, by_fork: bool) -> str:
    return "which workers need that are not forked" if by_fork else "which workers on other machines need"


def _registrations(*, by_fork: bool) -> bytes:
    """What this process registered by call, one by one, so that what cannot be pickled hurts nobody else."""
    specs = []
    for env_id, spec in registry.registered.items():
        try:
            specs.append(cloudpickle.dumps(spec))
        except Exception as exc:  # noqa: BLE001 - whatever a class of somebody else does when it is pickled
            missing = _Unpicklable(env_id, f"{type(exc).__name__}: {exc}", by_fork=by_fork)
            named = replace(spec, entry_point=missing, vector_entry_point=None, kwargs={}, additional_wrappers=())
            specs.append(cloudpickle.dumps(named))
    operations = []
    for name, operation in OPERATIONS.items():
        for cls, function in operation.registry.items():
            if _is_pickled_by_value(cls):
                with contextlib.suppress(Exception):  # it is missing where somebody asks for it
                    operations.append(cloudpickle.dumps((name, cls, function)))
    setups = []
    for setup in (one for several in plugins.call_hook("gymkernel_worker_setup", []) for one in several):
        with contextlib.suppress(Exception):  # as above
            setups.append(cloudpickle.dumps(setup))
    return bytes(cloudpickle.dumps((specs, registry.deleted, operations, setups)))


def _is_pickled_by_value(cls: type) -> bool:
    """Whether a class goes to workers by value, so that no module registers operations beside it there."""
    by_value = {"__main__", "__mp_main__", *cloudpickle.list_registry_pickle_by_value()}
    return cls.__module__ in by_value or "<locals>" in cls.__qualname__


def _register(data: bytes) -> None:
    """Register in this process what `_registrations` collected in its parent."""
    warnings.filterwarnings("ignore", message="(?s).*is registered already")  # by a module that is imported later
    specs, deleted, operations, setups = pickle.loads(data)  # noqa: S301 - from this program's own parent
    for one in specs:
        with _warning_of("a registration"):
            spec = pickle.loads(one)  # noqa: S301 - as above
            registry[spec.id] = spec
    for env_id in deleted:
        registry.pop(env_id, None)
    for one in operations:
        with _warning_of("an operation on a space"):
            name, cls, function = pickle.loads(one)  # noqa: S301 - as above
            OPERATIONS[name].register(cls, function)
    for one in setups:
        with _warning_of("what a plugin sets up in workers"):
            pickle.loads(one)()  # noqa: S301 - as above


@contextlib.contextmanager
def _warning_of(what: str) -> Iterator[None]:
    """Warn where something cannot be made here, and go on."""
    try:
        yield
    except Exception as exc:  # noqa: BLE001 - whatever a class of somebody else does when it is made
        logger.warn(f"{what} of the parent is missing in this worker: {type(exc).__name__}: {exc}")
