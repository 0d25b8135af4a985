"""Run the docstring examples that need other packages. The tests of their own package skip these examples."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RAY = "gymkernel_vector_ray"


def skipping() -> list[Path]:
    """Return the modules whose docstrings have skipped examples."""
    sources = [path for folder in ("kernel", "plugins") for path in (ROOT / folder).rglob("src/**/*.py")]
    return [path for path in sources if "doctest: +SKIP" in path.read_text(encoding="utf-8")]


def name_of(path: Path) -> str:
    """Return the import name of a source file."""
    parts = path.relative_to(next(parent for parent in path.parents if parent.name == "src")).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = [name_of(path) for path in skipping()]


def test_skipped_examples_exist() -> None:
    assert "gymkernel_vector_sync" in MODULES


@pytest.mark.filterwarnings("ignore:.*No Ray cluster is running, so a cluster with")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.ray] * name.startswith(RAY)) for name in MODULES]
)
def test_skipped_examples_run_with_all_plugins(name: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    tried = 0
    for found in doctest.DocTestFinder().find(importlib.import_module(name), name):
        printed: list[str] = []
        skipped = [example.options.pop(doctest.SKIP, False) for example in found.examples]
        if any(skipped):
            tried += runner.run(found, out=printed.append).attempted
        assert not runner.failures, "".join(printed)
    assert tried
