"""Tests that public docstrings describe all parameters in `Args:` or `Attributes:`, and not just by name."""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import pydoc
import re
import textwrap
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel import error

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "kernel" / "src"
OFFERED = ("utils", "spaces", "wrappers", "vector", "vector_wrappers", "envs")
RULES = "gymkernel_tool_check.rules."
"""The package of the rules. Rule functions take a space, and their docstrings are the text of `check --explain`."""
FOR_CHECKS = {"test_instances"}
"""Methods that only the checker calls."""
SECTION = re.compile(r"^(?:Args|Attributes):\n((?: .*\n|\n)*)", re.MULTILINE)
REFERENCE = re.compile(
    r"[Aa]rguments(?:,?\s+(?:and\s+)?\w+)*?\s+(?:(?:are\s+those|as)\s+of|are\s+the\s+same\s+as\s+for)\s+`([\w.]+)`"
)
"""A reference to the function or class that documents the same parameters."""
SOME = re.compile(r"((?:`\w+`(?:,\s+|\s+and\s+)?)+)\s+(?:is|are)\s+the\s+same\s+as\s+for\s+`([\w.]+)`")
"""A list of parameters that are documented by another function or class."""
ENTRY = re.compile(r"^ {4}((?:\*{0,2}\w+(?:, )?)+): (.+(?:\n {8}.+)*)", re.MULTILINE)


def modules_of_kernel() -> list[str]:
    """Return the public modules of the kernel, except those that implement the commands."""
    names = []
    for path in sorted(KERNEL.rglob("*.py")):
        parts = path.relative_to(KERNEL).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not any(part.startswith("_") or part == "cli" for part in name.split(".")):
            names.append(name)
    return names


def places_of_plugins() -> dict[str, list[str]]:
    """Return the public modules of each plugin, and the `module:name` of its entry points."""
    found = {}
    for path in sorted(ROOT.glob("plugins/*/*/pyproject.toml")):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        points = project.get("entry-points", {})
        modules = points.get("gymkernel.modules", {})
        places = {project["name"].replace("-", "_")}
        places |= {value for name, value in modules.items() if not name.startswith("checks.")}
        places |= {value for kind in OFFERED for value in points.get(f"gymkernel.{kind}", {}).values()}
        found[str(path.parent.relative_to(ROOT))] = sorted(places)
    return found


def public(place: str) -> Iterator[Any]:
    """Yield the first-party classes and functions of a module, or the object that `place` names."""
    module, _, name = place.partition(":")
    if not module.startswith("gymkernel"):
        return
    home = importlib.import_module(module)
    for item in [name] if name else getattr(home, "__all__", ()):
        thing = getattr(home, item)
        its = str(getattr(thing, "__module__", ""))
        ours = its.startswith("gymkernel") and not its.startswith(RULES)
        if ours and (inspect.isclass(thing) or inspect.isroutine(thing)):
            yield thing


def parameters(thing: Any) -> list[str]:
    """Return the parameters that must be documented. There are none for enumerations, exceptions and protocols."""
    if inspect.isclass(thing):
        if issubclass(thing, BaseException | enum.Enum) or getattr(thing, "_is_protocol", False):
            return []
        thing = thing if thing.__init__ is object.__init__ else thing.__init__
    try:
        signature = inspect.signature(thing)
    except ValueError:
        return []
    return [name for name in signature.parameters if name not in {"self", "cls"}]


def described(thing: Any) -> dict[str, str]:
    """Return the documented parameters with their descriptions. A class inherits the descriptions of its bases."""
    found: dict[str, str] = {}
    for owner in thing.__mro__ if inspect.isclass(thing) else (thing,):
        doc = inspect.cleandoc(owner.__doc__ or "")
        for name, text in said(doc) | fields(owner):
            found.setdefault(name, text)
        for named in REFERENCE.findall(doc):
            found = described(referred(named, owner)) | found
        for names, named in SOME.findall(doc):
            there = described(referred(named, owner))
            for name in re.findall(r"\w+", names):
                found.setdefault(name, there.get(name, ""))
    return found


