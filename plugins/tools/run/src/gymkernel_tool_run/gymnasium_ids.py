"""Functions that register the ids of environments from Gymnasium and from packages with Gymnasium entry points.

Gymnasium registers its ids in the file of its package `gymnasium.envs`. This file is not executed as a whole, because
`gymnasium.envs` is gymkernel's module. Instead, only the calls to `register` in the file are executed.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from fnmatch import fnmatchcase
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from gymkernel import plugins, registration
from gymkernel.specs import EnvSpec
from gymkernel.third_party import BRIDGES, ENVS, MODULES, REGISTERING
from gymkernel_tool_run import installed

__all__ = ["load_entry_points", "offer_own_vector_envs", "own_entry_point", "register_ids"]

HOME: Final = "gymnasium.envs"
OWN: Final = "vector_entry_point"

_replaced: dict[str, EnvSpec] = {}
"""Gymnasium's specs of those ids that an installed plugin also provides, keyed by id."""


def register_ids() -> None:
    """Register all ids of an installed Gymnasium, including old versions, with Gymnasium's specs.

    If a plugin provides the same environment, Gymnasium's entry point gives the plugin's class. The specs are those of
    Gymnasium, because programs print and store specs, and because `make_vec` without a mode must make the same choice.
    """
    module: Any = registration
    module.unknown = _find_in_entry_points(module.unknown)
    text = installed.source(HOME)
    if text is None:
        return
    body = [one for one in ast.parse(text).body if not isinstance(one, ast.Import | ast.ImportFrom)]
    namespace: dict[str, Any] = {"__name__": HOME, "register": _register, "load_plugin_envs": load_entry_points}
    for statement in [ast.parse("from __future__ import annotations\nfrom typing import Any").body, body]:
        code = compile(ast.Module(statement, []), str(installed.file(HOME)), "exec", dont_inherit=True)
        exec(code, namespace)  # noqa: S102 - the code is part of the installed Gymnasium


def _register(id: str, entry_point: Any = None, **options: Any) -> None:  # noqa: A002 - the name is part of the API
    """Register one of Gymnasium's ids. If an installed plugin provides the same id, the entry point gives its class."""
    is_provided = bool(plugins.providers("envs", id))
    if id in registration.registry.registered or (is_provided and not _is_own(entry_point)):
        return
    # This entry point is a function that raises an error. Because it is pickled by name, it can be sent to workers.
    if callable(entry_point):
        entry_point = f"{HOME}:{entry_point.__name__}"
    registration.registry[id] = EnvSpec(id, entry_point, **options)
    if is_provided:
        _replaced[id] = registration.registry[id]


def _is_own(entry_point: Any) -> bool:
    """Return whether an entry point with Gymnasium's name refers to a module of a gymkernel plugin.

    A plugin provides either the module itself or the package that contains the module.
    """
    module = str(entry_point).partition(":")[0].removeprefix(f"{installed.NAME}.")
    return any(map(installed.is_provided_by_a_plugin, (module, module.rpartition(".")[0])))


def own_entry_point(env_id: Any) -> Any:
    """Return `module:attribute`, which refers to a plugin's spec, if the plugin's spec was replaced with Gymnasium's.

    Otherwise, return the argument.

    Args:
        env_id: the id of an environment.
    """
    replaced = _replaced.get(env_id) if isinstance(env_id, str) else None
    is_in_use = replaced is not None and registration.registry.get(env_id) is replaced
    return plugins.providers("envs", env_id)[0].value if is_in_use else env_id


def offer_own_vector_envs(making: Any) -> None:
    """Make `make_vec` in "vector_entry_point" mode create a plugin's vector environment if Gymnasium has none."""
    original = making.make_vec

    @wraps(original)
    def make_vec(id: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A002 - the name is part of the API
        mode = kwargs.get("vectorization_mode", args[1] if len(args) > 1 else None)
        if getattr(mode, "value", mode) == OWN and own_entry_point(id) is not id:
            id = plugins.get("envs", id)  # noqa: A001 - the name is part of the API
        return original(id, *args, **kwargs)

    making.make_vec = make_vec


def _find_in_entry_points(fail: Callable[..., EnvSpec]) -> Callable[..., EnvSpec]:
    """Return a function for unknown ids that lets other packages register them before it raises an error."""

    def find_or_fail(env_id: str, *arguments: Any) -> EnvSpec:
        load_entry_points()
        if env_id not in registration.registry:
            _import_package(env_id)
        known = registration.registry.get(env_id)
        return fail(env_id, *arguments) if known is None else known

    return find_or_fail


def _import_package(env_id: str) -> None:
    """Import the installed package that registers an id when it is imported, such as `ale_py` for `ALE/Pong-v5`."""
    for pattern, extra in ENVS.items():
        module = MODULES[extra]
        if BRIDGES[extra] == "gymkernel-bridge-gymnasium" and fnmatchcase(env_id, pattern) and find_spec(module):
            import_module(REGISTERING.get(module, module))
            return


_loaded: list[str] = []


def load_entry_points() -> None:
    """Load the entry points in the group `gymnasium.envs`, which register environments. Further calls do nothing.

    A broken entry point is skipped with a warning.
    """
    if _loaded:
        return
    _loaded.append(HOME)
    for entry_point in installed.entry_points(HOME):
        namespace = None if entry_point.name.startswith("__") else entry_point.name
        try:
            function = entry_point.load()
            if callable(function):
                with registration.namespace(namespace) if namespace else nullcontext():
                    function()
        except Exception as exc:  # noqa: BLE001 - a third-party package must not break the program
            warnings.warn(f"The entry point {entry_point.value} in the group {HOME} failed: {exc!r}", stacklevel=2)
