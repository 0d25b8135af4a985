"""Every space, environment and wrapper that the documentation defines is sound: whoever begins with it begins well."""

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
"""Where the site's build writes pages; of those of rules, tests/documented has the examples."""
BASES = (Space, Env, VectorEnv)
MEANT = {
    "command-line: Still": "its reward is meant to be none",
    "environments: Scaled": "its arguments are meant not to be recorded",
    "grid_world: GridWorld": "its defect is what the tutorial finds",
    "vector-environments: Half": "its observations are meant to be refused",
    "async-vector-environments: Fragile": "its step is meant to fail",
    "checking: Maze": "it is the one attribute that the section is about",
}
"""Classes that show a defect, or are no whole ones, with the reason."""
ALWAYS = "import gymkernel as gym\nimport numpy as np\nfrom numpy.typing import NDArray\n"


def definitions(text: str) -> str:
    """The module of what a document imports and defines, and registers for it; nothing else of it runs."""
    kept: list[ast.stmt] = []
    for block in BLOCK.finditer(text):
        examples = doctest.DocTestParser().get_examples(block[1])
        whole = [] if examples or not re.search(r"^class ", block[1], re.MULTILINE) else [block[1]]
        for source in [*whole, *(one.source for one in examples if one.exc_msg is None)]:
            known = {node.name for node in kept if isinstance(node, ast.ClassDef)}
            kept += [node for node in parsed(source) if defines(node, known)]
    return ALWAYS + "\n".join(map(ast.unparse, kept))


def parsed(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:  # lines with "..." for what is left out
        return []


def defines(node: ast.stmt, known: set[str]) -> bool:
    """Whether it makes a name, a constant, or an attribute of a class that is known."""
    if isinstance(node, ast.Assign):
        target = ast.unparse(node.targets[0])
        return target.isupper() or target.partition(".")[0] in known
    if isinstance(node, ast.Expr):
        return ast.unparse(node).startswith("register_")
    return isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef)


def documented() -> Iterator[tuple[str, str, str]]:
    """The name of each document, the module of its definitions, and the names of its classes."""
    found = {path for pattern in DOCUMENTS for path in ROOT.glob(pattern)}
    for path in sorted(path for path in found if not any(path.is_relative_to(folder) for folder in GENERATED)):
        module = definitions(path.read_text(encoding="utf-8"))
        stem = "-".join(path.relative_to(ROOT).parent.parts[1:]) if path.stem == "README" else path.stem
        yield from ((stem, module, name) for name in classes(module))
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.py")):
        module = path.read_text(encoding="utf-8")
        if (
            "import stable_baselines3" not in module and "from stable_baselines3" not in module
        ):  # which is not installed here
            yield from ((path.stem, module, name) for name in classes(module))


def classes(module: str) -> list[str]:
    """Without those that derive from nothing: they stand for something of another library, or are plain Python."""
    return sorted({node.name for node in ast.parse(module).body if isinstance(node, ast.ClassDef) and node.bases})


DOCUMENTED = list(documented())
CASES = [
    pytest.param(document, module, name, id=f"{document}: {name}")
    for document, module, name in DOCUMENTED
    if f"{document}: {name}" not in MEANT
]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`written(document, module)` writes a module, and returns where."""
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
def test_what_is_documented_keeps_the_quick_rules(
    document: str, module: str, name: str, written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cls = getattr(load(written(document, module), monkeypatch), name)
    if not issubclass(cls, BASES):
        pytest.skip("it is no space, environment or wrapper")
    report = check(cls, profile="fast")

    assert not report.at_least("warning"), "\n".join(map(str, report.findings))


@pytest.mark.slow
@pytest.mark.parametrize("document, module, name", CASES)
def test_what_is_documented_is_sound(
    document: str, module: str, name: str, written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(document, module)
    if not issubclass(getattr(load(path, monkeypatch), name), BASES):
        pytest.skip("it is no space, environment or wrapper")
    report = check(f"{path}:{name}", measure=False)

    assert not report.failure, report.failure
    assert not report.at_least("warning"), "\n".join(map(str, report.findings))


def test_what_is_left_out_is_there() -> None:
    assert MEANT.keys() <= {f"{document}: {name}" for document, _, name in DOCUMENTED}


def test_what_a_document_registers_is_part_of_it() -> None:
    text = "```pycon\n>>> class A(Space):\n...     pass\n>>> A.layout = layout\n>>> register_arrays(A)\n>>> A()\nA()\n"
    text += ">>> class A(Space): 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: division by zero\n```\n"

    assert definitions(text).removeprefix(ALWAYS).splitlines() == [
        "class A(Space):",
        "    pass",
        "A.layout = layout",
        "register_arrays(A)",
    ]
