"""Run the docstring examples of a Gymnasium module on gymkernel: `python examples.py wrappers/common.py`.

The examples are those of the installed package, with the name of the library replaced. An example can use the names
that its module imports and defines. With `--list`, the program lists the modules that have examples.
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
# The error messages of the two libraries differ.
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def modules() -> list[str]:
    """Return the modules whose docstrings have examples."""
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if ">>> " in path.read_text("utf-8"))


def names(tree: ast.Module, module: str) -> dict[str, Any]:
    """Return the names that the examples can use: those that the module imports and those that our module defines."""
    seen: dict[str, Any] = {"__name__": "__main__"}
    if SIMULATOR.match(module):
        return seen  # the simulators are always Gymnasium's classes, which the examples import
    here = importlib.import_module(module)
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") != "__future__":
            exec(compile(ast.Module([node], []), module, "exec"), seen)  # noqa: S102 - the code is one of the module's import statements
    defined = [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return seen | {name: getattr(here, name) for name in defined if not name.startswith("_")}


def run(file: str) -> int:
    """Run the examples of a module, print the failures, and return their number."""
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
