"""Functions that measure an environment's containers and its process's open files, threads and child processes."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import numpy as np

from gymkernel_tool_check.introspect import is_a, package_of, read, safely
from gymkernel_tool_check.probes.shared_data import layers, owners
from gymkernel_tool_check.system import processes

__all__ = ["Size", "container_sizes", "descriptors", "tasks"]

DEPTH: Final = 4
MOST: Final = 50
"""The maximum number of elements to search in a container."""


class Size(NamedTuple):
    """The size of a container.

    Attributes:
        number: the number of elements.
        expression: a Python expression for the number of elements.
        newest: the approximate size of the newest element in bytes, or 0 if it is unknown.
        table: whether the container is a dictionary or a set, which may be a cache.
        limit: the maximum size of a functools cache, or None if there is no maximum.
    """

    number: int
    expression: str
    newest: int = 0
    table: bool = False
    limit: int | None = None


def container_sizes(env: Any) -> dict[str, Size]:
    """Return the sizes of the containers and caches in an environment, its attributes, classes and modules, by name."""
    found: dict[str, Size] = {}
    seen: set[int] = {id(env)}
    for i, layer in enumerate(layers(env)):
        members = {name: value for name, value in getattr(layer, "__dict__", {}).items() if name != "env"}
        _measure("", f"env{'.env' * i}.", members, found, seen, DEPTH)
    for owner in owners(env):
        data = {k: v for k, v in vars(owner).items() if not k.startswith("__") and _grows(v)}
        where = f"sys.modules[{owner.__name__!r}]." if isinstance(owner, ModuleType) else "type(env.unwrapped)."
        _measure(f"{owner.__name__}.", where, data, found, seen, 1)
        for name, value in list(vars(owner).items()):
            info = read(read(value, "__func__", value), "cache_info")
            if callable(info):
                with contextlib.suppress(Exception):
                    size = Size(info().currsize, f"{where}{name}.cache_info().currsize", 100, limit=info().maxsize)
                    found[f"{owner.__name__}.{name}"] = size
    return found


def _grows(value: Any) -> bool:
    return is_a(value, list | dict | set | bytearray) or (is_a(value, deque) and value.maxlen is None)


def _measure(
    prefix: str, path: str, members: dict[str, Any], found: dict[str, Size], seen: set[int], depth: int
) -> None:
    for name, value in list(members.items()):
        if id(value) in seen:
            continue
        if is_a(value, np.ndarray):
            found[f"{prefix}{name}"] = Size(int(value.size), f"{path}{name}.size", value.itemsize)
            continue
        if _grows(value) or is_a(value, str | bytes | tuple):
            table = isinstance(value, dict | set)
            found[f"{prefix}{name}"] = Size(len(value), f"len({path}{name})", _newest(value), table)
        if depth:
            for label, expression, inner in _parts(f"{prefix}{name}", f"{path}{name}", value):
                seen.add(id(value))
                _measure(label, expression, inner, found, seen, depth - 1)


def _parts(name: str, path: str, value: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the contents of a container, or of an object whose class is part of neither Python nor NumPy."""
    if is_a(value, dict | list | tuple):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        some = [(key, part) for key, part in islice(pairs, MOST) if not is_a(part, str | bytes | int | float)]
        yield name, path, {f"[{key!r}]": part for key, part in some if isinstance(key, str | int)}
        return
    members = read(value, "__dict__")
    if is_a(members, dict) and not callable(value) and package_of(type(value)) not in FOREIGN:
        yield f"{name}.", f"{path}.", members


FOREIGN: Final = (sys.stdlib_module_names - {"__main__"}) | {"numpy", "torch", ""}


def _newest(value: Any) -> int:
    """Return the size of the newest element in bytes, or 0 if it is unknown."""
    try:
        last = next(reversed(value.values() if isinstance(value, dict) else value))
    except (TypeError, StopIteration):
        return 0
    return int(last.nbytes) if is_a(last, np.ndarray) else sys.getsizeof(last, 0)


def descriptors() -> dict[int, str] | None:
    """Return this process's open files, sockets and pipes, keyed by descriptor, or None if they cannot be listed."""
    folder = Path("/proc/self/fd" if sys.platform == "linux" else "/dev/fd")
    try:
        numbers = sorted(int(entry.name) for entry in folder.iterdir())
    except (OSError, ValueError):
        return None
    found = {}
    for number in numbers:
        with contextlib.suppress(OSError):
            os.fstat(number)  # fails for the descriptor with which the folder was read
            found[number] = str(safely((folder / str(number)).readlink, default="a file"))
    return found


def tasks() -> dict[str, str]:
    """Return descriptions of the threads and child processes of this process, each with a key that identifies it."""
    found = {f"thread {thread.ident}": f"the thread {thread.name}" for thread in threading.enumerate()}
    for pid in sorted(processes.children()):
        words = processes.command_of(pid).replace(b"\0", b" ").decode(errors="replace").strip()
        found[f"process {pid}"] = f"the process {pid}{words and f' ({words[:60]})'}"
    return found
