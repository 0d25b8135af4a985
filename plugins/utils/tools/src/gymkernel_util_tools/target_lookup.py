"""Functions that parse a command's TARGET argument (an id, `module:Class` or `path.py:Class`) and import the target."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from gymkernel import error
from gymkernel.suggestions import did_you_mean

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["TargetError", "class_of_file", "find_attribute", "find_module", "find_spec", "load_file", "newest", "parse"]

EXPECTED: Final = "an environment id, module:Class or path.py:Class"
FILE: Final = re.compile(r"(?P<path>.+\.py)(?::(?P<name>[\w.]+))?")


class TargetError(error.Error):
    """Raised if the module, file or object that a command's TARGET argument refers to does not exist."""


class ParsedTarget(NamedTuple):
    """The parts of a command's TARGET argument."""

    origin: Literal["file", "object", "id"]
    place: str
    """The path of the file or the name of the module. For an id, it is empty."""
    name: str
    """The id, or the name of the object in the module or file. For a file, it may be empty."""


def parse(text: str) -> ParsedTarget:
    """Split a TARGET argument into its parts.

    Args:
        text: an id, `module:name`, `path.py` or `path.py:name`. An id may contain a module, as in `module:id`, if a
            registry hook handles the id.

    >>> parse("lab/maze.py:Maze")
    ParsedTarget(origin='file', place='lab/maze.py', name='Maze')
    >>> parse("lab.maze:Maze").origin, parse("gymnasium/ale_py:ALE/Pong").origin
    ('object', 'id')
    """
    if match := FILE.fullmatch(text):
        return ParsedTarget("file", match["path"], match["name"] or "")
    module, colon, name = text.partition(":")
    return ParsedTarget("object", module, name) if colon and "/" not in module else ParsedTarget("id", "", text)


def newest(env_id: str) -> str:
    """Append the newest version to an id that has none. For `module:id`, the module must already be imported.

    Args:
        env_id: `[module:][namespace/]name[-vN]`. A string that is not an id is returned unchanged.
    """
    from gymkernel import registration
    from gymkernel.ids import get_env_id, parse_env_id

    module, colon, own = env_id.rpartition(":")
    if "/" in module:  # a registry hook handles this id, such as gymnasium/ale_py:ALE/Pong
        return env_id
    try:
        ns, name, version = parse_env_id(own)
    except error.Error:
        return env_id
    if version is not None or own in registration.registry:
        return env_id
    highest = registration.find_highest_version(ns, name)
    return env_id if highest is None else f"{module}{colon}{get_env_id(ns, name, highest)}"


def find_spec(env_id: str) -> EnvSpec:
    """Return the spec that is registered for an id. For `module:id`, the module must already be imported.

    Args:
        env_id: `[module:][namespace/]name[-vN]`.

    Raises:
        gymkernel.error.Error: if the id is not registered. The message suggests a similar id.
    """
    from gymkernel import registration

    module, _, own = env_id.rpartition(":")
    return registration.spec(env_id if "/" in module else own)


def find_module(name: str) -> ModuleType:
    """Import a module. The working directory is searched as well.

    Exceptions from the module itself are not caught.

    Args:
        name: the dotted name of the module, as in an import statement.

    Raises:
        TargetError: if no module has this name.
    """
    folder = str(Path.cwd())
    if folder not in sys.path and "" not in sys.path:
        # `python -m` adds the folder in the same way. Worker processes inherit `sys.path`.
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        if exc.name and f"{name}.".startswith(f"{exc.name}."):
            raise TargetError(f"there is no module {exc.name}; expected {EXPECTED}") from exc
        raise


def load_file(path: Path) -> ModuleType:
    """Import a file as a module that has the file's name, so that worker processes can also import the module.

    Exceptions from the file itself are not caught.

    Args:
        path: the path of a Python file, relative to the working directory.

    Raises:
        TargetError: if the file does not exist, or if another module has the same name.
    """
    if not path.is_file():
        raise TargetError(f"there is no file {path}")
    path = path.resolve()
    if (known := sys.modules.get(path.stem)) is not None:
        if Path(str(getattr(known, "__file__", ""))).resolve() == path:
            return known
        message = (
            f"{path} cannot be imported because a module named {path.stem} already exists ({known}); rename the file"
        )
        raise TargetError(message)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path} is not a Python file that can be imported")
    sys.path.insert(0, str(path.parent))
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


def find_attribute(module: ModuleType, name: str, where: str = "") -> Any:
    """Return an attribute of a module, or raise an error that suggests a similar name.

    Args:
        module: the module that contains the attribute.
        name: the name of the attribute, such as "Maze" or "Maze.small".
        where: the name of the module in error messages. If "", the module's own name is used.

    Raises:
        TargetError: if the module has no such attribute.
    """
    value: Any = module
    for part in name.split("."):
        try:
            value = getattr(value, part)
        except AttributeError as exc:
            hint = did_you_mean(part, dir(value))
            raise TargetError(f"{where or module.__name__} has no {name}{hint and f'; {hint}'}") from exc
    return value


def class_of_file(module: ModuleType, path: Path, *, spaces: bool = False) -> str:
    """Return the name of the only environment class in a file.

    Args:
        module: the module that was imported from the file.
        path: the path of the file, for error messages.
        spaces: whether to return the only space class if the file contains no environment class.

    Raises:
        TargetError: if the file contains no such class, or more than one.
    """
    from gymkernel.space import Space
    from gymkernel.wrapper import Wrapper

    own = [thing for thing in vars(module).values() if isinstance(thing, type) and thing.__module__ == module.__name__]
    named = [
        cls for cls in own if any(base.__name__ == "Env" for base in cls.__mro__[1:]) and not issubclass(cls, Wrapper)
    ]
    if spaces:
        named = named or [cls for cls in own if issubclass(cls, Space)]
    if len(named) == 1:
        return named[0].__name__
    message = f"{path} contains several classes; choose one: {', '.join(f'{path}:{cls.__name__}' for cls in named)}"
    if not named:
        message = (
            f"{path} defines no subclass of Env{' or Space' if spaces else ''}; append :NAME to use a class or function"
        )
    raise TargetError(message)
