"""Tests that every wrapper documents its constructor's signature, and shows a working example before any error."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import inspect
import tomllib
from pathlib import Path

from tests.cases import every_case

from gymkernel.error import MissingPlugin

ROOT = Path(__file__).resolve().parents[2]


def wrappers() -> list[str]:
    """Return the `folder:module:name` of each wrapper that a plugin provides."""
    found = []
    for path in sorted(ROOT.glob("plugins/wrappers/*/pyproject.toml")):
        points = tomllib.loads(path.read_text(encoding="utf-8"))["project"]["entry-points"]
        values = {
            value for kind in ("wrappers", "vector_wrappers") for value in points.get(f"gymkernel.{kind}", {}).values()
        }
        found += [f"{path.parent.name}:{value}" for value in sorted(values)]
    return found


def class_definition(wrapper: str) -> ast.ClassDef:
    """Return the syntax tree of a wrapper without importing the wrapper's dependencies."""
    folder, module, name = wrapper.split(":")
    source = ROOT / "plugins" / "wrappers" / folder / "src" / module.replace(".", "/")
    files = (source / "__init__.py", source.with_suffix(".py"))
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files if file.exists()]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == name]
    if not nodes:
        lazy = (source / "lazy.py").read_text(encoding="utf-8")
        nodes = [node for node in ast.parse(lazy).body if isinstance(node, ast.ClassDef) and node.name == name]
    return nodes[0]


def test_first_example_of_each_wrapper_succeeds() -> None:
    with every_case() as case:
        for wrapper in wrappers():
            with case(wrapper):
                docstring = ast.get_docstring(class_definition(wrapper)) or ""
                shown = [example for example in doctest.DocTestParser().get_examples(docstring) if example.want]
                assert shown
                assert shown[0].exc_msg is None


def test_wrapper_signatures_equal_their_constructors() -> None:
    classes = {}
    for wrapper in wrappers():
        _, module, name = wrapper.split(":")
        # Some wrappers need packages that the tests do not install.
        with contextlib.suppress(ModuleNotFoundError, MissingPlugin):
            classes[wrapper] = getattr(importlib.import_module(module), name)

    assert len(classes) > 60
    with every_case() as case:
        for wrapper, cls in classes.items():
            with case(wrapper):
                # If a class inherits its constructor, old versions of Python show the signature of `Wrapper.__new__`.
                assert "__init__" in vars(cls)
                parameters = list(inspect.signature(cls.__init__).parameters)[1:]
                assert list(inspect.signature(cls).parameters) == parameters
