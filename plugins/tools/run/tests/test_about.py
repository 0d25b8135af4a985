"""Test the output of `gymkernel info gymnasium`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path


def test_it_says_where_gymnasium_is_and_what_programs_get(
    library: Path, python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    result = python("-m", "gymkernel", "info", "gymnasium")

    assert result.returncode == 0, result.stderr
    assert "1.9.7 in gymnasium.__version__" in result.stdout
    assert library.name in result.stdout
    assert "gymkernel run SCRIPT" in result.stdout
    assert "gymkernel_tool_run_start.pth" in result.stdout
    assert "is missing" not in result.stdout
