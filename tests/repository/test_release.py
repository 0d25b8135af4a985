"""Tests that a release is possible: its files are complete, consistent, licensed and built without network access."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import HeaderParser
from fnmatch import fnmatch
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.metadata import Metadata
from packaging.requirements import Requirement
from tests.cases import every_case

import release
from release_dry_run import rehearse

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(
    path.parent for path in [*ROOT.glob("kernel/pyproject.toml"), *ROOT.glob("plugins/*/*/pyproject.toml")]
)
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
in_a_clone = pytest.mark.skipif(
    not (ROOT / ".git").exists(), reason="git lists the files that belong to the repository"
)


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def is_text(path: Path) -> bool:
    try:
        return "\0" not in path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False


def test_distributions_have_index_metadata() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    with every_case() as case:
        for folder in FOLDERS:
            with case(folder.name):
                project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
                for key in ("keywords", "classifiers", "urls", "license", "authors", "requires-python", "version"):
                    assert project[key] == PROJECT[key], key
                assert 10 < len(project["description"]) < 160
                assert list((folder / "src").glob("*/py.typed"))
                assert (folder / "LICENSE").read_text(encoding="utf-8") == licence


def test_plugins_require_the_same_versions_of_a_package() -> None:
    asked: dict[str, dict[str, list[str]]] = {}
    for folder in FOLDERS[1:]:  # the kernel's extras install the requirements of other packages' environments
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        needs = [project.get("dependencies", []), *project.get("optional-dependencies", {}).values()]
        for need in map(Requirement, chain.from_iterable(needs)):
            asked.setdefault(need.name, {}).setdefault(str(need.specifier), []).append(folder.name)
    assert len(asked["ray"]) == 1
    # dm_control does not work with MuJoCo 4, which gymkernel-env-mujoco needs.
    assert len(asked.pop("mujoco")) == 2
    assert not {name: versions for name, versions in asked.items() if len(versions) > 1}


def test_python_classifiers_match_the_tested_versions() -> None:
    classified = [
        classifier.rpartition(" ")[2] for classifier in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", classifier)
    ]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    systems = re.findall(r"^ +os: \[(.*)\]$", workflow, re.MULTILINE)

    assert classified == PYTHONS
    assert re.findall(r"^ +python: \[(.*)\]$", workflow, re.MULTILINE) == [
        ", ".join(f'"{python}"' for python in PYTHONS)
    ]
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert [system.partition("-")[0] for system in systems[0].split(", ")] == ["ubuntu", "macos", "windows"]
    assert "uv run --group test pytest -n 2\n" in workflow
    assert "- run: .ci/run\n" in workflow


def test_releases_use_trusted_publishing() -> None:
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "id-token: write" in workflow
    assert "--trusted-publishing always" in workflow
    assert "tools/release.py --check" in workflow
    for file in (ROOT / ".github" / "workflows").iterdir():
        assert "secrets." not in file.read_text(encoding="utf-8"), file.name


def test_repository_address_is_consistent() -> None:
    source = PROJECT["urls"]["Source"]
    assert all(url.startswith(source) for url in PROJECT["urls"].values())
    assert f"repository-code: {source}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"url: {source}/" in (ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml").read_text(encoding="utf-8")


@in_a_clone
def test_every_binary_file_has_an_origin_and_a_licence() -> None:
    page = (ROOT / "docs" / "reference" / "assets.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")
    ]
    patterns = {pattern: row for row in rows for pattern in re.findall(r"`(.+?)`", row[0])}
    assets = [name for name in tracked() if not is_text(ROOT / name)]

    assert [name for name in assets if not any(fnmatch(name, pattern) for pattern in patterns)] == []
    assert [pattern for pattern in patterns if not any(fnmatch(name, pattern) for name in assets)] == []
    assert all(len(row) == 4 and all(row) for row in rows)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build all source distributions, and build wheels from the source distributions, without network access."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "uv", "build", "--quiet", "--offline", "--all-packages", "--out-dir", str(folder)]
    subprocess.run(command, check=True, cwd=ROOT)
    return folder


def wheels(built: Path) -> Iterator[tuple[str, Any, list[str]]]:
    """Yield the name, the metadata and the files of each wheel."""
    for path in sorted(built.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            (name,) = (item for item in wheel.namelist() if item.endswith(".dist-info/METADATA"))
            yield path.name.partition("-")[0], wheel.read(name), wheel.namelist()


@pytest.mark.slow
class TestBuilt:
    def test_every_distribution_is_built_as_wheel_and_sdist(self, built: Path) -> None:
        names = {path.name.partition("-")[0] for path in built.glob("*.whl")}
        assert names == {path.name.partition("-")[0] for path in built.glob("*.tar.gz")}
        assert len(names) == len(FOLDERS) + 1

    def test_metadata_licences_and_markers_are_valid(self, built: Path) -> None:
        for name, text, files in wheels(built):
            metadata = Metadata.from_email(text, validate=True)
            assert str(metadata.version) == PROJECT["version"]
            assert metadata.license_expression == "MIT"
            assert metadata.description_content_type == "text/markdown"
            assert set(metadata.project_urls or ()) == set(PROJECT["urls"])
            assert any(file.endswith(".dist-info/licenses/LICENSE") for file in files), name
            assert name == "gymkernel_all" or f"{name}/py.typed" in files
            assert not [file for file in files if "test" in Path(file).parts], name

    def test_declared_requirements_are_in_the_wheel(self, built: Path) -> None:
        ours = {str(Metadata.from_email(text).name) for _, text, _ in wheels(built)}
        for name, text, _ in wheels(built):
            asked = HeaderParser().parsestr(text.decode("utf-8")).get_all("Requires-Dist") or []
            for requirement in asked:
                other = re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]
                assert not other.startswith("gymkernel") or other in ours, f"{name} requires {other}"

    @in_a_clone
    def test_source_distribution_equals_the_repository(self, built: Path) -> None:
        (path,) = built.glob("gymkernel_all-*.tar.gz")
        with tarfile.open(path) as archive:
            inside = {name.partition("/")[2] for name in archive.getnames()}
        assert [name for name in tracked() if name not in inside] == []


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of all stamped files, with no news fragments."""
    tmp_path = tmp_path_factory.mktemp("stamped")
    ignored = ".*", "__pycache__", "tests"
    shutil.copytree(ROOT / "kernel", tmp_path / "kernel", ignore=shutil.ignore_patterns(*ignored))
    shutil.copytree(ROOT / "plugins", tmp_path / "plugins", ignore=shutil.ignore_patterns(*ignored))
    (tmp_path / "docs" / "guides").mkdir(parents=True)
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "requirements-dev.txt",
        "docs/benchmarks.json",
        "docs/rollouts.json",
        "docs/growth.json",
        "docs/guides/rollout-performance.md",
        "docs/guides/performance.md",
        "CHANGELOG.md",
    ):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "README.md").write_text("How to write news.\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def news(shared: Path) -> Iterator[Path]:
    """Return a copy of all stamped files, with one news fragment."""
    fragment = shared / "changes" / "7.feature.md"
    fragment.write_text("Mazes have doors.\n", encoding="utf-8")
    yield shared
    fragment.unlink(missing_ok=True)


class TestPreparing:
    def test_missing_steps_are_reported(self, news: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert release.main(news, ["--check", "7.8.9"]) == 1
        said = capsys.readouterr().err
        assert (
            f"Expected version 7.8.9 in pyproject.toml, got {PROJECT['version']}; run: python tools/release.py" in said
        )
        assert "Expected a section of 7.8.9 in CHANGELOG.md" in said
        assert "Expected no news in changes, got 7.feature.md" in said

    @pytest.mark.skipif(find_spec("towncrier") is None, reason="the tox environment `docs` installs towncrier")
    def test_one_command_prepares_a_release(
        self, news: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        checkout = shutil.copytree(news, tmp_path / "checkout")
        assert release.main(checkout, ["7.8.9"]) == 0
        assert release.main(checkout, ["--check", "7.8.9"]) == 0
        changelog = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
        assert re.search(r"^## 7\.8\.9 \(.*\)\n+### New\n+- Mazes have doors\. \(#7\)$", changelog, re.MULTILINE)
        plugin = (checkout / "plugins" / "spaces" / "box" / "pyproject.toml").read_text(encoding="utf-8")
        assert 'version = "7.8.9"' in plugin
        assert '"gymkernel>=7.8,<8"' in plugin

    def test_changelog_with_the_version_is_unchanged(self, shared: Path) -> None:
        before = (shared / "CHANGELOG.md").read_text(encoding="utf-8")
        assert release.main(shared, [PROJECT["version"]]) == 0
        assert (shared / "CHANGELOG.md").read_text(encoding="utf-8") == before

    def test_dry_run_needs_a_clean_clone_and_a_new_tag(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        git = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        (tmp_path / "file").write_text("old\n", encoding="utf-8")
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "begin"], ["tag", "v7.8.9"]):
            subprocess.run([*git, *words], cwd=tmp_path, check=True)
        (tmp_path / "file").write_text("new\n", encoding="utf-8")

        problems = rehearse(tmp_path, "7.8.9", lambda copy, version: [f"{version}: {(copy / 'file').read_text()}"])

        assert problems == [
            "Expected a clean clone, got changes in 1 files; commit or stash them",
            "The tag v7.8.9 exists already; choose another version",
            "7.8.9: old\n",
        ]

    @pytest.mark.parametrize("version", ["1", "v0.2.0", "0.2", "0.2.0.post1"])
    def test_invalid_version_is_rejected(self, version: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            release.main(ROOT, ["--check", version])
        assert "Expected a version such as 0.2.0" in capsys.readouterr().err
