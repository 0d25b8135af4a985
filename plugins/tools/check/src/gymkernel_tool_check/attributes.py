"""Functions that find environment attributes that raise an exception when they are read."""

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
"""Attributes that `Env` creates when they are first read. They are checked only if a class overrides them."""
RUNTIMES: Final = ("builtins", "gymkernel", "gymnasium")
"""Packages in which an environment's `np_random` must not be read, because reading it creates a generator."""
MISSING: Final = "an_attribute_that_does_not_exist"
"""A name that no environment defines. Looking it up shows which exception `__getattr__` raises for unknown names."""


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
