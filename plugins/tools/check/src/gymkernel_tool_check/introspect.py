"""Functions that inspect environments and their source code without calling methods of the environments."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import traceback
from typing import Any

from gymkernel_tool_check.system import processes
from gymkernel_util_spaces.texts import error_text

__all__ = ["asks_for_display", "innermost", "is_a", "last_line", "package_of", "read", "source_of", "takes"]


def read(thing: Any, name: str, default: Any = None) -> Any:
    """Return an object's attribute, or the default if the attribute does not exist or raises an exception when read."""
    try:
        return getattr(thing, name, default)
    except Exception:  # noqa: BLE001 - a property may raise any exception
        return default


def is_a(value: Any, kinds: Any) -> bool:
    """Return whether a value is an instance of a class. Return False if `isinstance` raises an exception."""
    try:
        return isinstance(value, kinds)
    except Exception:  # noqa: BLE001 - `isinstance` reads `__class__`, which may be a property
        return False


def package_of(cls: type) -> str:
    """Return the package that defines a class, or "" if the class has no `__module__`, as is the case for SWIG classes.

    >>> package_of(inspect.Signature)
    'inspect'
    """
    return str(read(cls, "__module__", "") or "").partition(".")[0]


def asks_for_display(exc: BaseException) -> str:
    """Return the reason if an exception was caused by a missing display or graphics library; otherwise return ""."""
    text = f"{package_of(type(exc))}.{error_text(exc)}"
    names_fault = is_a(exc, AttributeError | NameError | NotImplementedError | AssertionError)
    found = not names_fault and processes.asks_for_a_display(text)
    return f"it needs a display: {error_text(exc)}" if found else ""


def innermost(env: Any) -> Any:
    """Return the environment inside all wrappers and adapters.

    The class attribute `_inside` of an adapter names the attribute that contains the adapted environment.
    """
    inner = read(env, "unwrapped", env)
    name = read(type(inner), "_inside")
    inside = read(inner, name) if isinstance(name, str) else None
    return inner if inside is None else innermost(inside)


def takes(env: Any, name: str) -> bool:
    """Return whether an environment's `reset` accepts a keyword argument. Return True if its signature is unknown."""
    try:
        parameters = inspect.signature(env.reset).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


def source_of(thing: Any) -> tuple[str, int] | None:
    """Return the file and line where a class or function is defined, or None if they are unknown."""
    try:
        thing = inspect.unwrap(thing)
        file = inspect.getsourcefile(thing)
        return None if file is None else (file, _line(thing, file))
    except (TypeError, OSError, ValueError):
        return None


def _line(thing: Any, file: str) -> int:
    """Return the same line as `inspect.getsourcelines`, but parse each file only once for all of its classes."""
    if not inspect.isclass(thing) or "__firstlineno__" in vars(thing):
        return inspect.findsource(thing)[1] + 1
    linecache.checkcache(file)
    lines = linecache.getlines(file, getattr(inspect.getmodule(thing, file), "__dict__", None))
    if line := _class_lines("".join(lines)).get(thing.__qualname__):
        return line
    raise OSError(f"no class {thing.__qualname__} in {file}")


@functools.lru_cache(maxsize=8)
def _class_lines(source: str) -> dict[str, int]:
    """Return the first line of each class, including its decorators, keyed by qualified name.

    If several classes have the same qualified name, the first one counts.
    """
    found: dict[str, int] = {}

    def look(node: ast.AST, scope: str) -> None:
        if isinstance(node, ast.expr):
            return
        if isinstance(node, ast.ClassDef):
            found.setdefault(
                scope + node.name, min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            )
            scope += f"{node.name}."
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            scope += f"{node.name}.<locals>."
        for part in ast.iter_child_nodes(node):
            look(part, scope)

    look(ast.parse(source), "")
    return found


def last_line(exc: BaseException) -> tuple[str, int] | None:
    """Return the file and line where an exception was raised, or None if it was never raised."""
    frames = traceback.extract_tb(exc.__traceback__)
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else None
