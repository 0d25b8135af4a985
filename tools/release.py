"""Prepares a release, or checks that one is prepared.

python tools/release.py 0.2.0            set the version everywhere, and move the news into CHANGELOG.md
python tools/release.py --check 0.2.0    write nothing; say what is missing, and exit with 1 where something is
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import sync

KEPT = {"README.md", ".gitignore"}
"""What stays in the folder of the news."""


def prepare(root: Path, version: str) -> None:
    """Set the version, stamp it, and make the changelog."""
    file = root / "pyproject.toml"
    text = re.sub(r'^version = "[^"]*"', f'version = "{version}"', file.read_text("utf-8"), count=1, flags=re.MULTILINE)
    file.write_text(text, encoding="utf-8")
    if sync.main(root, []):
        sys.exit(1)
    build = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", version, "--dir", str(root)]
    subprocess.run(build, check=True)


def missing(root: Path, version: str) -> list[str]:
    """What keeps a version from being released, in sentences."""
    found = []
    now = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    if now != version:
        found.append(f"Expected version {version} in pyproject.toml, got {now}")
    if sync.main(root, ["--check"]):
        found.append("Expected files that are stamped")
    if not re.search(rf"^## {re.escape(version)} \(", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        found.append(f"Expected a section of {version} in CHANGELOG.md")
    if left := sorted(path.name for path in (root / "changes").iterdir() if path.name not in KEPT):
        found.append(f"Expected no news in changes, got {', '.join(left[:3])}{', ...' if len(left) > 3 else ''}")
    return found


def main(root: Path, arguments: list[str]) -> int:
    """Prepare, or check; the exit code is 0 where nothing is missing."""
    parser = argparse.ArgumentParser(prog="tools/release.py", description="Prepare a release of all distributions.")
    parser.add_argument("version", help="such as 0.2.0")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if something is missing")
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", options.version):
        parser.error(f"Expected a version such as 0.2.0 or 0.2.0rc1, got {options.version!r}")
    if not options.check:
        prepare(root, options.version)
    problems = missing(root, options.version)
    for problem in problems:
        print(f"{problem}; run: python tools/release.py {options.version}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1], sys.argv[1:]))
