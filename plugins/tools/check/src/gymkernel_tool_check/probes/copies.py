"""A probe that copies an environment in the middle of an episode, using pickle and copy.deepcopy."""

from __future__ import annotations

import contextlib
import copy
import pickle
import pkgutil
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Final

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import is_a, package_of, read, safely
from gymkernel_tool_check.probes.nondeterminism import repeats
from gymkernel_tool_check.probes.shared_data import generators, layers, state_of
from gymkernel_tool_check.probes.trace import Call, Mismatch, Recorder, first_mismatch
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.texts import error_text

__all__ = ["Copied", "copies", "culprit", "not_importable", "pickled"]

BEFORE: Final = 3
AFTER: Final = 12


@dataclass(slots=True)
class Copied:
    """The result of copying an environment with pickle or with deepcopy.

    Attributes:
        how: how the copy was made: "pickle" or "deepcopy".
        error: the exception that copying raised, or None if the copy was made.
        culprit: the name and type of the attribute that cannot be copied, or "" if there is none.
        resource: whether this attribute is a resource that cannot be copied at all, such as a file or a lock.
        changed: how the original differs, after its copy was stepped, from an environment that was never copied; None
            if they agree.
        mismatch: the first difference between the copy and the original, or None if they agree.
        lost: the names of the random number generators whose state was not copied.
        skipped: why copying was not tried, or "" if it was tried.
        endless: the class whose `__getattr__` recurses endlessly on a new object, which has no attributes yet, and the
            attribute that it reads; None if there is no such class.
    """

    how: str
    error: BaseException | None = None
    culprit: str = ""
    resource: bool = False
    changed: Mismatch | None = None
    mismatch: Mismatch | None = None
    lost: list[str] = field(default_factory=list)
    skipped: str = ""
    endless: tuple[str, str] | None = None


@probe()
def copies(subject: Subject) -> list[Copied]:
    """Copy an environment in the middle of an episode, and compare the copy and the original with another instance."""
    env = subject.env()
    if (endless := _endless(env)) is not None:
        return [Copied(how, endless=endless, skipped="copies never end (GK901)") for how in ("pickle", "deepcopy")]
    subject.shut(env)
    expected = _expected(subject)
    if expected is None:
        raise Skip("the environment fails before it can be copied")
    return [_try(subject, how, expected) for how in ("pickle", "deepcopy")]


def _endless(env: Any) -> tuple[str, str] | None:
    """Return a class whose `__getattr__` recurses endlessly, and the attribute that it reads, or None.

    Like `copy.copy`, `copy.deepcopy` and `pickle.loads`, this function creates an object without attributes and reads
    its attribute `__setstate__`. It calls none of these functions, because a shallow copy would share files and
    simulators with the original. The environment and the objects in its attributes are examined.
    """
    for layer in layers(env):
        for part in (layer, *read(layer, "__dict__", {}).values()):
            cls = type(part)
            if not is_a(read(cls, "__getattr__"), FunctionType) or hasattr(cls, "__setstate__"):
                continue
            blank = _blank(part)
            try:
                hasattr(blank, "__setstate__")
            except RecursionError as exc:
                return cls.__qualname__, _asked_for(exc, cls)
            except Exception:  # noqa: BLE001, S110 - only endless recursion matters here
                pass
    return None


def _blank(thing: Any) -> Any:
    """Return a new object of the same class without attributes, or None if the class defines how it is copied."""
    cls: Any = type(thing)
    if any(name in vars(base) for base in cls.__mro__[:-1] for name in ("__reduce__", "__reduce_ex__", "__deepcopy__")):
        return None
    return safely(cls.__new__, cls)  # `__new__` may need arguments


def _asked_for(exc: RecursionError, cls: type) -> str:
    """Return the last attribute that the `__getattr__` of a class read before the recursion limit was reached."""
    code, name = cls.__getattr__.__code__, ""  # type: ignore[attr-defined]
    for frame, _ in traceback.walk_tb(exc.__traceback__):
        if frame.f_code is code:
            name = str(frame.f_locals.get(code.co_varnames[1], name))
    return name


def _begin(recorder: Recorder) -> bool:
    """Reset the environment, take a few steps, and return whether every call succeeded."""
    recorder.reset(seed=recorder.subject.options.seed)
    with contextlib.suppress(Skip):
        recorder.play(BEFORE, one_episode=True)
    return not recorder.trace.stopped


