"""Pickle messages: refer to functions and classes by name if possible, and otherwise send them by value."""

from __future__ import annotations

import io
import pickle
import sys
from operator import attrgetter
from types import FunctionType
from typing import Any

import cloudpickle
from cloudpickle import cloudpickle as tracker

from gymkernel_util_vector.processes.main_module import lazy_main

__all__ = ["dumps", "dumps_by_name", "dumps_functions", "learn_classes"]

_CLASS_IDS: Any = getattr(tracker, "_DYNAMIC_CLASS_TRACKER_BY_CLASS", {})
_CLASSES: Any = getattr(tracker, "_DYNAMIC_CLASS_TRACKER_BY_ID", {})
"""Cloudpickle's ids of the classes that were pickled by value. Both sides use the same ids."""

_parent_classes: set[str] = set()
"""The ids of the classes that this worker received with its functions. The parent has the original classes."""


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """A pickler that refers to a class by an id if the other process already has the class.

    If such a class were pickled by value again, its attributes and methods would be overwritten in the other process.

    Args:
        known: the ids of the classes that the other process already has.
        learn: whether to add the classes that are pickled now to `known`.
        main: whether the other process has this process's main module, so that objects in it can be pickled by name.
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
    """Return whether a class or function can be found under its name in the main module."""
    lazy_main.suspended = True
    try:
        return obj.__module__ == "__main__" and attrgetter(obj.__qualname__)(sys.modules["__main__"]) is obj
    except AttributeError:
        return False
    finally:
        lazy_main.suspended = False


def _class_of(class_id: str) -> Any:
    return _CLASSES[class_id]


def learn_classes() -> None:
    """Record that the parent process has all classes that this process received by value."""
    _parent_classes.update(_CLASS_IDS.values())


def dumps_functions(functions: Any, known: set[str]) -> bytes:
    """Pickle functions for a worker that is not forked, and record the classes that it receives with them."""
    file = io.BytesIO()
    _Pickler(file, known, learn=True).dump(functions)
    return file.getvalue()


def dumps_by_name(message: Any) -> bytes:
    """Pickle a message that refers to functions and classes by name, without running the main module.

    Args:
        message: any object whose functions and classes are in modules that the receiver also has.
    """
    lazy_main.suspended = True
    try:
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    finally:
        lazy_main.suspended = False


def dumps(message: Any, known: set[str] | None = None) -> bytes:
    """Pickle a message.

    Args:
        message: a message for a worker, or for the parent of this process.
        known: for a worker that is not forked, the ids of the classes that it received by value. Such a worker runs the
            main module only when it is first used.
    """
    try:
        data = dumps_by_name(message)
        if known is None or b"__main__" not in data:
            return data
    except Exception:  # noqa: BLE001, S110 - cloudpickle reports objects that it cannot pickle either
        pass
    file = io.BytesIO()
    _Pickler(file, _parent_classes if known is None else known, main=known is None).dump(message)
    return file.getvalue()
