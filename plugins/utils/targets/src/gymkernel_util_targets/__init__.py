"""What a word on the command line means: an environment by its id, class or file, or another object."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymkernel.envs import registration
from gymkernel.specs import EnvSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

__all__ = ["EnvTarget", "find_env", "find_object"]


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

    def make(self, **more: Any) -> Any:
        """Make it, with further arguments for its constructor."""
        arguments = {**self.kwargs, **more}
        if isinstance(self.source, str | EnvSpec):
            return registration.make(self.source, **arguments)
        return self.source(**arguments)


def find_env(target: str, make_kwargs: dict[str, Any] | None = None) -> EnvTarget:
    """The environment that an id, `module:id`, `module:Class` or `path.py:Class` means; an id is not looked up yet.

    Modules are found in the working directory, too, also by worker processes that are started later.

    Args:
        target: the word.
        make_kwargs: for the environment's constructor.

    Raises:
        ImportError, AttributeError: there is no such module, file or class.
        TypeError: it is something else than an environment's class, function or spec.

    >>> find_env("CartPole-v1").source
    'CartPole-v1'
    """
    kwargs = make_kwargs or {}
    module, colon, attribute = target.rpartition(":")
    if target.endswith(".py"):
        message = f"Expected the class after the path, for example {target}:MyEnv"
        raise AttributeError(message)
    if not colon or ("/" in module and not module.endswith(".py")):
        return EnvTarget(target, target, kwargs)
    home = _module(module)
    if not module.endswith(".py") and not hasattr(home, attribute.partition(".")[0]):
        return EnvTarget(target, target, kwargs)  # the module registers the id
    found = _attribute(home, attribute)
    if isinstance(found, EnvSpec):
        return EnvTarget(target, found, kwargs)
    if not callable(found):
        message = f"Expected {target} to make environments (a class or function), it is a {type(found).__name__}"
        raise TypeError(message)
    return EnvTarget(target, found, kwargs, home, attribute)


def find_object(target: str) -> Any:
    """What `module:name` or `path.py:name` means, for example a policy.

    Raises:
        ImportError, AttributeError: there is no such module, file or name.
        ValueError: the word has another form.

    >>> find_object("math:gcd")(12, 18)
    6
    """
    module, colon, attribute = target.rpartition(":")
    if not colon or not attribute:
        message = f"Expected module:name or path.py:name, got {target!r}"
        raise ValueError(message)
    return _attribute(_module(module), attribute)


def _attribute(module: ModuleType, attribute: str) -> Any:
    found: Any = module
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def _module(name: str) -> ModuleType:
    if name.endswith(".py"):
        return _from_file(Path(name))
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does; worker processes inherit it
    return importlib.import_module(name)


def _from_file(path: Path) -> ModuleType:
    """The module of a file, by a name under which worker processes find it too."""
    path = path.resolve()
    if not path.is_file():
        message = f"There is no file {path}"
        raise ImportError(message)
    sys.path.insert(0, str(path.parent))
    module = importlib.import_module(path.stem)
    if Path(str(getattr(module, "__file__", ""))).resolve() != path:
        message = f"{path} cannot be imported: a module {path.stem} is there already ({module}); rename the file"
        raise ImportError(message)
    return module
