"""Functions that inspect environments, their attributes and their source code, but call no other methods."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from gymkernel_tool_check.system import processes
from gymkernel_util_compatibility.other_apis import accepts
from gymkernel_util_spaces.texts import error_text

__all__ = ["MISSING", "SPACES", "asks_for_display", "cause_of", "innermost", "is_a", "is_defined"]
__all__ += ["last_line", "package_of", "read", "safely", "source_of", "takes", "unreadable"]

SPACES: Final = ("observation_space", "action_space")
PUBLIC: Final = (*SPACES, "metadata", "render_mode", "spec", "unwrapped", "reward_range")
LAZY: Final = ("np_random", "np_random_seed")
"""Attributes that `Env` creates when they are first read. They are checked only if a class overrides them."""
RUNTIMES: Final = ("builtins", "gymkernel", "gymnasium")
"""Packages in which an environment's `np_random` must not be read, because reading it creates a generator."""
MISSING: Final = "an_attribute_that_does_not_exist"
"""A name that no environment defines. Looking it up shows which exception `__getattr__` raises for unknown names."""

Result = TypeVar("Result")


def read(thing: Any, name: str, default: Any = None) -> Any:
    """Return an object's attribute, or the default if the attribute does not exist or raises an exception when read."""
    return safely(getattr, thing, name, default, default=default)


def safely(call: Callable[..., Result], *arguments: Any, default: Any = None) -> Result | Any:
    """Call a function of a third-party class. Return the result, or the default if the call raises an exception.

    >>> safely(int, "7"), safely(int, "seven"), safely(int, "seven", default=0)
    (7, None, 0)
    """
    try:
        return call(*arguments)
    except Exception:  # noqa: BLE001 - a third-party class may raise any exception
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
    return accepts(env.reset, name)


def source_of(thing: Any) -> tuple[str, int] | None:
    """Return the file and line where a class or function is defined, or None if they are unknown."""
    try:
        thing = inspect.unwrap(thing)
        file = inspect.getsourcefile(thing)
        return None if file is None else (file, inspect.findsource(thing)[1] + 1)
    except (TypeError, OSError, ValueError):
        return None


def last_line(exc: BaseException) -> tuple[str, int] | None:
    """Return the file and line where an exception was raised, or None if it was never raised."""
    frames = traceback.extract_tb(exc.__traceback__)
    return (frames[-1].filename, frames[-1].lineno or 0) if frames else None


def unreadable(env: Any) -> dict[str, Exception]:
    """Return the exceptions that the API's attributes raise when they are read, keyed by attribute name.

    Attributes that do not exist are left out, but properties that raise AttributeError are included. `MISSING` is
    included if `__getattr__` raises an exception other than AttributeError for it.

    Args:
        env: an environment from any library.

    >>> class Maze:
    ...     @property
    ...     def metadata(self):
    ...         raise OSError("not connected")
    >>> unreadable(Maze())
    {'metadata': OSError('not connected')}
    """
    inner = _inside_wrappers(env)
    found: dict[str, Exception] = {}
    for owner, name in _names(env, inner):
        try:
            getattr(owner, name)
        except AttributeError as exc:
            if name != MISSING and is_defined(owner, name):
                found[name] = exc
        except Exception as exc:  # noqa: BLE001 - a property may raise any exception
            if name in {*SPACES, MISSING} or is_defined(owner, name):
                found[name] = exc
    return found


def _names(env: Any, inner: Any) -> Iterator[tuple[Any, str]]:
    yield env, MISSING
    yield from ((layer, name) for name in PUBLIC for layer in (env, inner))
    for name in LAZY:
        owner = next((cls for cls in type(inner).__mro__ if name in vars(cls)), object)
        if package_of(owner) not in RUNTIMES:
            yield inner, name


def _inside_wrappers(env: Any) -> Any:
    """Return the innermost environment without reading `unwrapped`, which may raise an exception."""
    while any(cls.__name__ == "Wrapper" for cls in type(env).__mro__) and (inside := read(env, "env")) is not None:
        env = inside
    return env


def is_defined(env: Any, name: str) -> bool:
    """Return whether an environment has the attribute. Properties are not called, because they may raise exceptions.

    Args:
        env: an environment from any library.
        name: the name of the attribute.
    """
    try:
        inspect.getattr_static(env, name)
    except AttributeError:
        return False
    return True


def cause_of(exc: Exception, env: Any) -> str:
    """Return the name of the attribute that raised the exception when it was read, or "" if no attribute did.

    Args:
        exc: the exception that a rule or a probe raised.
        env: the environment that the rule or the probe examined.
    """
    places = _places(exc)
    for name, error in unreadable(env).items():
        same = type(error) is type(exc) and error_text(error) == error_text(exc)
        if same or places & _places(error):
            return name
    return ""


def _places(exc: Exception) -> set[tuple[str, int | None]]:
    frames = traceback.extract_tb(exc.__traceback__)
    package = __file__.rpartition("/")[0]
    return {(frame.filename, frame.lineno) for frame in frames if not frame.filename.startswith(package)}
