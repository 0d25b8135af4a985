"""Code that hides the main module from `multiprocessing`, so that workers run the module only if necessary."""

from __future__ import annotations

import contextlib
import multiprocessing.spawn
import os
import sys
import threading
import types
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from typing import Any

__all__ = ["LazyMain", "hidden_main", "main_preparation"]

_hiding = threading.Lock()


class _HiddenMain(types.ModuleType):
    """A substitute for the main module that has all of its attributes except `__file__` and `__spec__`."""

    def __init__(self, hidden: types.ModuleType) -> None:
        super().__init__("__main__")
        vars(self).update(_hidden=hidden, __file__=None, __spec__=None)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_hidden"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(vars(self)["_hidden"], name, value)


def _show_main() -> None:
    """Undo the effect of `hidden_main` in a child process that another thread has forked."""
    global _hiding  # noqa: PLW0603 - the child process lacks the thread that may hold the lock
    _hiding = threading.Lock()
    seen = sys.modules.get("__main__")
    if isinstance(seen, _HiddenMain):
        sys.modules["__main__"] = vars(seen)["_hidden"]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_show_main)


@contextlib.contextmanager
def hidden_main() -> Iterator[None]:
    """Hide the main module in a `with` block, because `multiprocessing` would run it again in each new process."""
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = _HiddenMain(main)
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def main_preparation() -> dict[str, str]:
    """Return the name or path of the main module as `multiprocessing` sends it. In a notebook, the result is empty."""
    data = multiprocessing.spawn.get_preparation_data("")
    return {key: value for key, value in data.items() if key.startswith("init_main")}


class LazyMain(types.ModuleType):
    """A main module for a worker that was not forked. It runs the program's script when an attribute is first accessed.

    The script runs only once, with the module name "__mp_main__", as `multiprocessing` would run it.

    Args:
        preparation: the location of the script, as returned by `main_preparation`.
    """

    suspended = False
    """Whether attributes can be read without running the script, which is the case while pickle looks up classes."""

    def __init__(self, preparation: dict[str, str]) -> None:
        super().__init__("__mp_main__")
        name = preparation.get("init_main_from_name")
        vars(self).update(_preparation=preparation, __spec__=None if name is None else ModuleSpec(name, None))
        if "init_main_from_path" in preparation:
            vars(self)["__file__"] = preparation["init_main_from_path"]

    def install(self) -> None:
        """Install this object as the main module of the process."""
        sys.modules["__main__"] = sys.modules["__mp_main__"] = self

    def __getattr__(self, name: str) -> Any:
        needed = not (LazyMain.suspended or name.startswith("__"))
        if needed and vars(self).get("_preparation"):
            self._run()
            return getattr(self, name)
        raise AttributeError(f"module '__main__' has no attribute {name!r}")

    def _run(self) -> None:
        preparation = vars(self).pop("_preparation")
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            multiprocessing.spawn.prepare(preparation)
            vars(self).update(vars(sys.modules["__main__"]))
        finally:
            self.install()
