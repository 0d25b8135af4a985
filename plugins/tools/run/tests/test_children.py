"""Test that `import gymnasium` imports gymkernel's modules in child processes."""

from __future__ import annotations

import os
import site
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

PROGRAM = """
import multiprocessing, pickle, sys

class Kind:
    pass

def work(_):
    import gymnasium
    return gymnasium.make.__module__, Kind

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        module, kind = pool.map(work, [1])[0]
    print(module, kind is Kind)
"""
SUBPROCESS = """
import subprocess, sys
program = "import sys; print([type(finder).__name__ for finder in sys.meta_path])"
print("AliasFinder" in subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout)
"""
METHODS = ["spawn", "forkserver", "fork"] if os.name == "posix" else ["spawn"]


@pytest.mark.slow
@pytest.mark.parametrize("as_module", [False, True], ids=["script", "module"])
@pytest.mark.parametrize("method", METHODS)
def test_workers_of_multiprocessing_use_gymkernel(
    method: str, as_module: bool, tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")

    result = run(*(["-m", "program"] if as_module else ["program.py"]), method)

    assert result.stdout == "gymkernel.making True\n", result.stderr


def test_the_data_for_a_spawned_process_activates_gymkernel(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import multiprocessing.spawn, pickle, subprocess, sys
        data = multiprocessing.spawn.get_preparation_data("a")
        data = pickle.dumps({name: value for name, value in data.items() if name != "authkey"})
        code = "import pickle, sys; pickle.load(sys.stdin.buffer); from gymnasium import make; print(make.__module__)"
        print(subprocess.run([sys.executable, "-c", code], input=data, capture_output=True).stdout.decode().strip())
    """) == ["gymkernel.making"]


def test_the_file_that_starts_it_is_in_the_folder_of_installed_packages() -> None:
    folders = [*site.getsitepackages(), site.getusersitepackages()]

    assert [file for folder in folders for file in Path(folder).glob("gymkernel_tool_run_start.pth")]


@pytest.mark.parametrize("options", [["--children"], []], ids=["with option", "without option"])
def test_other_programs_use_gymkernel_only_on_request(
    options: list[str], tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (tmp_path / "program.py").write_text(SUBPROCESS, encoding="utf-8")

    result = run(*options, "program.py")

    assert result.stdout == f"{bool(options)}\n", result.stderr
