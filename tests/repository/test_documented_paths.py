"""Each path and name below gymkernel that an entry point provides is one that documentation gives to users.

It is in Gymnasium's module layout (`gymnasium_layout.txt`: each module of Gymnasium 1.4 with its public names), in the
documented names of 0.1.0, or named in a guide or a tutorial. Code of ours imports every other name from its own module.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gymkernel._known import KNOWN

HERE = Path(__file__).resolve().parent
PAGES = [*HERE.parents[1].glob("docs/guides/*.md"), *HERE.parents[1].glob("docs/tutorials/*.md")]
DOCUMENTATION = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def read(file: str) -> dict[str, list[str]]:
    """Return the names in each module that a file lists, a module per line."""
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    modules = {module: names.split() for module, _, names in (line.partition(":") for line in lines)}
    return {module.removeprefix("gymkernel."): names for module, names in modules.items()}


GYMNASIUM = read("gymnasium_layout.txt")
DOCUMENTED = read("public_names_0_1_0.txt")


def is_documented(module: str, name: str = "") -> bool:
    """Whether documentation gives a module, or a name in a module, to users."""
    if not name:
        return module in GYMNASIUM.keys() | DOCUMENTED.keys() or in_a_page(rf"gymkernel\.{re.escape(module)}\b")
    if name in GYMNASIUM.get(module, []) or name in DOCUMENTED.get(module, []):
        return True
    path = rf"gymkernel\.{re.escape(module)}"
    return in_a_page(rf"{path}\.{name}\b|from {path} import [^\n]*\b{name}\b")


def in_a_page(pattern: str) -> bool:
    return re.search(pattern, DOCUMENTATION) is not None


@pytest.mark.parametrize("path", KNOWN["modules"])
def test_a_module_path_is_documented(path: str) -> None:
    assert is_documented(path)


@pytest.mark.parametrize("path", KNOWN["utils"])
def test_a_name_in_a_module_is_documented(path: str) -> None:
    module, _, name = path.rpartition(".")
    assert is_documented(module, name)


def test_an_internal_path_is_found() -> None:
    assert not is_documented("vector.shards")
    assert not is_documented("vector.utils", "SharedPlaces")
    assert is_documented("arrays")  # the guide on spaces has it
    assert is_documented("wrappers.common", "TimeLimit")
