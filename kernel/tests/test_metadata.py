"""Tests of the functions that read the metadata of installed packages."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import importlib_metadata
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import _metadata

if TYPE_CHECKING:
    from collections.abc import Callable

RELEASES = st.tuples(*[st.integers(0, 20)] * 3)


def text(release: tuple[int, ...]) -> str:
    return ".".join(map(str, release))


class TestExcludes:
    @pytest.mark.parametrize(
        "requires,kernel,excluded",
        [
            ("", "0.1.0", False),
            (">=0.1", "0.1.0", False),
            (">=0.1", "0.0.9", True),
            (">=0.10", "0.9.0", True),
            ("<1,>=0.1", "1.0", True),
            ("<1.0", "0.99.99", False),
            (">=0.1 , <1", "0.5", False),
            (">=1", "1.0.0rc1", False),
            (">=1", "1.0.0+local.7", False),
            ("!=0.2,~=0.1,==0.1.*", "0.2", False),
            ("<=0.5", "0.6", False),
        ],
    )
    def test_version_bounds_exclude(self, requires: str, kernel: str, excluded: bool) -> None:
        assert _metadata.excludes(requires, kernel) is excluded

    @given(RELEASES, RELEASES)
    def test_bounds_compare_numbers(self, bound: tuple[int, ...], kernel: tuple[int, ...]) -> None:
        assert _metadata.excludes(f">={text(bound)}", text(kernel)) is (kernel < bound)
        assert _metadata.excludes(f"<{text(bound)}", text(kernel)) is (kernel >= bound)


@pytest.mark.parametrize("name", ["Acme.Sound", "acme_sound", "ACME--sound", "acme-sound"])
def test_distribution_names_are_normalized(name: str) -> None:
    assert _metadata.normalize(name) == "acme-sound"


def test_requirements_of_installed_distributions() -> None:
    assert any(need.startswith("pluggy") for need in _metadata.dependencies("pytest"))
    assert not any("extra" in need for need in _metadata.dependencies("pytest"))
    assert _metadata.dependencies("no-such-distribution") == []


def test_first_distribution_on_the_path_wins(install: Callable[..., Path]) -> None:
    install("acme", "1.0", spaces={"A": "acme:A"})
    install("Acme", "2.0", spaces={"A": "acme:A"})

    (found,), unreadable = _metadata.scan()

    assert found.version in {"1.0", "2.0"}
    assert unreadable == []


def test_distributions_without_our_entry_points_are_not_read(install: Callable[..., Path]) -> None:
    install("other", metadata=b"\xff", entry_points="[console_scripts]\nother = other:main\n")

    assert _metadata.scan() == ([], [])


@pytest.mark.parametrize(
    "file, found",
    [
        ("[gymkernel.spaces]\nA = x:A\nB=y\n", [("spaces", "A", "x:A"), ("spaces", "B", "y")]),
        (
            "# made by hand\n\n  [gymkernel.spaces]  \n# A = x:A\n  B  =  y:B [extra]\n",
            [("spaces", "B", "y:B [extra]")],
        ),
        ("[console_scripts]\nrun = x:run\n[gymkernel.envs]\na/B-v0 = x:A\n", [("envs", "a/B-v0", "x:A")]),
        ("[gymkernel.utils]\nq.r = x = y\n", [("utils", "q.r", "x = y")]),
    ],
)
def test_entry_points_match_importlib_metadata(
    install: Callable[..., Path], file: str, found: list[tuple[str, str, str]]
) -> None:
    install("acme", entry_points=file)

    [distribution], unreadable = _metadata.scan()
    theirs = [(p.group, p.name, p.value) for p in importlib_metadata.distribution("acme").entry_points]

    assert list(distribution.entry_points) == found
    assert [(f"gymkernel.{group}", *rest) for group, *rest in found] == [p for p in theirs if p[0].startswith("gymk")]
    assert not unreadable


def test_names_with_control_characters_are_rejected(install: Callable[..., Path]) -> None:
    install("evil", spaces={"Bo\x1b[2Jx": "evil:Box", "\u202ebackwards": "evil:Box", "Kreis\u00e9": "evil:Box"})

    (found,), _ = _metadata.scan()

    assert [name for _, name, _ in found.entry_points] == [r"Bo\x1b[2Jx", r"\u202ebackwards", "Kreis\u00e9"]


def test_windows_line_endings_are_accepted(install: Callable[..., Path]) -> None:
    text = "Metadata-Version: 2.4\nName: acme\nVersion: 1.5\nRequires-Dist: gymkernel>=0.1,<1\n\nName: not this\n"
    points = "[gymkernel.spaces]\nA = x:A\n"
    install("acme", metadata=text.replace("\n", "\r\n"), entry_points=points.replace("\n", "\r\n"))

    assert _metadata.scan() == ([_metadata.Distribution("acme", "1.5", ">=0.1,<1", (("spaces", "A", "x:A"),), "")], [])


def test_invalid_entry_point_line_is_reported(install: Callable[..., Path]) -> None:
    install("acme", entry_points="[gymkernel.spaces]\nnonsense\n")

    found, unreadable = _metadata.scan()

    assert not found
    assert "acme" in unreadable[0]


class TestPlaces:
    """Tests that a scan finds the same distributions as `importlib_metadata`, wherever they are installed."""

    @pytest.fixture
    def places(self, tmp_path: Path) -> list[str]:
        """Return a search path with a folder, an egg, a zip file, an egg-info folder and a missing entry."""
        names = ("folder", "egg", "zipped", "old", "hidden")
        files = {name: f"[gymkernel.spaces]\n{name.title()} = {name}:A\n" for name in names}
        for name, place in {
            "folder": "site/folder-1.0.dist-info",
            "egg": "site/egg-1.0-py3.egg/EGG-INFO",
            "old": "site/old-1.0-py3.egg-info",
            "hidden": "elsewhere/hidden-1.0.dist-info",
        }.items():
            info = tmp_path / place
            info.mkdir(parents=True)
            header = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\n"
            (info / ("METADATA" if place.endswith("dist-info") else "PKG-INFO")).write_text(header)
            (info / "entry_points.txt").write_text(files[name])
        (tmp_path / "site" / "older-1.0-py3.egg-info").write_text("Metadata-Version: 1.0\nName: older\n")
        with zipfile.ZipFile(tmp_path / "zipped.zip", "w") as archive:
            archive.writestr("zipped-1.0.dist-info/METADATA", "Name: zipped\nVersion: 1.0\n\n")
            archive.writestr("zipped-1.0.dist-info/entry_points.txt", files["zipped"])
        site = tmp_path / "site"
        return [str(item) for item in (site, site / "egg-1.0-py3.egg", tmp_path / "zipped.zip", tmp_path / "absent")]

    def test_only_plain_folders_are_read_directly(self, places: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "path", [Path(places[0]), *places[1:], b"bytes", "no\0name"])
        own = _metadata.scan()
        monkeypatch.setattr(sys, "path", places)
        monkeypatch.setattr(_metadata, "_sources", lambda path: importlib_metadata.distributions(path=path))

        theirs = _metadata.scan()

        assert sorted(item.name for item in own[0]) == ["egg", "folder", "old", "zipped"]
        assert sorted(own[0], key=str) == sorted(theirs[0], key=str)
        assert own[1] == theirs[1] == []

    def test_metadata_finders_are_used(self, places: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        hidden = str(Path(places[0]).with_name("elsewhere"))

        class Finder(importlib_metadata.DistributionFinder):
            def find_spec(self, *_: Any) -> None:
                return None

            def find_distributions(self, context: Any = None) -> Any:
                return importlib_metadata.MetadataPathFinder().find_distributions(
                    importlib_metadata.DistributionFinder.Context(path=[hidden])  # type: ignore[no-untyped-call]
                )

        monkeypatch.setattr(sys, "path", places)
        monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])

        assert "hidden" in {item.name for item in _metadata.scan()[0]}

    def test_importlib_metadata_is_not_imported_for_folders(self) -> None:
        code = "import sys; from gymkernel import plugins; plugins.names('spaces'); "
        code += "print('importlib_metadata' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

        assert done.stdout == "False\n"
