"""Tests that the CI script runs all parts even if some fail, and finally repeats the last lines of their output."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEST = "def test_sum():\n    assert 1 + 1 == 3\n"
PYTEST = "python3 -m pytest -p no:cacheprovider test_sum.py"
REPORT = "E       assert (1 + 1) == 3"


def ended(folder: Path, job: str, tests: str) -> tuple[int, str]:
    """Run the script in a project with a README that contains both commands. Return the exit code and the output."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci")
    (folder / "README.md").write_text(f"```console\n{job}\n```\n\n```console\n{tests}\n```\n")
    (folder / "test_sum.py").write_text(TEST)
    programs = folder / "programs"
    programs.mkdir()
    (programs / "python3").write_text(f'#!/bin/sh\n[ "$2" = uv ] || exec {shutil.which("python3")} "$@"\n')
    (programs / "python3").chmod(0o755)
    environ = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # importing hypothesis takes longer than the test
        "TMPDIR": str(folder),
    }
    # A process that a command leaves behind keeps the output open, but the script does not wait for it.
    command = ["bash", str(folder / ".ci" / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ, timeout=60)
    return done.returncode, done.stdout


pytestmark = pytest.mark.skipif(not shutil.which("bash") or os.name == "nt", reason="the script is one of bash")


def test_all_parts_pass(tmp_path: Path) -> None:
    code, output = ended(tmp_path, "echo good", "(sleep 60 &); echo better")
    assert code == 0
    assert "\ngood\n" in output
    assert "\nbetter\n" in output
    assert output.splitlines()[-1].startswith("===== all passed in ")


def test_reports_of_failed_tests_are_at_the_end(tmp_path: Path) -> None:
    code, output = ended(tmp_path, "echo 'no room left'; exit 3", f"cd '{tmp_path}' && {PYTEST}")
    assert code == 1
    first, *_, job, tests = output.split("\n===== ")[:-1]
    assert output.count(REPORT) == 2  # once while the part runs, and once at the end
    assert job.startswith("the end of: the README's main job")
    assert "no room left" in job
    assert tests.startswith("the end of: the README's tests")
    assert REPORT in tests
    assert "test session starts" not in tests
    assert "all passed" not in output
    assert not first
    assert output.splitlines()[-1].startswith("===== FAILED: [the README's main job] [the README's tests] (")
