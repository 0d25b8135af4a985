"""One environment for each wheel, found on disk: the wheel, what it declares, its own tests and doctests.

First-party wheels come from a wheelhouse that is built once in a run of tox, everything else from the package index.
Interpreters are found in the folders of pyenv, too; uv finds its own by itself. What failed in a long run is told last.
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
WHEELHOUSE = TemporaryDirectory(prefix="wheelhouse-")  # of this run alone, so that two runs do not meet
COMMANDS = ROOT / "tests" / "commands"
CONSTRAINTS = Path(WHEELHOUSE.name, "constraints.txt")
_building = Lock()


def _tests() -> dict[str, tuple[str, list[list[str | Path]]]]:
    """The environments that test a wheel: the distribution, and what each run of pytest takes.

    A plugin whose tests an environment of tox.ini runs has that one: what it needs is too heavy for every run. A wheel
    with commands has each of them started in a fresh process, too. What is slow in the tests of this checkout is run by
    the environment `slow`, which leaves out what needs heavy dependencies: that is run with its wheel.
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
    """Name the environments."""
    return tuple(_tests())


@impl
def tox_add_core_config(core_conf: ConfigSet, state: State) -> None:
    """Say what each environment holds and runs, outside of the source tree, so that the wheel is what is tested."""
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
    """Have the wheels ready before the first environment that installs one."""
    if tox_env.name in _tests():
        with _building:
            _build_wheels()


@impl
def tox_after_run_commands(tox_env: ToxEnv, exit_code: int, outcomes: list[Outcome]) -> None:
    """Show the end of what a failed environment printed once more, below the summary of a long run."""
    if exit_code:
        printed = "\n".join(outcomes[-1].out_err()).rstrip().splitlines() if outcomes else ["no command was started"]
        atexit.register(print, f"\n----- {tox_env.name} failed:", *printed[-80:], sep="\n")


def _show_pythons() -> None:
    """Put every Python of pyenv on the path, behind all else: its shims start only those that a project has chosen."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    behind = [str(folder) for folder in sorted(root.glob("versions/3.*/bin"))]
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), *behind])


@cache
def _build_wheels() -> None:
    """Build every wheel, and constraints that tie each name to its file, whatever an index offers under that name."""
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
