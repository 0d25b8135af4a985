"""The `Replacement` class, which makes `SyncVectorEnv(...)` in a program create an instance of another backend.

The new object's class inherits from both backends, so `isinstance` returns the same result as before. A `SyncVectorEnv`
is not replaced if another backend would behave differently; see `reason_to_keep`.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from gymkernel import logger, plugins
from gymkernel.env import Env
from gymkernel.suggestions import did_you_mean
from gymkernel.vector_env import VectorEnv
from gymkernel_tool_run.global_generators import GlobalGeneratorError

__all__ = ["Replacement", "backend_name", "reason_to_keep"]

SYNC: Final = "SyncVectorEnv"
ARGUMENTS: Final = "_gymkernel_run_arguments"
"""The name of the attribute that stores the constructor's arguments until a method changes the environments."""
CHANGING_CALLS: Final = ("reset", "reset_async", "call", "call_async", "call_masked", "set_attr", "render")
"""The methods that change environments. After such a call, a vector environment can no longer be recreated."""


def backend_name(name: str) -> str:
    """Return the full name of the backend that should replace `SyncVectorEnv`.

    Args:
        name: the name of a vector backend, as in `make_vec`: "async" or "AsyncVectorEnv".

    Raises:
        ValueError: if there is no such backend, or if the backend is `SyncVectorEnv` itself.
        ImportError: if the backend is not installed or cannot be imported.

    >>> backend_name("async")  # doctest: +SKIP
    'AsyncVectorEnv'
    >>> backend_name("asink")
    Traceback (most recent call last):
    ValueError: Expected the name of a vector backend, got 'asink'; did you mean async?
    """
    known = {_short(full): full for full in plugins.known("vector")}
    full = known.get(_short(name))
    if full is None:
        others = sorted(_short(other) for other in plugins.names("vector") if other != SYNC)
        hint = did_you_mean(_short(name), known, f"installed backends: {', '.join(others) or 'none'}")
        raise ValueError(f"Expected the name of a vector backend, got {name!r}; {hint}")
    if full == SYNC:
        raise ValueError(f"Expected a backend that replaces {SYNC}, got {name!r}; leave this option out to use {SYNC}")
    plugins.get("vector", full)
    return full


def _short(name: str) -> str:
    return name.removesuffix("VectorEnv").lower()


class Replacement:
    """An object that replaces `SyncVectorEnv` with another backend in this process.

    Args:
        backend: the full name of the backend: "AsyncVectorEnv".

    Attributes:
        replaced: the number of vector environments that were replaced.
        kept: the reasons why instances of `SyncVectorEnv` were not replaced.
    """

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.replaced = 0
        self.kept: list[str] = []
        self._is_active = True
        self._sync: Any = plugins.get("vector", SYNC)
        self._target: Any = plugins.get("vector", backend)

    def install(self) -> None:
        """Start replacing `SyncVectorEnv`.

        Raises:
            TypeError: if a class cannot inherit from both backends.
        """
        sync, target, substitute = self._sync, self._target, self._substitute()

        @functools.wraps(sync.__init__)  # preserves the signature of the class
        def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
            following = super(sync, cls).__new__
            if cls is sync and self._is_active:
                reason = reason_to_keep(sync, args, kwargs)
                if reason is None:
                    self.replaced += 1
                    return target.__new__(substitute)
                if reason:
                    self.keep(reason)
            return following(cls)

        sync.__new__ = staticmethod(new)

    def stop(self) -> None:
        """Stop replacing `SyncVectorEnv`."""
        self._is_active = False

    def keep(self, reason: str) -> None:
        """Report why a `SyncVectorEnv` is not replaced."""
        if reason not in self.kept:
            logger.warn(f"{SYNC} is not replaced with {self.backend}, because {reason}", stacklevel=3)
        self.kept.append(reason)

    def _substitute(self) -> Any:
        """Return a class that inherits from both backends."""

        def construct(envs: Any, *args: Any, **kwargs: Any) -> None:
            self._construct(envs, args, kwargs)

        members = {
            "__init__": construct,
            "envs": property(self._envs),
            "__module__": __name__,
            "starts_as_gymnasium": False,
        }
        members |= {
            name: _changing(getattr(self._target, name)) for name in CHANGING_CALLS if hasattr(self._target, name)
        }
        return type(self._target)(self._target.__name__, (self._target, self._sync), members)

    def _construct(self, envs: Any, args: Any, kwargs: Any) -> None:
        """Initialise an instance of the class with the arguments of `SyncVectorEnv`."""
        arguments = _bind(self._sync, args, kwargs)
        # These two arguments have their default values, so other backends do not need them.
        for name in ("copy", "list_infos"):
            arguments.pop(name, None)
        arguments["env_fns"] = list(arguments["env_fns"])
        vars(envs)[ARGUMENTS] = arguments
        problem = ""
        try:
            self._target.__init__(envs, **arguments)
            envs.list_infos = False
        except GlobalGeneratorError:
            problem = "a function that creates an environment draws from NumPy's global generator"
        except Exception as exc:  # noqa: BLE001 - if an environment caused the error, SyncVectorEnv raises it again
            problem = f"{self._target.__name__} raised {type(exc).__name__}: {exc}".partition("\n")[0]
        if problem:
            self._become_sync(envs, problem)

    def _become_sync(self, envs: Any, reason: str) -> None:
        """Turn an object whose methods have not been called yet into a `SyncVectorEnv` with new environments."""
        arguments = vars(envs)[ARGUMENTS]
        if not getattr(envs, "closed", True):
            self._target.close(envs)
        vars(envs).clear()
        envs.__class__ = self._sync
        self.replaced -= 1
        self._sync.__init__(envs, **arguments)
        self.keep(reason)

    def _envs(self, envs: Any) -> Any:
        """Turn the object into a `SyncVectorEnv`, and return its environments."""
        if vars(envs).get(ARGUMENTS) is None:
            raise AttributeError(
                f"{type(envs).__name__} replaces SyncVectorEnv (gymkernel run --backend), and its environments are in "
                "other processes; use get_attr, set_attr or call, or run the program without --backend"
            )
        self._become_sync(envs, "the program uses its attribute envs")
        return envs.envs


