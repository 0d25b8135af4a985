"""Tests that run the examples in Gymnasium's docstrings on gymkernel. Only the name of the library is replaced."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

DIFFERENT = {
    "wrappers/stateful_observation.py": (1, "NormalizeObservation: float64 statistics, which do not lose digits"),
    "wrappers/vector/stateful_observation.py": (1, "the same"),
    "wrappers/rendering.py": (1, "phys2d/CartPole-v1 needs JAX"),
}
"""The number of examples in each module whose results differ. docs/guides/coming-from-gymnasium.md states why."""
EXAMPLES = Path(__file__).with_name("examples.py")


def _run(argument: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", str(EXAMPLES), argument]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, timeout=300)


MODULES = _run("--list").stdout.split()


def test_examples_exist() -> None:
    assert len(MODULES) > 40


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str, tmp_path: Path) -> None:
    for library in ("jax", "torch"):
        if library in module and find_spec(library) is None:
            pytest.skip(f"the example needs {library}, which is not installed")
    finished = _run(module, tmp_path)
    assert finished.returncode == DIFFERENT.get(module, (0, ""))[0], finished.stdout + finished.stderr
