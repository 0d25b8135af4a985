"""The function `rehearse`, which tries a release in a temporary copy of the repository."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["rehearse"]


def rehearse(root: Path, version: str, prepare: Callable[[Path, str], list[str]]) -> list[str]:
    """Rehearse a release except for tagging and uploading, and return the problems as one sentence each.

    Args:
        root: the repository. Its tracked files are copied, and the originals are not changed.
        version: the version to release.
        prepare: a function that prepares the version in a folder and returns the remaining problems.
    """
    problems = list(_problems_of_the_repository(root, version))
    with tempfile.TemporaryDirectory(prefix="gymkernel-release-") as temporary:
        copy, dist, index = (Path(temporary, name) for name in ("repository", "dist", "index"))
        _copy_tracked(root, copy)
        problems += prepare(copy, version)
        if problems:
            return problems
        _run("build", [*_uv("build"), "--quiet", "--all-packages", "--out-dir", str(dist)], copy)
        problems += _problems_of_the_files(dist, version)
        _run("twine", [sys.executable, "-m", "twine", "check", "--strict", *map(str, _built(dist))], copy)
        names = _make_index(dist, index)
        problems += _problems_of_the_installation(Path(temporary, "venv"), index, names, version)
    print(f"would tag v{version}, and upload the wheels and the source distributions of {len(names)} distributions")
    return problems


def _problems_of_the_repository(root: Path, version: str) -> Iterator[str]:
    if changed := _run("git", ["git", "status", "--porcelain", "--untracked-files=no"], root).splitlines():
        yield f"Expected a clean clone, got changes in {len(changed)} files; commit or stash them"
    if _run("git", ["git", "tag", "--list", f"v{version}"], root).strip():
        yield f"The tag v{version} exists already; choose another version"


def _copy_tracked(root: Path, copy: Path) -> None:
    """Copy the tracked files in their committed state."""
    copy.mkdir()
    archive = copy.with_suffix(".tar")
    _run("git", ["git", "archive", f"--output={archive}", "HEAD"], root)
    with tarfile.open(archive) as tar:
        # Python before 3.11.4 has no filters for archives.
        options: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        tar.extractall(copy, **options)  # noqa: S202 - the archive was built from this checkout


def _built(dist: Path) -> list[Path]:
    return sorted(path for path in dist.iterdir() if path.name.endswith((".whl", ".tar.gz")))


def _problems_of_the_files(dist: Path, version: str) -> Iterator[str]:
    """Yield a problem for each missing wheel or source distribution, and for each wheel with the wrong version."""
    wheels = {path.name.partition("-")[0]: path for path in dist.glob("*.whl")}
    sources = {path.name.rpartition("-")[0] for path in dist.glob("*.tar.gz")}
    if unpaired := sorted(wheels.keys() ^ sources):
        yield f"Expected a wheel and a source distribution for each distribution, got only one for {unpaired}"
    for name, path in wheels.items():
        built = _metadata(path)["Version"]
        if built != version:
            yield f"Expected version {version} of {name}, got {built}"


def _metadata(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        return dict(HeaderParser().parsestr(files.read(name).decode("utf-8")).items())


def _make_index(dist: Path, index: Path) -> list[str]:
    """Create a package index (PEP 503) of the wheels, and return the names of the distributions."""
    names: list[str] = []
    for wheel in sorted(dist.glob("*.whl")):
        names.append(canonicalize_name(_metadata(wheel)["Name"]))
        page = index / names[-1] / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text(f'<!doctype html><a href="{wheel.as_uri()}">{wheel.name}</a>', encoding="utf-8")
    return names


def _problems_of_the_installation(venv: Path, index: Path, names: list[str], version: str) -> Iterator[str]:
    """Install the distributions by name from the index, run a few commands, and report a wrong version."""
    _run("venv", [*_uv("venv"), "--quiet", "--python", sys.executable, str(venv)], index)
    scripts = venv / ("Scripts" if sys.platform == "win32" else "bin")
    install = [*_uv("pip"), "install", "--quiet", "--python", str(scripts / "python"), "--index", index.as_uri()]
    _run("install", [*install, "gymkernel-all"], index)
    _run("install", [*install, "--dry-run", *names], index)
    _run("main job", [str(scripts / "gymkernel"), "check", "CartPole-v1"], venv)
    _run("plugins", [str(scripts / "gymkernel"), "list", "--load"], venv)
    documented = _run(
        "version", [str(scripts / "python"), "-c", "import gymkernel; print(gymkernel.__version__)"], venv
    )
    if documented.strip() != version:  # docs/conf.py reads this attribute
        yield f"Expected the documentation and the package to have version {version}, got {documented.strip()}"


def _uv(command: str) -> list[str]:
    return [sys.executable, "-m", "uv", command]


def _run(step: str, command: list[str], folder: Path) -> str:
    """Run a command and return its output. If the command fails, print its output and exit."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr, file=sys.stderr)
        sys.exit(f"The dry run failed in the step {step!r}: {' '.join(command[:6])} ...")
    return done.stdout