def reason_to_keep(sync: type, args: Any, kwargs: Any) -> str | None:
    """Return why a `SyncVectorEnv` cannot be replaced, "" if the arguments are invalid, or None if it can be replaced.

    Args:
        sync: the class `SyncVectorEnv`.
        args: the positional arguments of its constructor.
        kwargs: the keyword arguments of its constructor.
    """
    try:
        arguments = _bind(sync, args, kwargs)
    except TypeError:
        # The constructor of `SyncVectorEnv` will raise an error for these arguments.
        return ""
    for name, usual in (("copy", True), ("list_infos", False)):
        if arguments.get(name, usual) != usual:
            return f"{name}={arguments[name]!r}"
    process: Any = sys.modules.get("multiprocessing.process")
    if process is not None and process.current_process().daemon:
        return "a daemon process cannot start workers"
    functions = arguments.get("env_fns", ())
    known = functions if isinstance(functions, list | tuple) else ()  # the items of an iterator must not be consumed
    if any(isinstance(value, Env | VectorEnv) for function in known for value in _referred(function)):
        return "a function that creates an environment refers to an environment that already exists"
    return None


def _bind(sync: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """Return the constructor's arguments, keyed by name."""
    arguments = inspect.signature(sync.__init__).bind(None, *args, **kwargs).arguments
    return dict(list(arguments.items())[1:])


def _referred(function: Any) -> Iterator[Any]:
    """Yield the objects that a function refers to and, for containers, their items."""
    for value in _direct(function):
        yield value
        if isinstance(value, list | tuple | set):
            yield from value
        elif isinstance(value, dict):
            yield from value.values()


def _direct(function: Any) -> Iterator[Any]:
    if isinstance(function, functools.partial):
        yield from (*function.args, *function.keywords.values())
        yield from _direct(function.func)
        return
    yield getattr(function, "__self__", None)
    yield from getattr(function, "__defaults__", None) or ()
    yield from (getattr(function, "__kwdefaults__", None) or {}).values()
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:
            # The variable has no value yet.
            continue
    code = getattr(function, "__code__", None)
    namespace = getattr(function, "__globals__", {})
    yield from (namespace[name] for name in getattr(code, "co_names", ()) if name in namespace)


def _changing(method: Callable[..., Any]) -> Any:
    """Wrap a method so that a call also records that the environments have changed."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        vars(self)[ARGUMENTS] = None
        return method(self, *args, **kwargs)

    return call
