"""Test one plugin of each kind from `gymkernel new`: its wheel installs, its tests pass, and a check has no findings.

The test takes a minute and runs in its own tox environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

NEW = {
    "space": ["AcmeCompass"],
    "wrapper": ["AcmeClip"],
    "vector": ["AcmeThreads"],
    "env": ["acme/Hall-v0"],
    "env with a vectorised form": ["acme/Hall-v0", "--vectorized"],
    "rule": ["acme-rules"],
    "command": ["acme-length"],
}


def run(command: list[Any], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a command, which must succeed, and return its output."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", NEW)
def test_new_plugin_installs_and_passes_tests_and_check(kind: str, tmp_path: Path) -> None:
    scripts = Path(sys.executable).parent
    gymkernel = scripts / "gymkernel"
    run([gymkernel, "new", kind.partition(" ")[0], *NEW[kind], "--author", "Ann Author"], tmp_path)
    (folder,) = tmp_path.iterdir()
    run([sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--sdist"], folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    site = tmp_path / "site"
    run([sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--target", site, wheel], tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}

    tests = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], folder, environment)
    check = run([gymkernel, "check", folder.name, "--severity", "warning"], tmp_path, environment)

    assert " passed" in tests
    assert " failed" not in tests
    assert "clean" in check or "sound" in check, check
    run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", os.devnull, "src"], folder)
