"""Reads the attributes that every environment has, and finds attributes that raise when they are read."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterator
from typing import Any, Final

from gymkernel_tool_check.introspect import package_of, read
from gymkernel_util_spaces.texts import error_text

__all__ = ["MISSING", "SPACES", "cause_of", "is_defined", "unreadable"]

SPACES: Final = ("observation_space", "action_space")
PUBLIC: Final = (*SPACES, "metadata", "render_mode", "spec", "unwrapped", "reward_range")
LAZY: Final = ("np_random", "np_random_seed")
"""Attributes that `Env` creates at the first access; they are read only if a class defines them itself."""
RUNTIMES: Final = ("builtins", "gymkernel", "gymnasium")
"""Packages whose `np_random` creates a generator when it is read, which hides whether there was one before."""
MISSING: Final = "an_attribute_that_does_not_exist"
"""A name that no environment has; reading it shows what `__getattr__` raises for unknown names."""


def unreadable(env: Any) -> dict[str, Exception]:
    """Return the exceptions raised by reading the attributes of the API, by the names of the attributes.

    A missing attribute is not included, but an attribute whose property raises AttributeError is. `MISSING` is included
    if `__getattr__` raises another exception than AttributeError.

    Args:
        env: an environment of any library.

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
    """Return the environment inside all wrappers without reading `unwrapped`, which may raise."""
    while any(cls.__name__ == "Wrapper" for cls in type(env).__mro__) and (inside := read(env, "env")) is not None:
        env = inside
    return env


def is_defined(env: Any, name: str) -> bool:
    """Return whether an environment has an attribute, without calling a property that may raise.

    Args:
        env: an environment of any library.
        name: the name of the attribute.
    """
    try:
        inspect.getattr_static(env, name)
    except AttributeError:
        return False
    return True


def cause_of(exc: Exception, env: Any) -> str:
    """Return the attribute of an environment that raised an exception when it was read, or "" for other causes.

    Args:
        exc: the exception of a rule or a probe.
        env: the environment that the rule or the probe examined.
    """
    places = _places(exc)
    for name, error in unreadable(env).items():
        same = type(error) is type(exc) and error_text(error) == error_text(exc)
        if same or places & _places(error):
            return name
    return ""


def _places(exc: Exception) -> set[tuple[str, int | None]]:
    """Return the lines outside of this package that an exception went through, as (file, line)."""
    frames = traceback.extract_tb(exc.__traceback__)
    package = __file__.rpartition("/")[0]
    return {(frame.filename, frame.lineno) for frame in frames if not frame.filename.startswith(package)}
