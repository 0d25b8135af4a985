"""A script that prepares a release, checks whether it is prepared, or rehearses it.

python tools/release.py 0.2.0             set the version everywhere, and move the news fragments into CHANGELOG.md
python tools/release.py --check 0.2.0     write nothing, list what is missing, and exit with 1 if anything is
python tools/release.py --dry-run 0.2.0   prepare, build, check and install everything in a temporary copy
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import sync
from release_dry_run import rehearse

KEPT = {"README.md", ".gitignore"}
"""The files in the folder `changes` that are not news fragments."""


def prepare(root: Path, version: str) -> None:
    """Set the version of every distribution, and move the news fragments into the changelog."""
    file = root / "pyproject.toml"
    text = re.sub(r'^version = "[^"]*"', f'version = "{version}"', file.read_text("utf-8"), count=1, flags=re.MULTILINE)
    file.write_text(text, encoding="utf-8")
    if sync.main(root, []):
        sys.exit(1)
    if _has_section(root, version) and not _news(root):
        return
    build = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", version, "--dir", str(root)]
    subprocess.run(build, check=True)


def missing(root: Path, version: str) -> list[str]:
    """Return the reasons why a version cannot be released yet, as one sentence each."""
    found = []
    now = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    if now != version:
        found.append(f"Expected version {version} in pyproject.toml, got {now}")
    if sync.main(root, ["--check"]):
        found.append("Expected all stamped files to be up to date")
    if not _has_section(root, version):
        found.append(f"Expected a section of {version} in CHANGELOG.md")
    if left := _news(root):
        found.append(f"Expected no news in changes, got {', '.join(left[:3])}{', ...' if len(left) > 3 else ''}")
    return found


def _has_section(root: Path, version: str) -> bool:
    text = (root / "CHANGELOG.md").read_text("utf-8")
    return re.search(rf"^## {re.escape(version)}( \(|$)", text, re.MULTILINE) is not None


def _news(root: Path) -> list[str]:
    """Return the names of the news fragments."""
    return sorted(path.name for path in (root / "changes").iterdir() if path.name not in KEPT)


def _prepare_copy(root: Path, version: str) -> list[str]:
    prepare(root, version)
    return missing(root, version)


def main(root: Path, arguments: list[str]) -> int:
    """Prepare, check or rehearse a release, and return the exit code: 0 if nothing is missing."""
    parser = argparse.ArgumentParser(prog="tools/release.py", description="Prepare a release of all distributions.")
    parser.add_argument("version", help="such as 0.2.0")
    parser.add_argument("--check", action="store_true", help="write nothing, and exit with 1 if something is missing")
    parser.add_argument("--dry-run", action="store_true", help="rehearse the release in a temporary copy")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", options.version):
        parser.error(f"Expected a version such as 0.2.0 or 0.2.0rc1, got {options.version!r}")
    if options.dry_run:
        problems = rehearse(root, options.version, _prepare_copy)
        for problem in problems:
            print(problem, file=sys.stderr)
        return 1 if problems else 0
    if not options.check:
        prepare(root, options.version)
    problems = missing(root, options.version)
    for problem in problems:
        print(f"{problem}; run: python tools/release.py {options.version}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1], sys.argv[1:]))