def _expected(subject: Subject) -> list[Call] | None:
    """Return the calls with which an environment that was never copied continues its run.

    Return an empty list if runs are not reproducible, and None if a call fails.
    """
    recorder = Recorder(subject, subject.env())
    if not _begin(recorder):
        return None
    start = len(recorder.trace.calls)
    with contextlib.suppress(Skip):
        recorder.play(AFTER)
        if not recorder.trace.stopped:
            recorder.reset()
    calls = recorder.trace.calls[start:]
    return calls if repeats(subject) and all(call.error is None for call in calls) else []


def _try(subject: Subject, how: str, expected: list[Call]) -> Copied:
    seen, recorder = Copied(how), Recorder(subject, subject.env())
    if not _begin(recorder):
        seen.skipped = "the environment fails before it can be copied"
        return seen
    if how == "pickle" and (strange := not_importable(recorder.env)):
        seen.skipped = f"{strange} cannot be imported by its name"
        return seen
    env: Any = recorder.env
    make: Callable[[Any], Any] = copy.deepcopy if how == "deepcopy" else pickled
    subject.at(how)
    twin, seen.error = subject.attempt(make, env)
    if seen.error is not None:
        if _is_only_one(subject, seen.error):
            seen.skipped = f"a copy is a second instance, which cannot be created: {error_text(seen.error)}"
            return seen
        seen.culprit, seen.resource = culprit(env, make)
        return seen
    mine, theirs = ({name: state_of(found) for name, found in generators(one).values()} for one in (env, twin))
    seen.lost = [name for name, state in mine.items() if theirs.get(name) != state]
    other = Recorder(subject, twin)
    other.trace.calls.append(recorder.trace.calls[-1])
    if expected:
        seen.mismatch = first_mismatch(expected, other.repeat(expected))
        seen.changed = first_mismatch(expected, recorder.repeat(expected))
    subject.shut(twin)
    return seen


def _is_only_one(subject: Subject, exc: Exception) -> bool:
    """Return whether copying fails only because EzPickle creates a second instance, which cannot exist."""
    if subject.make is None:
        return False
    second, error = subject.attempt(subject.create, subject.make)
    if error is None:
        subject.shut(second)
    return error is not None and error_text(error) == error_text(exc)


def pickled(env: Any) -> Any:
    """Return a copy made with pickle."""
    return pickle.loads(pickle.dumps(env))  # noqa: S301 - the data was pickled here


def not_importable(env: Any) -> str:
    """Return the name of a class in the environment that pickle cannot import, or "" if there is none."""
    for layer in layers(env):
        cls = type(layer)
        if safely(pkgutil.resolve_name, f"{cls.__module__}:{cls.__qualname__}") is not cls:
            return cls.__qualname__
    return ""


def culprit(env: Any, make: Callable[[Any], Any]) -> tuple[str, bool]:
    """Describe the attribute that cannot be copied, and return whether it is a resource (see `Copied`)."""
    for layer in layers(env):
        members = [(name, value) for name, value in getattr(layer, "__dict__", {}).items() if name != "env"]
        if (failing := _first_failing(members, make)) is not None:
            return _named(*failing, make)
    return "", False


def _first_failing(parts: list[tuple[str, Any]], make: Callable[[Any], Any]) -> tuple[str, Any] | None:
    """Return the first (name, value) pair whose value cannot be copied, or None."""
    for name, value in parts:
        try:
            make(value)
        except Exception:  # noqa: BLE001 - a third-party class may raise any exception
            return name, value
    return None


def _named(name: str, value: Any, make: Callable[[Any], Any]) -> tuple[str, bool]:
    """Find the element or attribute that prevents an object from being copied, and describe it as `culprit` does."""
    parts: list[tuple[str, Any]] = []
    if is_a(value, dict | list | tuple):
        pairs = value.items() if is_a(value, dict) else enumerate(value)
        parts = [(f"{name}[{key!r}]", part) for key, part in pairs]
    elif not is_a(value, FunctionType | ModuleType | type):
        parts = [(f"{name}.{key}", part) for key, part in read(value, "__dict__", {}).items()]
    if (failing := _first_failing(parts[:50], make)) is not None:
        return _named(*failing, make) if failing[0].count(".") < 4 else (failing[0], False)
    cls = type(value)
    shown = f"{name} ({'lambda' if read(value, '__name__') == '<lambda>' else cls.__name__})"
    root = package_of(cls)
    code = is_a(value, FunctionType | ModuleType | type) or root == "builtins"
    # the author of a class written in Python can make it copyable
    in_python = any(isinstance(member, FunctionType) for member in vars(cls).values())
    return shown, root in _LIBRARY or not (code or in_python)


_LIBRARY: Final = {"_io", "_thread", "threading", "socket", "ssl", "subprocess", "sqlite3", "mmap", "queue", "_queue"}
"""Standard library modules whose objects are files, locks, threads or connections."""
