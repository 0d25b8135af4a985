"""What the argument TARGET means: an environment's id, `module:Class` or `path.py:Class`; parsed, and imported."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from gymkernel import error

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["TargetError", "class_of_file", "find_attribute", "find_module", "find_spec", "load_file", "newest", "parse"]

EXPECTED: Final = "an environment id, module:Class or path.py:Class"
FILE: Final = re.compile(r"(?P<path>.+\.py)(?::(?P<name>[\w.]+))?")


class TargetError(error.Error):
    """There is nothing of this name."""


class ParsedTarget(NamedTuple):
    """A target as it was written, in parts."""

    origin: Literal["file", "object", "id"]
    place: str
    """The path of a file, or the module of an object; empty for an id."""
    name: str
    """The name there, which a file may leave out; or the id."""


def parse(text: str) -> ParsedTarget:
    """Split a target: a file, an object of a module, or an id, which may also be the `module:id` of a hook.

    Args:
        text: what was typed: an id, `module:name`, `path.py` or `path.py:name`.

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
    """The id with its newest version, where it was written without one; also that of `module:id`, once imported.

    Args:
        env_id: `[module:][namespace/]name[-vN]`; what is no id is returned as it is.
    """
    from gymkernel import registration
    from gymkernel.ids import get_env_id, parse_env_id

    module, colon, own = env_id.rpartition(":")
    if "/" in module:  # for a hook: gymnasium/ale_py:ALE/Pong
        return env_id
    try:
        ns, name, version = parse_env_id(own)
    except error.Error:
        return env_id
    if version is not None or own in registration.registry:
        return env_id
    found = registration.find_highest_version(ns, name)
    return env_id if found is None else f"{module}{colon}{get_env_id(ns, name, found)}"


def find_spec(env_id: str) -> EnvSpec:
    """The spec of an id, or of `module:id` once the module was imported; what is wrong with an id has a suggestion.

    Args:
        env_id: `[module:][namespace/]name[-vN]`.

    Raises:
        gymkernel.error.Error: there is no such id.
    """
    from gymkernel import registration

    module, _, own = env_id.rpartition(":")
    return registration.spec(env_id if "/" in module else own)


def find_module(name: str) -> ModuleType:
    """Import a module, also from the working directory; what the module itself raises goes through.

    Args:
        name: with dots, as `import` takes it.

    Raises:
        TargetError: there is none of this name.
    """
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # as `python -m` does; worker processes inherit it
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        if exc.name and f"{name}.".startswith(f"{exc.name}."):
            raise TargetError(f"there is no module {exc.name}; expected {EXPECTED}") from exc
        raise


def load_file(path: Path) -> ModuleType:
    """Import a file by its name, under which worker processes find it too; what it raises goes through.

    Args:
        path: of a file of Python, from the working directory.

    Raises:
        TargetError: there is no such file, or another module has its name.
    """
    if not path.is_file():
        raise TargetError(f"there is no file {path}")
    path = path.resolve()
    if (known := sys.modules.get(path.stem)) is not None:
        if Path(str(getattr(known, "__file__", ""))).resolve() == path:
            return known
        message = f"{path} cannot be imported: a module {path.stem} is there already ({known}); rename the file"
        raise TargetError(message)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path} cannot be imported")
    sys.path.insert(0, str(path.parent))
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


def find_attribute(module: ModuleType, name: str, where: str = "") -> Any:
    """What a module has under a name, which may have dots.

    Args:
        module: where to look.
        name: of a class, a function, or an attribute of one: "Maze.small".
        where: how messages call the module; by default its name.

    Raises:
        TargetError: it has none; with one that is spelled alike.
    """
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as exc:
            near = difflib.get_close_matches(part, dir(found), n=1)
            message = f"{where or module.__name__} has no {name}{f'; did you mean {near[0]}?' if near else ''}"
            raise TargetError(message) from exc
    return found


def class_of_file(module: ModuleType, path: Path, *, spaces: bool = False) -> str:
    """The name of the one class of environments that a file defines, or else, with `spaces`, of its one space.

    Args:
        module: the file, imported.
        path: of the file, as it was written, for messages.
        spaces: whether one space will do where there is no environment.

    Raises:
        TargetError: there is none, or there are several.
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
    message = f"{path} has several classes; say which: {', '.join(f'{path}:{cls.__name__}' for cls in named)}"
    if not named:
        message = f"{path} defines no subclass of Env{' or Space' if spaces else ''}; name one"
    raise TargetError(message)
