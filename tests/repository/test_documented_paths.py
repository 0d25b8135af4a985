"""Tests that every module path and name in the namespace `gymkernel` that an entry point provides is documented.

A path is documented if it is in Gymnasium's module layout (`gymnasium_layout.txt`: each module of Gymnasium 1.4 with
its public names), or in a guide, a tutorial or a template of `gymkernel new`. First-party code imports every other name
from the module that defines the name.
"""

from __future__ import annotations

import re
from pathlib import Path

from gymkernel._known import KNOWN

HERE = Path(__file__).resolve().parent
PAGES = [*HERE.parents[1].glob("docs/guides/*.md"), *HERE.parents[1].glob("docs/tutorials/*.md")]
PAGES += HERE.parents[1].glob("plugins/tools/new/src/*/template_files/**/*.txt")
DOCUMENTATION = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def read(file: str) -> dict[str, list[str]]:
    """Read a file in which each line lists the names in one module."""
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    modules = {module: names.split() for module, _, names in (line.partition(":") for line in lines)}
    return {module.removeprefix("gymkernel."): names for module, names in modules.items()}


GYMNASIUM = read("gymnasium_layout.txt")


def is_documented(module: str, name: str = "") -> bool:
    """Return whether the documentation mentions a module, or a name in a module."""
    if not name:
        return module in GYMNASIUM or in_a_page(rf"gymkernel\.{re.escape(module)}\b")
    if name in GYMNASIUM.get(module, []):
        return True
    path = re.escape(module)
    return in_a_page(rf"(gymkernel|gym)\.{path}\.{name}\b|from gymkernel\.{path} import [^\n]*\b{name}\b")


def in_a_page(pattern: str) -> bool:
    return re.search(pattern, DOCUMENTATION) is not None


def test_every_module_path_is_documented() -> None:
    assert [path for path in KNOWN["modules"] if not is_documented(path)] == []


def test_every_name_in_a_module_is_documented() -> None:
    names = [path.rpartition(".")[::2] for path in KNOWN["utils"]]
    assert [(module, name) for module, name in names if not is_documented(module, name)] == []


def test_internal_path_is_found() -> None:
    assert not is_documented("vector.shards")
    assert not is_documented("vector.utils", "SharedPlaces")
    assert is_documented("arrays")  # the guide on spaces mentions this path
    assert is_documented("wrappers.common", "TimeLimit")
