"""Functions that give gymkernel's modules the names that only Gymnasium's modules have, such as private helpers.

Gymnasium's modules are never executed as a whole, because they would define a second version of each of gymkernel's
classes. Instead, only the statement that defines a requested name is executed. Other names in the statement refer to
gymkernel's objects if gymkernel has them.
"""

from __future__ import annotations
import __future__

import ast
import builtins
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymkernel_tool_run import installed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["complete", "execute", "resolve"]

_completed: set[tuple[int, str]] = set()
"""Pairs of a module's `id()` and a path for which `complete` has been called."""
_running: set[tuple[str, str]] = set()
"""Pairs of a path and a name whose defining statement is currently being executed."""


def complete(module: ModuleType, path: str) -> None:
    """Make a gymkernel module provide the names that only the corresponding Gymnasium module has.

    Args:
        module: gymkernel's module.
        path: the full name of Gymnasium's module.
    """
    if (id(module), path) in _completed:
        return
    _completed.add((id(module), path))
    own = vars(module).get("__getattr__")

    def get_attribute(name: str) -> Any:
        if own is None:
            return resolve(path, module, name)
        try:
            return own(name)
        except (AttributeError, ImportError):
            if not _has(path, name):
                raise
        return resolve(path, module, name)

    vars(module)["__getattr__"] = get_attribute


def resolve(path: str, module: ModuleType, name: str) -> Any:
    """Return the object that a name refers to in Gymnasium's module, and store it in gymkernel's module.

    Args:
        path: the full name of Gymnasium's module.
        module: gymkernel's module, which does not have the name.
        name: the name.

    Raises:
        AttributeError: if Gymnasium's module has no such name, or if Gymnasium is not installed.
    """
    if not _has(path, name):
        hint = "" if installed.folder() else f"; if Gymnasium has it, run: pip install {installed.NAME}"
        raise AttributeError(f"module {path!r} ({module.__name__!r}) has no attribute {name!r}{hint}")
    if name not in _definitions(path):
        return import_module(f"{path}.{name}")
    _running.add((path, name))
    try:
        vars(module)[name] = value = execute(path, module, name)
    finally:
        _running.discard((path, name))
    for implementation in _implementations(path).get(name, ()):
        _run(implementation, path, module)
    return value


def execute(path: str, module: ModuleType, name: str) -> Any:
    """Execute the statement that defines a name in Gymnasium's module, and return the object that the name refers to.

    Args:
        path: the full name of Gymnasium's module.
        module: gymkernel's module, in which other names are looked up.
        name: the name.

    Raises:
        AttributeError: if the statement cannot be executed.
        KeyError: if Gymnasium's module has no such name.
    """
    return dict.__getitem__(_run(_definitions(path)[name], path, module), name)


def _run(statement: ast.stmt, path: str, module: ModuleType) -> dict[str, Any]:
    """Execute a statement of Gymnasium's module, and return the namespace that contains the names it defines."""
    namespace = _Namespace(path, module)
    for needed in _names_in_class_bodies(statement):  # Python does not look up these names with `__missing__`
        with suppress(KeyError):
            dict.__setitem__(namespace, needed, namespace[needed])
    code = compile(ast.Module([statement], []), installed.file(path) or path, "exec", _flags(path), dont_inherit=True)
    try:
        exec(code, namespace)  # noqa: S102 - the code is part of the installed Gymnasium
    except (ImportError, NameError) as exc:
        raise AttributeError(f"line {statement.lineno} of the module {path!r} cannot be executed: {exc}") from exc
    return namespace


def _has(path: str, name: str) -> bool:
    """Return whether Gymnasium's module defines or imports a name or has a submodule with this name."""
    if name.startswith("__"):
        return False
    return name in _definitions(path) or installed.module_spec(f"{path}.{name}") is not None


class _Namespace(dict[str, Any]):
    """The global namespace of executed statements, in which missing names are looked up in gymkernel's module.

    Args:
        path: the full name of Gymnasium's module.
        module: gymkernel's module.
    """

    def __init__(self, path: str, module: ModuleType) -> None:
        file = str(installed.file(path))
        package = path if file.endswith("__init__.py") else path.rpartition(".")[0]
        super().__init__(__name__=path, __package__=package, __file__=file)
        self._path, self._module = path, module

    def __missing__(self, name: str) -> Any:
        if name in vars(self._module):
            return vars(self._module)[name]
        if (self._path, name) in _running:
            raise KeyError(name)
        if name not in _definitions(self._path) and hasattr(builtins, name):
            raise KeyError(name)
        try:
            return getattr(self._module, name)
        except AttributeError as exc:
            raise KeyError(name) from exc


@cache
def _definitions(path: str) -> dict[str, ast.stmt]:
    """Return the statement that defines each name in Gymnasium's module."""
    text = installed.source(path)
    if text is None:
        return {}
    return dict(pair for statement in _statements(ast.parse(text).body) for pair in _defined(statement))


@cache
def _implementations(path: str) -> dict[str, list[ast.FunctionDef]]:
    """Return the functions that Gymnasium's module registers for classes, keyed by the name of the operation.

    They are executed only if the operation itself is defined in this module and gymkernel does not have the operation.
    """
    found: dict[str, list[ast.FunctionDef]] = {}
    statements = _statements(ast.parse(installed.source(path) or "").body)
    for function in [statement for statement in statements if isinstance(statement, ast.FunctionDef)]:
        registering = next(filter(_registers, function.decorator_list), None)
        if registering is not None:
            found.setdefault(ast.unparse(registering).partition(".register")[0], []).append(function)
    return found


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, and those inside its `if` and `try` statements."""
    for statement in body:
        if isinstance(statement, ast.If):
            if ast.unparse(statement.test).startswith("__name__ =="):
                continue
            yield from _statements([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.Try):
            yield from _statements([*statement.body, *statement.orelse, *statement.finalbody])
        else:
            yield statement


def _defined(statement: ast.stmt) -> Iterator[tuple[str, ast.stmt]]:
    """Yield each name that a statement defines, with the smallest statement that defines it."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        # Decorators that register implementations of operations are removed, because gymkernel registers its own.
        statement.decorator_list = [one for one in statement.decorator_list if not _registers(one)]
        yield statement.name, statement
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0], ast.copy_location(ast.Import([alias]), statement)
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            single = ast.ImportFrom(statement.module, [alias], statement.level)
            yield alias.asname or alias.name, ast.copy_location(single, statement)
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id, statement


def _registers(decorator: ast.expr) -> bool:
    """Return whether a decorator has the form `operation.register` or `operation.register(cls)`."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(function, ast.Attribute) and function.attr == "register"


def _names_in_class_bodies(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a class definition looks up while it is executed, excluding those in method bodies."""
    if not isinstance(statement, ast.ClassDef):
        return
    for part in statement.body:
        nodes: list[ast.AST] = [part]
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes = [part.args, *part.decorator_list, *([] if part.returns is None else [part.returns])]
        for node in [inside for outside in nodes for inside in ast.walk(outside)]:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node.id


def _flags(path: str) -> int:
    """Return the compiler flags for the `__future__` imports in Gymnasium's module."""
    statement = _definitions(path).get("annotations")
    is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    return __future__.annotations.compiler_flag if is_future else 0
