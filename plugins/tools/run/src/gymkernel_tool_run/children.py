"""Functions that make `import gymnasium` import gymkernel in child processes, too.

A forked process inherits all changes to the import system. A process that `multiprocessing` or loky starts with a new
interpreter receives preparation data. The data contain an object that calls `as_gymnasium` when the object is
unpickled, before the program's main module is imported. For Ray's workers and, if the user wishes, for other Python
programs, an environment variable is set. When Python starts, the file `gymkernel_tool_run_start.pth` reads the variable
and calls `as_gymnasium`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

__all__ = ["VARIABLE", "inherit", "watched_modules"]

VARIABLE: Final = "GYMKERNEL_RUN"
"""The environment variable that makes `import gymnasium` import gymkernel in new Python processes."""
KEY: Final = "gymkernel_run"
"""The key of the object that calls `as_gymnasium` in the preparation data of a worker process."""
SPAWNING: Final = (
    "multiprocessing.spawn",
    "multiprocess.spawn",
    "loky.backend.spawn",
    "joblib.externals.loky.backend.spawn",
)
"""The modules whose `get_preparation_data` function returns the data that a new worker process receives first."""


def inherit() -> None:
    """Make `import gymnasium` import gymkernel in new Python processes, if this plugin is installed for them."""
    os.environ[VARIABLE] = "1"


def watched_modules(activate: Callable[[], None]) -> dict[str, Callable[[ModuleType], None]]:
    """Return the functions to call when modules that start worker processes are imported, keyed by module.

    Args:
        activate: the function `as_gymnasium`, which worker processes import by name.
    """
    return {**dict.fromkeys(SPAWNING, functools.partial(_change_spawn, activate)), "ray": _change_ray}


class _Activation:
    """An object that makes `import gymnasium` import gymkernel in the process in which it is unpickled."""

    def __init__(self, activate: Callable[[], None]) -> None:
        self._activate = activate

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return self._activate, ()


def _change_spawn(activate: Callable[[], None], module: ModuleType) -> None:
    """Make the `spawn` module of `multiprocessing` or a similar library call `as_gymnasium` in new processes."""
    changed: Any = module
    original = changed.get_preparation_data

    @functools.wraps(original)
    def get_preparation_data(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {KEY: _Activation(activate), **original(*args, **kwargs)}

    changed.get_preparation_data = get_preparation_data


def _change_ray(module: ModuleType) -> None:
    """Make `ray.init` set the environment variable in all workers."""
    changed: Any = module
    original = changed.init

    @functools.wraps(original)
    def init(*args: Any, **kwargs: Any) -> Any:
        runtime_env = dict(kwargs.pop("runtime_env", None) or {})
        runtime_env["env_vars"] = {VARIABLE: "1", **(runtime_env.get("env_vars") or {})}
        return original(*args, runtime_env=runtime_env, **kwargs)

    changed.init = init
