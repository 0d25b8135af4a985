"""What the program registered while it ran, for workers that are not forked: ids, operations, and what plugins keep."""

from __future__ import annotations

import contextlib
import pickle
import warnings
from dataclasses import replace
from typing import Any

import cloudpickle

from gymkernel import logger, plugins, registry
from gymkernel.ops import OPERATIONS

__all__ = ["register_again", "registrations"]


class _Unpicklable:
    """Stands for what makes environments of an id, where that cannot be pickled."""

    def __init__(self, env_id: str, why: str) -> None:
        self.env_id, self.why = env_id, why

    def __call__(self, **kwargs: Any) -> Any:
        message = (
            f"The registration of {self.env_id} cannot be pickled, which workers need that are not forked: {self.why}. "
            "Register an entry point of the form module:attribute, or pass context='fork'"
        )
        raise pickle.PicklingError(message)


def registrations() -> bytes:
    """What this process registered by call, one by one, so that what cannot be pickled hurts nobody else."""
    specs = []
    for env_id, spec in registry.registered.items():
        try:
            specs.append(cloudpickle.dumps(spec))
        except Exception as exc:  # noqa: BLE001 - whatever a class of somebody else does when it is pickled
            missing = _Unpicklable(env_id, f"{type(exc).__name__}: {exc}")
            told = replace(spec, entry_point=missing, vector_entry_point=None, kwargs={}, additional_wrappers=())
            specs.append(cloudpickle.dumps(told))
    operations = []
    for name, operation in OPERATIONS.items():
        for cls, function in operation.registry.items():
            if _travels(cls):
                with contextlib.suppress(Exception):  # it is missing where somebody asks for it
                    operations.append(cloudpickle.dumps((name, cls, function)))
    setups = []
    for setup in (one for several in plugins.call_hook("gymkernel_worker_setup", []) for one in several):
        with contextlib.suppress(Exception):  # as above
            setups.append(cloudpickle.dumps(setup))
    return bytes(cloudpickle.dumps((specs, registry.deleted, operations, setups)))


def _travels(cls: type) -> bool:
    """Whether a class goes to workers by value, so that nothing registers operations beside it there."""
    by_value = {"__main__", "__mp_main__", *cloudpickle.list_registry_pickle_by_value()}
    return cls.__module__ in by_value or "<locals>" in cls.__qualname__


def register_again(data: bytes) -> None:
    """Register in this process what `registrations` told of its parent."""
    warnings.filterwarnings("ignore", message="(?s).*is registered already")  # by a module that is imported later
    specs, deleted, operations, setups = pickle.loads(data)  # noqa: S301 - from this program's own parent
    for one in specs:
        with _told("a registration"):
            spec = pickle.loads(one)  # noqa: S301 - as above
            registry[spec.id] = spec
    for env_id in deleted:
        registry.pop(env_id, None)
    for one in operations:
        with _told("an operation on a space"):
            name, cls, function = pickle.loads(one)  # noqa: S301 - as above
            OPERATIONS[name].register(cls, function)
    for one in setups:
        with _told("what a plugin sets up in workers"):
            pickle.loads(one)()  # noqa: S301 - as above


@contextlib.contextmanager
def _told(what: str) -> Any:
    try:
        yield
    except Exception as exc:  # noqa: BLE001 - whatever a class of somebody else does when it is made
        logger.warn(f"{what} of the parent is missing in this worker: {type(exc).__name__}: {exc}")
