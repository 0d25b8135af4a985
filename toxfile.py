"""One environment for each wheel, found on disk: the wheel, what it declares, its own tests and doctests.

First-party wheels come from a wheelhouse that is built once in a run of tox, everything else from the package index.
"""

from __future__ import annotations

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
    from tox.session.state import State
    from tox.tox_env.api import ToxEnv

ROOT = Path(__file__).resolve().parent
WHEELHOUSE = TemporaryDirectory(prefix="wheelhouse-")  # of this run alone, so that two runs do not meet
CONSTRAINTS = Path(WHEELHOUSE.name, "constraints.txt")
_building = Lock()


def _tests() -> dict[str, tuple[str, list[str | Path]]]:
    """The environments that test a wheel: the distribution, and what pytest runs.

    A plugin whose tests an environment of tox.ini runs has that one: what it needs is too heavy for every run.
    """
    written = (ROOT / "tox.ini").read_text(encoding="utf-8")
    written += (ROOT / "tools" / "compatibility.py").read_text(encoding="utf-8").replace("/tests", "{/}tests")
    tests: dict[str, tuple[str, list[str | Path]]] = {"kernel-alone": ("gymkernel", [ROOT / "kernel" / "tests"])}
    for folder in sorted(path.parent for path in ROOT.glob("plugins/*/*/pyproject.toml")):
        name = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
        if f"{folder.relative_to(ROOT).as_posix()}{{/}}tests" in written:
            continue
        environment = f"plugin-{folder.parent.name}-{folder.name}"
        tests[environment] = (name, ["--pyargs", name.replace("-", "_"), folder / "tests"])
    return tests


@impl
def tox_extend_envs() -> Iterable[str]:
    """Name the environments."""
    return tuple(_tests())


@impl
def tox_add_core_config(core_conf: ConfigSet, state: State) -> None:
    """Say what each environment holds and runs, outside of the source tree, so that the wheel is what is tested."""
    work_dir: Path = core_conf["work_dir"]
    options = ["-c", ROOT / "pyproject.toml", "-p", "no:cacheprovider", "-m", "slow or not slow"]
    for environment, (distribution, tests) in _tests().items():
        slow = [] if environment != "kernel-alone" else ["-m", "not slow"]  # which the environment `slow` runs
        arguments = [*options, *slow, *tests, *(state.conf.pos_args(None) or ())]
        loader = MemoryLoader(
            description=f"the wheel of {distribution} with only what it declares, and its own tests",
            labels=["ci", "wheels"],
            deps=f"-c {CONSTRAINTS}\n{distribution}\nhypothesis\npytest",
            change_dir=work_dir / environment / "tmp",
            commands=[Command(["pytest", *map(str, arguments)])],
        )
        state.conf.memory_seed_loaders[environment].append(loader)


@impl
def tox_on_install(tox_env: ToxEnv, arguments: object, section: str, of_type: str) -> None:
    """Have the wheels ready before the first environment that installs one."""
    if tox_env.name in _tests():
        with _building:
            _build_wheels()


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
