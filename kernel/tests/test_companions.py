"""Tests of companion plugins, which are loaded as soon as gymkernel and another library have been imported."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]

LIBRARY = "import late_part\ncomplete = True"
COMPANION = "import sys\nseen = vars(sys.modules['{library}']).get('complete', False)"


def run(folder: Path, program: str) -> str:
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{dedent(program)}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def join(install: Install, library: str, companion: str = COMPANION) -> Path:
    """Install a library and a companion plugin for it, and return the folder that contains both."""
    install(library, modules={library: LIBRARY, "late_part": ""})
    modules = {f"{library}_companion": companion.format(library=library)}
    info = install(f"{library}-bridge", modules=modules, companions={library: f"{library}_companion"})
    return info.parent


@pytest.mark.parametrize(
    "program",
    [
        "import gymkernel, {library}",
        "import {library}, gymkernel",
        "import gymkernel.spaces, {library}",
        "import gymkernel\nfrom {library} import complete",
        "import {library}\nimport gymkernel\ndel sys.modules['gymkernel']\nimport gymkernel",
    ],
)
def test_companion_of_a_known_library_loads_after_both_imports(install: Install, program: str) -> None:
    folder = join(install, "stable_baselines3")

    program = program.format(library="stable_baselines3")

    assert run(folder, f"{program}\nprint(sys.modules['stable_baselines3_companion'].seen)") == "True"


@pytest.mark.parametrize("before", ["import acme\nimport gymkernel", "import gymkernel"])
def test_companion_of_any_library_loads_after_a_scan(install: Install, before: str) -> None:
    folder = join(install, "acme")

    program = f"{before}\nfrom gymkernel import plugins\nplugins.plugins()\nimport acme"

    assert run(folder, f"{program}\nprint(sys.modules['acme_companion'].seen)") == "True"


def test_nothing_is_scanned_or_loaded_without_the_library(install: Install) -> None:
    folder = join(install, "stable_baselines3")

    program = "import gymkernel\nprint([m for m in sys.modules if 'companion' in m or m == 'gymkernel.plugins'])"

    assert run(folder, program) == "[]"


def test_library_without_companion_is_imported_normally(install: Install) -> None:
    info = install("stable-baselines3", modules={"stable_baselines3": LIBRARY, "late_part": ""})

    program = "import gymkernel, stable_baselines3 as s\nprint(s.complete, s.__spec__.loader is s.__loader__)"

    assert run(info.parent, program) == "True True"


def test_missing_library_raises_a_plain_import_error() -> None:
    with pytest.raises(ModuleNotFoundError, match="stable_baselines3"):
        __import__("stable_baselines3")


def test_broken_companion_is_reported_without_failing_the_import(install: Install) -> None:
    folder = join(install, "stable_baselines3", "1 / 0")

    program = """
        import warnings
        import gymkernel
        with warnings.catch_warnings(record=True, action="always") as seen:
            import stable_baselines3
        print(stable_baselines3.complete, *(str(one.message) for one in seen))
    """

    printed = run(folder, program)
    assert printed.startswith("True ")
    assert "companions.stable_baselines3 of stable_baselines3-bridge 1.0" in printed
    assert "ZeroDivisionError" in printed


def test_failed_library_import_loads_no_companion(install: Install) -> None:
    install("stable-baselines3", modules={"stable_baselines3": "raise RuntimeError('half')"})
    info = install("b", modules={"b_companion": ""}, companions={"stable_baselines3": "b_companion"})

    program = """
        import gymkernel
        try:
            import stable_baselines3
        except RuntimeError as exc:
            print(exc, "b_companion" in sys.modules)
    """

    assert run(info.parent, program) == "half False"


def test_disabled_companion_is_not_loaded(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = join(install, "stable_baselines3")
    monkeypatch.setenv("GYMKERNEL_DISABLE", "companions.stable_baselines3")

    program = "import gymkernel, stable_baselines3\nprint('stable_baselines3_companion' in sys.modules)"

    assert run(folder, program) == "False"
