"""Fake clocks for environments, which advance by a fixed amount of time whenever they are read."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import sys
import time
import types
from collections.abc import Callable, Iterator
from typing import Any, Final

from gymkernel_tool_check.introspect import is_a, package_of, read

__all__ = ["clock_modules", "fake_clock"]

CLOCKS: Final = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
START: Final = 1_700_000_000.0
FOREIGN: Final = (sys.stdlib_module_names - {"__main__"}) | {"gymkernel", "gymnasium", "numpy"}
"""Packages in which clocks must not be replaced."""


def clock_modules(env: Any) -> list[Any]:
    """Return the modules in an environment's own package that use a clock."""
    layers, layer = [env], env
    while (layer := read(layer, "env", None)) is not None and layer not in layers:
        layers.append(layer)
    classes = {cls for level in layers for cls in type(level).__mro__}
    names = {read(cls, "__module__", "") for cls in classes if package_of(cls) not in FOREIGN} - {""}
    packages = tuple({f"{name.partition('.')[0]}." for name in names if "." in name})
    found = [module for name, module in list(sys.modules.items()) if name in names or name.startswith(packages)]
    return [module for module in found if _mentions_a_clock(module)]


def _mentions_a_clock(module: Any) -> bool:
    clocks = _replacements(lambda: START)
    own = getattr(module, "__dict__", {})
    if any(id(value) in clocks for value in list(own.values())):
        return True
    words = {"time", "datetime"}  # functions that use these names probably import a clock when they are called
    return any(words & set(code.co_names) and "time" not in code.co_varnames for code in _codes(own, module))


def _codes(own: dict[str, Any], module: Any) -> Iterator[types.CodeType]:
    for value in list(own.values()):
        is_own = is_a(value, type) and read(value, "__module__") == module.__name__
        for member in vars(value).values() if is_own else [value]:
            code = getattr(member, "__code__", None)
            if isinstance(code, types.CodeType):
                yield code


@contextlib.contextmanager
def fake_clock(modules: list[Any], tick: float) -> Iterator[None]:
    """Replace the clocks in the given modules with a clock that advances by `tick` seconds whenever it is read."""
    pairs = _replacements(itertools.count(START + tick, tick).__next__)
    kept: list[tuple[Any, str, Any]] = []
    for module in modules:
        for name, value in list(vars(module).items()):
            if id(value) in pairs:
                kept.append((module, name, value))
                setattr(module, name, pairs[id(value)])
    before = {name: sys.modules[name] for name in ("time", "datetime")}
    # functions of the environment may import a clock when they are called
    sys.modules.update({name: pairs[id(module)] for name, module in before.items()})
    try:
        yield
    finally:
        sys.modules.update(before)
        for module, name, value in kept:
            setattr(module, name, value)


def _replacements(look: Callable[[], float]) -> dict[int, Any]:
    """Return replacements for Python's clocks, keyed by the `id` of the original module, class or function."""

    class Datetime(dt.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return dt.datetime.fromtimestamp(look(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return dt.datetime.fromtimestamp(look(), dt.UTC).replace(tzinfo=None)

        today = now

    functions = {name: look for name in CLOCKS if hasattr(time, name)}
    functions |= {f"{name}_ns": lambda: int(look() * 1e9) for name in CLOCKS if hasattr(time, f"{name}_ns")}
    fake_time, fake_datetime = types.ModuleType("time"), types.ModuleType("datetime")
    vars(fake_time).update({**vars(time), **functions})
    vars(fake_datetime).update({**vars(dt), "datetime": Datetime})
    found: dict[int, Any] = {id(time): fake_time, id(dt): fake_datetime, id(dt.datetime): Datetime}
    return found | {id(getattr(time, name)): function for name, function in functions.items()}
