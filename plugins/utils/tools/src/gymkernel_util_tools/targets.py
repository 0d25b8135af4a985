"""What the argument TARGET of a command means: an environment by its id, class or file, or another object."""

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
    """An environment that can be made.

    Attributes:
        name: as the user named it.
        source: an id, a spec, or what makes the environment.
        kwargs: for its constructor.
        module: where a class or function was found; None for an id.
        attribute: its name there.
    """

    name: str
    source: str | EnvSpec | Callable[..., Any]
    kwargs: dict[str, Any] = field(default_factory=dict)
    module: ModuleType | None = None
    attribute: str = ""

    @property
    def spec(self) -> EnvSpec | None:
        """The spec of an id; None of a class or function.

        Raises:
            gymkernel.error.Error: nothing registers the id; the message has what is spelled alike.
        """
        if isinstance(self.source, str):
            return find_spec(self.source)
        return self.source if isinstance(self.source, EnvSpec) else None

    def make(self, **more: Any) -> Any:
        """Make it, with further arguments for its constructor.

        Args:
            **more: over those of the target: `render_mode="rgb_array"`.

        Raises:
            TypeError: a class or function made an object of another API.
        """
        arguments = {**self.kwargs, **more}
        if isinstance(self.source, str | EnvSpec):
            return make(self.source, **arguments)
        env = self.source(**arguments)
        require_env(env, f"Expected {self.name} to make an environment")
        return env


def find_env(target: str, make_kwargs: dict[str, Any] | None = None) -> EnvTarget:
    """The environment that a text means: an id, `module:id`, `module:Class`, `path.py:Class` or `path.py`.

    An id may leave out its version, which is then the newest; it is looked up when the environment is made. Of a file
    with one class of environments the name of the class may be left out. Modules are found in the working directory,
    too, also by worker processes that are started later. What a module raises when it is imported goes through.

    Args:
        target: what was written.
        make_kwargs: for the environment's constructor.

    Raises:
        gymkernel.error.Error: there is no such module, file or class, or it is something else than an environment's
            class, function or spec; the message has what is spelled alike.

    >>> find_env("CartPole-v1").source
    'CartPole-v1'
    """
    kwargs = make_kwargs or {}
    origin, place, name = parse(target)
    if origin == "file":
        path = Path(place)
        home = load_file(path)
        name = name or class_of_file(home, path)
        return _made_by(find_attribute(home, name, place), target, kwargs, home, name)
    if origin == "id":
        return EnvTarget(target, newest(target), kwargs)
    home = find_module(place)
    try:
        found = find_attribute(home, name)
    except Error:
        with contextlib.suppress(Error):
            find_spec(newest(target))  # which the module registers
            return EnvTarget(target, newest(target), kwargs)
        raise
    return _made_by(found, target, kwargs, home, name)


def _made_by(source: Any, target: str, kwargs: dict[str, Any], module: ModuleType, attribute: str) -> EnvTarget:
    if isinstance(source, EnvSpec):
        return EnvTarget(target, source, kwargs)
    if not callable(source):
        raise Error(f"Expected {target} to make environments (a class or function), it is a {type(source).__name__}")
    return EnvTarget(target, source, kwargs, module, attribute)


def find_object(target: str) -> Any:
    """What `module:name` or `path.py:name` means, for example a policy.

    Args:
        target: `module:name` or `path.py:name`.

    Raises:
        gymkernel.error.Error: there is no such module, file or name, or it is written in another way.

    >>> find_object("math:gcd")(12, 18)
    6
    """
    origin, place, name = parse(target)
    if origin == "id" or not name:
        raise Error(f"Expected module:name or path.py:name, got {target!r}")
    home = load_file(Path(place)) if origin == "file" else find_module(place)
    return find_attribute(home, name, place)


def find_policy(word: str) -> Any:
    """The policy that the option `--policy` names: "random", or what `find_object` finds; errors are those of usage.

    Args:
        word: "random", or where a function or class is: `module:name`, `path.py:name`.
    """
    with usage_errors("--policy"):
        return word if word == "random" else find_object(word)
