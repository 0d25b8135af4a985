"""Functions that pickle messages. Functions and classes are pickled by name if possible, and otherwise by value."""

from __future__ import annotations

import io
import pickle
import sys
from operator import attrgetter
from types import FunctionType
from typing import Any

import cloudpickle
from cloudpickle import cloudpickle as tracker

from gymkernel_util_vector.processes.main_module import LazyMain

__all__ = ["dumps", "dumps_by_name", "dumps_functions", "learn_classes"]

_CLASS_IDS: Any = getattr(tracker, "_DYNAMIC_CLASS_TRACKER_BY_CLASS", {})
_CLASSES: Any = getattr(tracker, "_DYNAMIC_CLASS_TRACKER_BY_ID", {})
"""The classes that cloudpickle has pickled by value, keyed by id. Both processes use the same ids."""

_parent_classes: set[str] = set()
"""The ids of the classes that this worker has received with its functions. The parent has the original classes."""


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """A pickler that replaces a class with an id if the other process already has the class.

    Pickling the class by value again would overwrite its attributes and methods in the other process.

    Args:
        known: the ids of the classes that the other process already has.
        learn: whether to add each class that is pickled by value to `known`.
        main: whether the other process has the same main module, so that its functions and classes can be pickled by
            name.
    """

    def __init__(self, file: io.BytesIO, known: set[str], *, learn: bool = False, main: bool = False) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._known, self._learn, self._main = known, learn, main

    def reducer_override(self, obj: Any) -> Any:
        is_class = isinstance(obj, type)
        if self._main and (is_class or isinstance(obj, FunctionType)) and _is_in_main(obj):
            return NotImplemented
        if is_class and not self._learn and _CLASS_IDS.get(obj) in self._known:
            return _class_of, (_CLASS_IDS[obj],)
        reduced = super().reducer_override(obj)
        if self._learn and is_class and reduced is not NotImplemented and obj in _CLASS_IDS:
            self._known.add(_CLASS_IDS[obj])
        return reduced


def _is_in_main(obj: Any) -> bool:
    """Return whether a class or function can be imported from the main module by its name."""
    LazyMain.suspended = True
    try:
        return obj.__module__ == "__main__" and attrgetter(obj.__qualname__)(sys.modules["__main__"]) is obj
    except AttributeError:
        return False
    finally:
        LazyMain.suspended = False


def _class_of(class_id: str) -> Any:
    return _CLASSES[class_id]


def learn_classes() -> None:
    """Record that the parent process already has all classes that this process has received by value."""
    _parent_classes.update(_CLASS_IDS.values())


def dumps_functions(functions: Any, known: set[str]) -> bytes:
    """Pickle functions for a worker that is not forked, and add the ids of classes pickled by value to `known`."""
    file = io.BytesIO()
    _Pickler(file, known, learn=True).dump(functions)
    return file.getvalue()


def dumps_by_name(message: Any) -> bytes:
    """Pickle a message in which all functions and classes are referred to by name. Workers do not run the main module.

    Args:
        message: any object. Its functions and classes must be in modules that the receiver also has.
    """
    LazyMain.suspended = True
    try:
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    finally:
        LazyMain.suspended = False


def dumps(message: Any, known: set[str] | None = None) -> bytes:
    """Pickle a message for a worker or for the parent process.

    Args:
        message: any object that plain pickle or cloudpickle can pickle.
        known: for a message to a worker that is not forked, the ids of the classes that the worker has received by
            value. Such a worker runs the main module only when the module is first used. For other messages, None.
    """
    try:
        data = dumps_by_name(message)
        if known is None or b"__main__" not in data:
            return data
    except Exception:  # noqa: BLE001, S110 - if cloudpickle cannot pickle the message either, it raises a precise error
        pass
    file = io.BytesIO()
    _Pickler(file, _parent_classes if known is None else known, main=known is None).dump(message)
    return file.getvalue()
