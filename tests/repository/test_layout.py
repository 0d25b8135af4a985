"""Tests of the layout of all folders: plugins, READMEs, news fragments and scripts."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/*/pyproject.toml"))
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAIN_JOB = "python3 -m pip install uv && python3 -m uv run gymkernel check CartPole-v1\n"
TESTS = "python3 -m pip install uv && python3 -m uv run --group test pytest -n 2\n"
HOME = re.compile(r"(?<![\w.~:/-])/(?:home|root|Users|work|opt|tmp|mnt)/\w")


@cache
def configuration(plugin: Path) -> dict[str, Any]:
    return tomllib.loads((plugin / "pyproject.toml").read_text(encoding="utf-8"))


def project(plugin: Path) -> dict[str, Any]:
    found: dict[str, Any] = configuration(plugin)["project"]
    return found


def files() -> list[Path]:
    """Return the text files that are committed or would be committed."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_every_plugin_is_one_typed_package() -> None:
    for plugin in PLUGINS:
        package = plugin / "src" / project(plugin)["name"].replace("-", "_")
        assert [path for path in (plugin / "src").iterdir() if path.name != "__pycache__"] == [package]
        assert (package / "__init__.py").is_file()
        assert (package / "py.typed").is_file()


def test_entry_points_are_defined_in_the_package_itself() -> None:
    """Check that a plugin's classes are in the package itself or, for vector environments, in its module `vector`.

    Other objects may be anywhere in the plugin. Helpers for other plugins are split into one module per subject.
    """
    elsewhere = (".adapters", ".checks", ".commands", ".companions", ".hooks", ".modules", ".utils")
    for plugin in PLUGINS:
        package = project(plugin)["name"].replace("-", "_")
        points = project(plugin).get("entry-points", {})  # a plugin that only other plugins use has no entry points
        values = [value for group in points if not group.endswith(elsewhere) for value in points[group].values()]
        places = {package, f"{package}.vector"}
        if plugin.parent.name == "utils":
            places |= {f"{package}.{file.stem}" for file in (plugin / "src" / package).glob("[!_]*.py")}
        assert {value.partition(":")[0] for value in values} <= places, plugin


def test_every_plugin_has_a_readme_and_tests() -> None:
    for plugin in PLUGINS:
        assert (plugin / "README.md").read_text(encoding="utf-8").startswith(f"# {project(plugin)['name']}\n")
        assert list((plugin / "tests").glob("test_*.py")), plugin


def test_tools_are_configured_only_at_the_root() -> None:
    # The file that starts `gymkernel run --children` in new processes is not inside the package.
    start = {"uv": {"build-backend": {"data": {"purelib": "site"}}}}
    for plugin in PLUGINS:
        assert configuration(plugin).get("tool", {}) == (start if plugin.name == "run" else {}), plugin


def test_readme_starts_with_two_commands() -> None:
    blocks = re.findall(
        r"^```\w*\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert blocks[:2] == [MAIN_JOB, TESTS]


def test_ci_runs_the_readme_commands() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert '"$(readme 1)"' in script
    assert '"$(readme 2)"' in script


def test_news_fragments_have_valid_names() -> None:
    types = "|".join(item["directory"] for item in CONFIGURATION["tool"]["towncrier"]["type"])
    name = re.compile(rf"(\d+|\+[\w-]+)(\.\d+)?\.({types})(\.\d+)?\.md")
    fragments = [path for path in (ROOT / "changes").iterdir() if path.name not in {"README.md", ".gitignore"}]
    assert not [path.name for path in fragments if not name.fullmatch(path.name)]
    assert all(path.read_text(encoding="utf-8").strip() for path in fragments)


def test_changelog_has_a_place_for_the_next_release() -> None:
    assert CONFIGURATION["tool"]["towncrier"]["start_string"] in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git lists the files that belong to the repository")
def test_no_file_contains_a_local_path() -> None:
    found = []
    for path in files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line}" for number, line in enumerate(lines, 1) if HOME.search(line)
        ]
    assert not found
