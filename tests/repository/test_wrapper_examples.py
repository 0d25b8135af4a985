"""Tests that every wrapper documents its constructor's signature, and shows a working example before any error."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import tomllib
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("wrapper", wrappers())
def test_first_example_of_a_wrapper_succeeds(wrapper: str) -> None:
    docstring = ast.get_docstring(class_definition(wrapper)) or ""
    shown = [example for example in doctest.DocTestParser().get_examples(docstring) if example.want]
    assert shown
    assert shown[0].exc_msg is None


@pytest.mark.parametrize("wrapper", wrappers())
def test_wrapper_signature_equals_its_constructor(wrapper: str) -> None:
    _, module, name = wrapper.split(":")
    try:
        cls = getattr(importlib.import_module(module), name)
    except (ModuleNotFoundError, MissingPlugin) as exc:
        pytest.skip(f"needs a package that the tests do not install: {exc}")
    # If a class inherits its constructor, old versions of Python show the signature of `Wrapper.__new__` instead.
    assert "__init__" in vars(cls)
    assert list(inspect.signature(cls).parameters) == list(inspect.signature(cls.__init__).parameters)[1:]
