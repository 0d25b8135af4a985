"""Adapt docstrings for Sphinx, with hooks that run before and after napoleon.

* An attribute's docstring is a sentence, but napoleon would read the text before its first colon as a type.
* `Returns:` may list several values as `name: description`, but napoleon would read the first name as a type and join
  the other lines.
* Tables, and code that is indented below a colon, are written in Markdown and are converted to reStructuredText.
* An environment's class has its own page. Its docstring is not repeated, and only the members of the API and of the
  task are shown.
* Private base classes of a plugin are left out, and their public bases are shown instead.
* Source links of aliases and tables lead to this repository, not to the standard library.
* A wrapper is shown with the parameters of its `__init__`, because its `__new__` accepts any arguments.
"""

from __future__ import annotations

import importlib
import inspect
import re
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import reference_pages
from sphinx.util import inspect as sphinx_inspect

import gymkernel

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAPOLEON: Final = 500
"""The priority at which napoleon processes docstrings."""
COLON: Final = "\N{MODIFIER LETTER COLON}"
API: Final = {"step", "reset", "render", "close"}
OF_THE_TASK: Final = {
    "action_mask",
    "encode",
    "decode",
    "P",
    "get_keys_to_action",
    "initial",
    "transition",
    "observation",
}
OF_FUNCTIONS: Final = {"reward", "terminal", "render_init", "render_image", "get_default_params"}
"""Members of environments that are shown in addition to the API."""
FOR_CHECKS: Final = {"test_instances"}
"""Members that exist only for `gymkernel check` and are not documented."""
VALUE: Final = re.compile(r"(\s+)(\w+): (.*)")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register hooks that run before and after napoleon."""
    app.connect("autodoc-process-docstring", _before, priority=NAPOLEON - 100)
    app.connect("autodoc-process-docstring", _after, priority=NAPOLEON + 100)
    app.connect("autodoc-process-bases", _public_bases)
    app.connect("autodoc-process-signature", _constructor_signature)
    app.connect("autodoc-skip-member", _skip)
    app.connect("viewcode-follow-imported", _source_of_ours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _described(obj: Any) -> bool:
    """Return whether an object is an environment class of this repository, which has its own page."""
    home = str(getattr(obj, "__module__", ""))
    environment = inspect.isclass(obj) and issubclass(obj, gymkernel.Env | gymkernel.vector.VectorEnv)
    return environment and home.startswith("gymkernel_env_")


def _constructor_signature(
    _app: Sphinx, what: str, _name: str, obj: Any, _options: object, _signature: str | None, returned: str | None
) -> tuple[str, str | None] | None:
    """Return the parameters of a wrapper's `__init__`, because Sphinx would show those of `__new__`."""
    if what != "class" or not issubclass(obj, gymkernel.Wrapper | gymkernel.vector.VectorWrapper):
        return None
    signature = sphinx_inspect.signature(obj.__init__, bound_method=True)
    shown = sphinx_inspect.stringify_signature(signature, show_return_annotation=False, unqualified_typehints=True)
    return shown, returned


def _public_bases(_app: Sphinx, _name: str, _obj: object, _options: object, bases: list[Any]) -> None:
    shown: list[Any] = []
    for base in bases:
        if _is_public(base):
            found = base
        else:
            above = getattr(getattr(base, "__origin__", base), "__mro__", ())[1:]
            found = next((item for item in above if _is_public(item)), None)
        if found is not None and found not in shown:
            shown.append(found)
    bases[:] = shown or [object]


def _is_public(base: Any) -> bool:
    home = str(getattr(base, "__module__", ""))
    if getattr(base, "__name__", "") in {"Randomness", "Generics", "Generic"} or base is object:
        return False
    ours = home.startswith("gymkernel")
    own = home.startswith("gymkernel.") and not any(part.startswith("_") for part in home.split("."))
    return not ours or own or getattr(base, "__origin__", base) in reference_pages.PUBLIC


def _skip(_app: Sphinx, what: str, name: str, obj: Any, skip: bool, _options: object) -> bool | None:
    """Skip the internal members of environments and the members that only `gymkernel check` uses."""
    if skip or what != "class":
        return None
    if name in FOR_CHECKS or (name == "spec_fields" and obj):  # documented in `Space`
        return True
    home = str(getattr(obj, "__module__", ""))
    if home.startswith("gymkernel_env_") and name not in API | OF_THE_TASK | OF_FUNCTIONS:
        return True
    return None


def _source_of_ours(_app: Sphinx, module: str, name: str) -> str | None:
    """Return no module for the source link of an object, such as an alias, whose class is in the standard library."""
    thing: Any = importlib.import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part, None)
    return None if str(getattr(thing, "__module__", "")).startswith("gymkernel") else module


def _before(_app: Sphinx, what: str, _name: str, obj: object, _options: object, lines: list[str]) -> None:
    if what == "class" and _described(obj):
        lines[:] = lines[: lines.index("")] if "" in lines else lines
    for i, line in enumerate(lines[:-2]):
        if line.endswith(":") and not lines[i + 1].strip() and lines[i + 2].startswith(f"{_margin(line)}    "):
            lines[i] = f"{line}:"
    if what in {"attribute", "data", "property"}:
        lines[:] = [line.replace(":", COLON) for line in lines]
    elif "Returns:" in lines:
        start = lines.index("Returns:") + 1
        end = next((i for i, line in enumerate(lines[start:], start) if line[:1].strip()), len(lines))
        while end > start and not lines[end - 1].strip():
            end -= 1
        if len([line for line in lines[start:end] if VALUE.fullmatch(line)]) > 1:
            lines[start:end] = [_item(line) for line in lines[start:end]]


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _item(line: str) -> str:
    found = VALUE.fullmatch(line)
    return f"{found[1]}* *{found[2]}*{COLON} {found[3]}" if found else f"  {line}"


def _after(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    lines[:] = [line.replace(COLON, ":") for line in lines]
    converted: list[str] = []
    for is_row, block in groupby(lines, lambda line: line.lstrip().startswith("|")):
        rows = list(block)
        converted += _table(rows) if is_row else rows
    lines[:] = converted


def _table(rows: list[str]) -> list[str]:
    """Convert a Markdown table to a `list-table`."""
    margin = _margin(rows[0])
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    if len(rows) < 2 or "-" not in rows[1] or set("".join(cells[1])) - set("-: "):
        return rows
    table = ["", f"{margin}.. list-table::", f"{margin}   :header-rows: 1", ""]
    for row in [cells[0], *cells[2:]]:
        table += [f"{margin}   {'* - ' if i == 0 else '  - '}{cell}" for i, cell in enumerate(row)]
    return [*table, ""]
