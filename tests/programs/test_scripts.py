"""Tests that programs print the same output with Gymnasium and, if only the import is changed, with gymkernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.programs.runner import run_program

SCRIPTS = sorted(Path(__file__).with_name("scripts").glob("*.py"))


def _output(script: Path, library: str, folder: Path) -> list[str]:
    printed = run_program(script, folder, old="gymnasium", new=library)
    return printed.replace(library, "LIBRARY").splitlines()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_with_one_changed_import(script: Path, tmp_path: Path) -> None:
    expected = _output(script, "gymnasium", tmp_path)
    assert len(expected) > 2
    assert _output(script, "gymkernel", tmp_path) == expected
