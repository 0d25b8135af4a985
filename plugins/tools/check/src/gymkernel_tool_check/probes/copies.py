"""Copies of an environment in the middle of an episode: by pickle, by copy.deepcopy, and by its spec."""

from __future__ import annotations

import contextlib
import copy
import importlib
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Final

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import is_a, package_of, read
from gymkernel_tool_check.shared_data import generators, layers, state_of
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.trace import Call, Mismatch, Recorder, differing_part

__all__ = ["Copied", "copies", "culprit", "not_importable", "pickled"]

BEFORE: Final = 3
AFTER: Final = 12


@dataclass(slots=True)
class Copied:
    """What came of one way to copy.

    Attributes:
        how: "pickle" or "deepcopy".
        error: what it raised.
        culprit: the attribute that cannot be copied, and its type.
        resource: whether that is something of which no copy can be.
        changed: where the original does something else after the copy was stepped: a call, the part, and how.
        parted: where the copy does something else than the original.
        lost: generators whose state the copy does not have.
        skipped: why it cannot be tried.
    """

    how: str
    error: BaseException | None = None
    culprit: str = ""
    resource: bool = False
    changed: Mismatch | None = None
    mismatch: Mismatch | None = None
    lost: list[str] = field(default_factory=list)
    skipped: str = ""


@probe()
def copies(subject: Subject) -> list[Copied]:
    """Copy in the middle of an episode, step the copy, then the original; and compare with one that was not copied."""
    expected = _expected(subject)
    if expected is None:
        raise Skip("it fails before it can be copied")
    return [_try(subject, how, expected) for how in ("pickle", "deepcopy")]


def _begin(recorder: Recorder) -> bool:
    """Reset, and take a few steps; whether all that works."""
    call = recorder.reset(seed=recorder.subject.options.seed)
    with contextlib.suppress(Skip):
        for _ in range(BEFORE):
            if call.error is None and not call.ended:
                call = recorder.step()
    return call.error is None and call.episode > 0 and not recorder.trace.stopped


def _go_on(recorder: Recorder) -> list[Call]:
    """Calls from now on."""
    start, call = len(recorder.trace.calls), recorder.trace.calls[-1]
    with contextlib.suppress(Skip):
        for _ in range(AFTER):
            call = recorder.reset() if call.ended else recorder.step()
            if recorder.trace.stopped:
                break
        if not recorder.trace.stopped:
            recorder.reset()
    return recorder.trace.calls[start:]


def _expected(subject: Subject) -> list[Call] | None:
    """What an environment that is not copied does from that point on; nothing where runs are not reproducible."""
    runs = []
    for _ in range(2):
        recorder = Recorder(subject, subject.env())
        if not _begin(recorder):
            return None
        runs.append(_go_on(recorder) if recorder.takes["seed"] else [])
    same = not subject.nondeterministic and not any(differing_part(a, b) for a, b in zip(*runs, strict=False))
    return runs[0] if same and all(call.error is None for call in runs[0]) else []


def _try(subject: Subject, how: str, expected: list[Call]) -> Copied:
    seen, recorder = Copied(how), Recorder(subject, subject.env())
    if not _begin(recorder):
        seen.skipped = "it fails before it can be copied"
        return seen
    if how == "pickle" and (strange := not_importable(recorder.env)):
        seen.skipped = f"{strange} cannot be imported by its name"
        return seen
    env: Any = recorder.env
    make: Callable[[Any], Any] = copy.deepcopy if how == "deepcopy" else pickled
    subject.at(how)
    twin, seen.error = subject.attempt(make, env)
    if seen.error is not None:
        seen.culprit, seen.resource = culprit(env, make)
        return seen
    mine = {name: state_of(generator) for name, generator in generators(env).values()}
    theirs = {name: state_of(generator) for name, generator in generators(twin).values()}
    seen.lost = [name for name, state in mine.items() if theirs.get(name) != state]
    other = Recorder(subject, twin)
    other.trace.calls.append(recorder.trace.calls[-1])
    if expected:
        seen.mismatch = other.first_mismatch(expected)
        seen.changed = recorder.first_mismatch(expected)
    subject.shut(twin)
    return seen


def pickled(env: Any) -> Any:
    """A copy by pickle."""
    return pickle.loads(pickle.dumps(env))  # noqa: S301 - it was pickled here


def not_importable(env: Any) -> str:
    """A class of the environment that pickle cannot find by its name, as those of a function."""
    for layer in layers(env):
        cls = type(layer)
        found: Any = None
        with contextlib.suppress(Exception):
            found = importlib.import_module(cls.__module__)
            for part in cls.__qualname__.split("."):
                found = getattr(found, part)
        if found is not cls:
            return cls.__qualname__
    return ""


def culprit(env: Any, make: Callable[[Any], Any]) -> tuple[str, bool]:
    """The attribute that cannot be copied, with its type; and whether it is something which cannot be copied."""
    for layer in layers(env):
        for name, value in getattr(layer, "__dict__", {}).items():
            if name == "env":
                continue
            try:
                make(value)
            except Exception as exc:  # noqa: BLE001 - of any kind
                return _named(name, value, exc, make)
    return "", False


def _named(name: str, value: Any, exc: Exception, make: Callable[[Any], Any]) -> tuple[str, bool]:
    """Go into a container or an object, as far as that leads."""
    parts: list[tuple[str, Any]] = []
    if is_a(value, dict):
        parts = [(f"{name}[{key!r}]", part) for key, part in value.items()]
    elif is_a(value, list | tuple):
        parts = [(f"{name}[{i}]", part) for i, part in enumerate(value)]
    elif not is_a(value, FunctionType | ModuleType | type):
        parts = [(f"{name}.{key}", part) for key, part in read(value, "__dict__", {}).items()]
    for inner, part in parts[:50]:
        try:
            make(part)
        except Exception as deeper:  # noqa: BLE001 - of any kind
            return _named(inner, part, deeper, make) if inner.count(".") < 4 else (inner, False)
    cls = type(value)
    shown = f"{name} ({'lambda' if read(value, '__name__') == '<lambda>' else cls.__name__})"
    root = package_of(cls)
    code = is_a(value, FunctionType | ModuleType | type) or root == "builtins"
    in_python = any(isinstance(member, FunctionType) for member in vars(cls).values())  # it could be made copyable
    return shown, root in _LIBRARY or not (code or in_python)


_LIBRARY: Final = {"_io", "_thread", "threading", "socket", "ssl", "subprocess", "sqlite3", "mmap", "queue", "_queue"}
"""Modules whose objects are files, locks, threads, connections."""
