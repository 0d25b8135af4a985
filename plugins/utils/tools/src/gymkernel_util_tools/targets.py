"""Functions that find the environment or the policy that the user has named on the command line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from gymkernel.error import Error
from gymkernel.making import make
from gymkernel.specs import EnvSpec
from gymkernel_util_compatibility.other_apis import require_env
from gymkernel_util_tools.command_errors import environment_errors, place_of, show_traceback, usage_errors
from gymkernel_util_tools.target_lookup import (
    TargetError,
    class_of_file,
    find_attribute,
    find_module,
    find_spec,
    load_file,
    newest,
    parse,
)

__all__ = ["EnvTarget", "TargetError", "class_of_file", "environment_errors", "find_attribute", "find_env"]
__all__ += ["find_module", "find_object", "find_policy", "find_spec", "load_file", "newest", "parse", "place_of"]
__all__ += ["show_traceback", "usage_errors"]


@dataclass(frozen=True, slots=True)
class EnvTarget:
    """An environment that the user has named on the command line. It has been found but not created yet.

    Attributes:
        name: the command-line argument as the user wrote it.
        source: the id, the spec, or the class or function that creates the environment.
        kwargs: keyword arguments for the environment's constructor.
        module: the module that contains the class or function, or None for an id.
        attribute: the name of the class or function in its module, or "" for an id.
    """

    name: str
    source: str | EnvSpec | Callable[..., Any]
    kwargs: dict[str, Any] = field(default_factory=dict)
    module: ModuleType | None = None
    attribute: str = ""

    @property
    def spec(self) -> EnvSpec | None:
        """The spec of the environment, or None if the target is a class or a function.

        Raises:
            gymkernel.error.Error: if the id is not registered. The message suggests a similar id.
        """
        if isinstance(self.source, str):
            return find_spec(self.source)
        return self.source if isinstance(self.source, EnvSpec) else None

    def make(self, **more: Any) -> Any:
        """Create the environment.

        Args:
            **more: additional keyword arguments for the constructor, such as `render_mode="rgb_array"`. They take
                precedence over the attribute `kwargs`.

        Raises:
            TypeError: if the class or function returns an object that is not an environment.
        """
        arguments = {**self.kwargs, **more}
        if isinstance(self.source, str | EnvSpec):
            return make(self.source, **arguments)
        env = self.source(**arguments)
        require_env(env, f"Expected {self.name} to make an environment")
        return env


def find_env(target: str, make_kwargs: dict[str, Any] | None = None) -> EnvTarget:
    """Find the environment that the user has named on the command line.

    An id without a version refers to the newest version. The id is looked up when the environment is created. If a file
    contains only one environment class, the name of the class may be omitted. A module may be in the working directory,
    and worker processes that are started later can import the module, too. Exceptions that are raised while a module is
    imported are not caught.

    Args:
        target: an id, `module:id`, `module:Class`, `path.py:Class` or `path.py`.
        make_kwargs: keyword arguments for the environment's constructor, or None for no arguments.

    Raises:
        gymkernel.error.Error: if the module, file or class does not exist, or if the object is not a class, a function
            or a spec. The message suggests a similar name.

    >>> find_env("CartPole-v1").source
    'CartPole-v1'
    """
    kwargs = make_kwargs or {}
    origin, place, name = parse(target)
    if origin == "id":
        return EnvTarget(target, newest(target), kwargs)
    module = load_file(Path(place)) if origin == "file" else find_module(place)
    if origin == "file" and not name:
        name = class_of_file(module, Path(place))
    try:
        source = find_attribute(module, name, place)
    except Error:
        if origin == "object":
            with contextlib.suppress(Error):
                find_spec(newest(target))  # the module may have registered an environment with this id
                return EnvTarget(target, newest(target), kwargs)
        raise
    if isinstance(source, EnvSpec):
        return EnvTarget(target, source, kwargs)
    if not callable(source):
        raise Error(f"Expected {target} to be an environment class or a function, got {source!r}")
    return EnvTarget(target, source, kwargs, module, name)


def find_object(target: str) -> Any:
    """Return the object that `module:name` or `path.py:name` refers to, such as a policy.

    Args:
        target: `module:name` or `path.py:name`.

    Raises:
        gymkernel.error.Error: if the module, file or object does not exist, or if `target` is neither `module:name` nor
            `path.py:name`.

    >>> find_object("math:gcd")(12, 18)
    6
    """
    origin, place, name = parse(target)
    if origin == "id" or not name:
        raise Error(f"Expected module:name or path.py:name, got {target!r}")
    module = load_file(Path(place)) if origin == "file" else find_module(place)
    return find_attribute(module, name, place)


def find_policy(word: str) -> Any:
    """Return the policy that the user has chosen with the option `--policy`.

    Args:
        word: the value of the option: "random", which is returned unchanged, or `module:name` or `path.py:name` for a
            function or class.

    Raises:
        click.ClickException: if the policy cannot be found.
    """
    with usage_errors("--policy"):
        return word if word == "random" else find_object(word)
