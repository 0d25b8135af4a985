"""Define a tox environment for each wheel, which installs the wheel with its dependencies and runs its tests.

The wheels of this repository are built once per tox run. All other packages come from the package index. Interpreters
from pyenv's folders are added to those that uv finds by itself. The output of failed environments is repeated at the
end of a long run.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING

from tox.config.loader.memory import MemoryLoader
from tox.config.types import Command
from tox.plugin import impl
from tox.tox_env.errors import Fail

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tox.config.sets import ConfigSet
    from tox.execute.api import Outcome
    from tox.session.state import State
    from tox.tox_env.api import ToxEnv

ROOT = Path(__file__).resolve().parent
WHEELHOUSE = TemporaryDirectory(prefix="wheelhouse-")  # separate for each run of tox
COMMANDS = ROOT / "tests" / "commands"
CONSTRAINTS = Path(WHEELHOUSE.name, "constraints.txt")
_building = Lock()


def _tests() -> dict[str, tuple[str, list[list[str | Path]]]]:
    """Return the distribution and the pytest arguments of each environment that tests a wheel.

    A plugin that tox.ini or tools/compatibility.py tests in its own environment is left out, because its dependencies
    are too heavy for every run. If a wheel provides commands, each command is also started in a fresh process. The
    environment `slow` runs the slow tests of this checkout, except those with heavy dependencies, which run with their
    wheels.
    """
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    heavy = set(settings["pytest"]["norecursedirs"])
    written = (ROOT / "tox.ini").read_text(encoding="utf-8")
    written += (ROOT / "tools" / "compatibility.py").read_text(encoding="utf-8").replace("/tests", "{/}tests")
    tests: dict[str, tuple[str, list[list[str | Path]]]] = {
        "kernel-alone": ("gymkernel", [["-m", "not slow", ROOT / "kernel" / "tests"], [COMMANDS]]),
        "full": ("gymkernel[full]", [["-k", "starts", COMMANDS], [ROOT / "tests" / "test_greeting.py"]]),
    }
    for folder in sorted(path.parent for path in ROOT.glob("plugins/*/*/pyproject.toml")):
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        path = folder.relative_to(ROOT).as_posix()
        if f"{path}{{/}}tests" in written:
            continue
        marks = "slow or not slow" if path in heavy else "not slow"
        runs: list[list[str | Path]] = [["-m", marks, "--pyargs", project["name"].replace("-", "_"), folder / "tests"]]
        if commands := project.get("entry-points", {}).get("gymkernel.commands"):
            runs.append(["-k", " or ".join(commands), COMMANDS])
        tests[f"plugin-{folder.parent.name}-{folder.name}"] = (project["name"], runs)
    return tests


@impl
def tox_extend_envs() -> Iterable[str]:
    """Return the names of the environments."""
    return tuple(_tests())


@impl
def tox_add_core_config(core_conf: ConfigSet, state: State) -> None:
    """Configure each environment to run outside of the source tree, so that the installed wheel is tested."""
    _show_pythons()
    work_dir: Path = core_conf["work_dir"]
    options = ["-c", ROOT / "pyproject.toml", "-p", "no:cacheprovider", "-m", "slow or not slow"]
    more = state.conf.pos_args(None) or ()
    for environment, (distribution, runs) in _tests().items():
        loader = MemoryLoader(
            description=f"the wheel of {distribution} with only what it declares, and its own tests",
            labels=["ci", "wheels"],
            deps=f"-c {CONSTRAINTS}\n{distribution}\nhypothesis\npytest",
            change_dir=work_dir / environment / "tmp",
            commands=[Command(["pytest", *map(str, [*options, *run, *more])]) for run in runs],
        )
        state.conf.memory_seed_loaders[environment].append(loader)


@impl
def tox_on_install(tox_env: ToxEnv, arguments: object, section: str, of_type: str) -> None:
    """Build the wheels before the first environment installs one."""
    if tox_env.name in _tests():
        with _building:
            _build_wheels()


@impl
def tox_after_run_commands(tox_env: ToxEnv, exit_code: int, outcomes: list[Outcome]) -> None:
    """Repeat the end of a failed environment's output below the summary of the run."""
    if exit_code:
        printed = "\n".join(outcomes[-1].out_err()).rstrip().splitlines() if outcomes else ["no command was started"]
        atexit.register(print, f"\n----- {tox_env.name} failed:", *printed[-80:], sep="\n")


def _show_pythons() -> None:
    """Append every Python of pyenv to PATH, because pyenv's shims start only the versions that a project selects."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    behind = [str(folder) for folder in sorted(root.glob("versions/3.*/bin"))]
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), *behind])


@cache
def _build_wheels() -> None:
    """Build every wheel, and write constraints that pin each name to its file, whatever the index offers."""
    command = [
        sys.executable,
        "-m",
        "uv",
        "build",
        "--quiet",
        "--all-packages",
        "--wheel",
        "--out-dir",
        WHEELHOUSE.name,
    ]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:  # noqa: S603
        raise Fail("the wheels could not be built; the lines above say why")
    wheels = sorted(CONSTRAINTS.parent.glob("*.whl"))
    lines = [f"{wheel.name.split('-')[0].replace('_', '-')} @ {wheel.as_uri()}\n" for wheel in wheels]
    CONSTRAINTS.write_text("".join(lines), encoding="utf-8")
