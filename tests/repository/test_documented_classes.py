"""Tests that spaces, environments and wrappers in the documentation pass the checks, because users start from them."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel import Env, Space
from gymkernel.checks import check
from gymkernel.vector import VectorEnv

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(?:pycon|python)\b[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
DOCUMENTS = ("*.md", "kernel/*.md", "docs/**/*.md", "plugins/*/*/README.md")
GENERATED = [ROOT / "docs" / folder for folder in ("environments", "reference/api", "reference/rules")]
"""Folders with generated pages. tests/documented runs the examples on the pages of rules."""
BASES = (Space, Env, VectorEnv)
INTENDED = {
    "command-line: Still": "its reward is meant to be none",
    "environments: Scaled": "its arguments are meant not to be recorded",
    "grid_world: GridWorld": "its defect is what the tutorial finds",
    "vector-environments: Half": "its observations are meant to be refused",
    "async-vector-environments: Fragile": "its step is meant to fail",
    "checking: Maze": "it is the one attribute that the section is about",
}
"""Classes that intentionally show a defect or are incomplete, each with the reason."""
ALWAYS = "import gymkernel as gym\nimport numpy as np\nfrom numpy.typing import NDArray\n"


def definitions(text: str) -> str:
    """Return a module's source that consists only of a document's imports, definitions and registrations."""
    kept: list[ast.stmt] = []
    for block in BLOCK.finditer(text):
        examples = doctest.DocTestParser().get_examples(block[1])
        whole = [] if examples or not re.search(r"^class ", block[1], re.MULTILINE) else [block[1]]
        for source in [*whole, *(example.source for example in examples if example.exc_msg is None)]:
            known = {node.name for node in kept if isinstance(node, ast.ClassDef)}
            kept += [node for node in parsed(source) if defines(node, known)]
    return ALWAYS + "\n".join(map(ast.unparse, kept))


def parsed(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:  # the code contains "..." instead of omitted lines
        return []


def defines(node: ast.stmt, known: set[str]) -> bool:
    """Return whether a statement defines a name or a constant, or sets an attribute of a known class."""
    if isinstance(node, ast.Assign):
        target = ast.unparse(node.targets[0])
        return target.isupper() or target.partition(".")[0] in known
    if isinstance(node, ast.Expr):
        return ast.unparse(node).startswith("register_")
    return isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef)


def documented() -> Iterator[tuple[str, str, str]]:
    """Yield the name of each document, the module of its definitions, and the names of its classes."""
    found = {path for pattern in DOCUMENTS for path in ROOT.glob(pattern)}
    for path in sorted(path for path in found if not any(path.is_relative_to(folder) for folder in GENERATED)):
        module = definitions(path.read_text(encoding="utf-8"))
        stem = "-".join(path.relative_to(ROOT).parent.parts[1:]) if path.stem == "README" else path.stem
        yield from ((stem, module, name) for name in classes(module))
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.py")):
        module = path.read_text(encoding="utf-8")
        if "import stable_baselines3" not in module and "from stable_baselines3" not in module:  # not installed here
            yield from ((path.stem, module, name) for name in classes(module))


def classes(module: str) -> list[str]:
    """Return the classes of a module that have base classes. Classes without a base do not use gymkernel."""
    return sorted({node.name for node in ast.parse(module).body if isinstance(node, ast.ClassDef) and node.bases})


DOCUMENTED = list(documented())
CASES = [
    pytest.param(document, module, name, id=f"{document}: {name}")
    for document, module, name in DOCUMENTED
    if f"{document}: {name}" not in INTENDED
]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function `written(document, module)` that writes the module to a file and returns its path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "tutorials"))

    def write(document: str, module: str) -> Path:
        path = tmp_path / f"documented_{document.replace('-', '_').lower()}.py"
        path.write_text(module, encoding="utf-8")
        return path

    return write


def load(path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("document, module, name", CASES)
def test_documented_classes_pass_the_fast_rules(
    document: str, module: str, name: str, written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cls = getattr(load(written(document, module), monkeypatch), name)
    if not issubclass(cls, BASES):
        pytest.skip("it is no space, environment or wrapper")
    report = check(cls, profile="fast")

    assert not report.at_least("warning"), "\n".join(map(str, report.findings))


@pytest.mark.slow
@pytest.mark.parametrize("document, module, name", CASES)
def test_documented_classes_are_sound(
    document: str, module: str, name: str, written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(document, module)
    if not issubclass(getattr(load(path, monkeypatch), name), BASES):
        pytest.skip("it is no space, environment or wrapper")
    report = check(f"{path}:{name}", measure=False)

    assert not report.failure, report.failure
    assert not report.at_least("warning"), "\n".join(map(str, report.findings))


def test_excluded_classes_exist() -> None:
    assert INTENDED.keys() <= {f"{document}: {name}" for document, _, name in DOCUMENTED}


def test_documented_registrations_are_included() -> None:
    text = "```pycon\n>>> class A(Space):\n...     pass\n>>> A.layout = layout\n>>> register_arrays(A)\n>>> A()\nA()\n"
    text += ">>> class A(Space): 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: division by zero\n```\n"

    assert definitions(text).removeprefix(ALWAYS).splitlines() == [
        "class A(Space):",
        "    pass",
        "A.layout = layout",
        "register_arrays(A)",
    ]