def referred(name: str, owner: Any) -> Any:
    """Return the object to which a docstring refers by full name, or by a name in the same module, package or class."""
    whole = name if name.startswith("gymkernel") else f"{owner.__module__}.{name}"
    own = name.removesuffix("()").partition(".")
    if inspect.isfunction(owner) and not own[1] and "." in owner.__qualname__:
        whole = f"{owner.__module__}.{owner.__qualname__.rpartition('.')[0]}.{name}"
    homes = (owner.__module__, owner.__module__.partition(".")[0])
    return pydoc.locate(whole) or next(filter(None, (pydoc.locate(f"{home}.{name}") for home in homes)), None)


def said(doc: str) -> set[tuple[str, str]]:
    """Return the parameter names and descriptions in the sections of a docstring."""
    entries = [entry for section in SECTION.finditer(doc + "\n") for entry in ENTRY.finditer(section[1])]
    return {(name.lstrip("*"), entry[2]) for entry in entries for name in entry[1].split(", ")}


def fields(owner: Any) -> set[tuple[str, str]]:
    """Return the fields of a named tuple or dataclass that have a docstring below them."""
    found: set[tuple[str, str]] = set()
    if {"_fields", "__dataclass_fields__"} & getattr(owner, "__dict__", {}).keys():
        body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0].body  # type: ignore[attr-defined]
        for item, below in pairwise(body):
            match item, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found.add((name, text))
    return found


def undescribed(thing: Any) -> list[str]:
    """Return the parameters that have no description, or whose description only repeats the name."""
    texts = described(thing)
    return [name for name in parameters(thing) if not _tells(name, texts.get(name, ""))]


def _tells(name: str, text: str) -> bool:
    words = set(re.findall(r"[a-z]+", text.lower())) - set(name.lower().split("_")) - {"the", "a", "an", "of", "this"}
    return bool(words)


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods that a class adds. Overridden methods are documented in the base class."""
    for name, thing in vars(cls).items():
        function = getattr(thing, "__func__", thing)
        inherited = any(name in vars(base) for base in cls.__mro__[1:])
        if inspect.isfunction(function) and not name.startswith("_") and not inherited and name not in FOR_CHECKS:
            yield name, function


def problems(place: str) -> list[str]:
    """Return the names of the undocumented parameters in a module, or of an object in it."""
    found = []
    for thing in public(place):
        found += [f"{thing.__module__}.{thing.__qualname__}: {name}" for name in undescribed(thing)]
        if inspect.isclass(thing) and not issubclass(thing, BaseException | enum.Enum):
            if getattr(thing, "_is_protocol", False):
                continue
            for name, function in methods(thing):
                home = f"{thing.__module__}.{thing.__qualname__}.{name}"
                found += [f"{home}: {parameter}" for parameter in undescribed(function)]
    return found


def test_kernel_functions_describe_their_parameters() -> None:
    assert [problem for module in modules_of_kernel() for problem in problems(module)] == []


PLUGINS = places_of_plugins()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # some names in a module are deprecated
def test_plugin_functions_describe_their_parameters() -> None:
    found: set[str] = set()
    seen = 0
    for places in PLUGINS.values():
        try:
            found |= {problem for place in places for problem in problems(place)}
        except (ModuleNotFoundError, error.MissingPlugin):
            continue  # the plugin needs a package that the tests do not install
        seen += 1
    assert sorted(found) == []
    assert seen > 60


def _scaled(value: float, factor: float) -> float:
    """Multiply.

    Args:
        value: the value.
        factor: the number by which the value
            is multiplied.
    """
    return value * factor


def test_description_that_repeats_the_name_is_rejected() -> None:
    assert undescribed(_scaled) == ["value"]


def test_undescribed_parameter_is_found() -> None:
    def bare(seed: int) -> int:
        """Return the seed."""
        return seed

    assert undescribed(bare) == ["seed"]
