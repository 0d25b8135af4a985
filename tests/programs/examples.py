"""Runs the examples in the docstrings of one module of Gymnasium on gymkernel: `python examples.py wrappers/common.py`.

The text is that of the installed package, with one change: the name of the library. An example sees what it sees
at home: what its module imports and defines. With `--list`, the modules that have examples.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.metadata
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(str(importlib.metadata.distribution("gymnasium").locate_file("gymnasium")))
LIBRARY = re.compile(r"\bgymnasium\b")
SIMULATOR = re.compile(r"gymkernel\.envs\.(box2d|mujoco|phys2d|tabular)\b")
# The texts of errors are each library's own.
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def modules() -> list[str]:
    """The modules that have examples."""
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if ">>> " in path.read_text("utf-8"))


def names(tree: ast.Module, module: str) -> dict[str, Any]:
    """What the examples of a module see: what that module imports, and what the module of its path here defines."""
    seen: dict[str, Any] = {"__name__": "__main__"}
    if SIMULATOR.match(module):
        return seen  # its classes are Gymnasium's, also here; its examples import what they use
    here = importlib.import_module(module)
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") != "__future__":
            exec(compile(ast.Module([node], []), module, "exec"), seen)  # noqa: S102 - an import of the module's
    defined = [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return seen | {name: getattr(here, name) for name in defined if not name.startswith("_")}


def run(file: str) -> int:
    """Run the examples of one module; how many fail, with what they say on standard output."""
    tree = ast.parse(LIBRARY.sub("gymkernel", (ROOT / file).read_text("utf-8")))
    module = ".".join(("gymkernel", *Path(file).with_suffix("").parts)).removesuffix(".__init__")
    seen = names(tree, module)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
            name, line = getattr(node, "name", "module"), getattr(node, "lineno", 1)
            runner.run(parser.get_doctest(text, dict(seen), name, file, line - 1))
    return runner.summarize(verbose=False).failed


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(*modules(), sep="\n")
    else:
        sys.exit(run(sys.argv[1]))
