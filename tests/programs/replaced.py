"""Copy programs and replace `gymnasium` with `gymkernel` in every import."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FROM = re.compile(r"^([ \t]*)from gymnasium\b", re.MULTILINE)
_RENAMED = re.compile(r"^([ \t]*)import gymnasium((?:\.\w+)*) as ", re.MULTILINE)
_SUBMODULE = re.compile(r"^([ \t]*)import gymnasium((?:\.\w+)+)(?=[ \t]*(#.*)?$)", re.MULTILINE)
_PLAIN = re.compile(r"^([ \t]*)import gymnasium(?=[ \t]*(#.*)?$)", re.MULTILINE)


def replace_imports(text: str) -> str:
    """Return the program with `gymnasium` replaced in its imports. The imported names stay the same.

    >>> replace_imports("import gymnasium as gym")
    'import gymkernel as gym'
    >>> replace_imports("import gymnasium")
    'import gymkernel as gymnasium'
    """
    text = _FROM.sub(r"\1from gymkernel", text)
    text = _RENAMED.sub(r"\1import gymkernel\2 as ", text)
    text = _SUBMODULE.sub(r"\1import gymkernel\2; import gymkernel as gymnasium", text)
    return _PLAIN.sub(r"\1import gymkernel as gymnasium", text)


def copy_replaced(source: Path, target: Path) -> None:
    """Copy a folder of programs and replace the imports of every Python file in the copy."""
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    for file in target.rglob("*.py"):
        text = file.read_text("utf-8")
        replaced = replace_imports(text)
        if replaced != text:
            file.write_text(replaced, "utf-8")
