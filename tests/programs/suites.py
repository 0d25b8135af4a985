"""List third-party test suites, and download them from source distributions: `python suites.py FOLDER`."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Suite:
    """The selected tests of a package."""

    distribution: str
    files: tuple[str, ...] = ("test_*.py",)
    """Patterns for the names of files in the package's test folder."""
    needs: str = ""
    """A module without which the package's tests cannot run."""
    select: str = ""
    """An expression for `pytest -k` that selects tests in these files."""

    @property
    def package(self) -> str:
        """The import name of the distribution."""
        return self.distribution.replace("-", "_")

    def find(self, folder: Path) -> list[Path]:
        """Return the test files in the folder with the unpacked source distributions."""
        tests = folder / self.distribution / "tests"
        return sorted(path for pattern in self.files for path in tests.glob(pattern))


SB3_FILES = [
    "buffers",
    "dict_env",
    "env_checker",
    "envs",
    "her",
    "identity",
    "monitor",
    "preprocessing",
    "spaces",
    "utils",
    "vec_*",
]
"""Files about environments and spaces. The other files train for hours."""
SUITES = (
    # Running every game in every mode takes an hour and tests nothing more of the library.
    Suite("ale-py", ("python/test_atari_env.py",), select="not check_env and not determinism"),
    Suite("gymnasium-robotics", select="not render"),  # rendering needs OpenGL
    Suite("highway-env"),
    # The test of the bot takes half an hour and tests nothing more of the library.
    Suite("minigrid", ("test_envs.py", "test_obstructed_maze.py", "test_scripts.py", "test_wrappers.py")),
    Suite("mo-gymnasium"),
    # The other tests render, which needs OpenGL, or use functions that NumPy no longer has.
    Suite("shimmy", ("test_dm_control.py",), needs="dm_control", select="seeding or suite_envs"),
    Suite("stable-baselines3", tuple(f"test_{name}.py" for name in SB3_FILES), needs="torch"),
)


def fetch(folder: Path) -> None:
    """Download the source distribution of the installed version of each package, and unpack the tests."""
    folder.mkdir(parents=True, exist_ok=True)
    for suite in SUITES:
        try:
            pin = f"{suite.distribution}=={version(suite.distribution)}"
        except ModuleNotFoundError:
            continue  # the package belongs to another tox environment
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
        subprocess.run([*command, "--no-binary", suite.distribution, pin], check=True)
        (archive,) = folder.glob(f"{suite.package}-*.tar.gz")
        with tarfile.open(archive) as packed:
            top = archive.name.removesuffix(".tar.gz")
            members = [member for member in packed.getmembers() if member.name.startswith(f"{top}/tests/")]
            for member in members:
                member.name = member.name.replace(top, suite.distribution, 1)
            packed.extractall(folder, members, filter="data")


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
