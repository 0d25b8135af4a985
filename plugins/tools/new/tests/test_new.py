"""Test the names, files and errors of `gymkernel new`. `tests/new_plugins` runs the created distributions."""

from __future__ import annotations

import re
import tomllib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from gymkernel_tool_new import KINDS, files, named
from gymkernel_tool_new.command import new

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(new, [str(argument) for argument in arguments])


class TestNames:
    @pytest.mark.parametrize(
        "name, distribution, package, cls, env_id",
        [
            ("AcmeClip", "acme-clip", "acme_clip", "AcmeClip", "acme/Clip-v0"),
            ("acme-clip", "acme-clip", "acme_clip", "AcmeClip", "acme/Clip-v0"),
            ("acme_clip", "acme-clip", "acme_clip", "AcmeClip", "acme/Clip-v0"),
            ("acme/Maze-v3", "acme-maze", "acme_maze", "AcmeMaze", "acme/Maze-v3"),
            ("Maze-v1", "maze", "maze", "Maze", "maze/Maze-v1"),
            ("RGBClip2", "rgb-clip2", "rgb_clip2", "RGBClip2", "rgb/Clip2-v0"),
        ],
    )
    def test_name_alone_is_enough(self, name: str, distribution: str, package: str, cls: str, env_id: str) -> None:
        found = named(name)

        assert (found.distribution, found.package, found.cls) == (distribution, package, cls)
        assert found.env_id == env_id

    @pytest.mark.parametrize(
        "name, cls, vector_cls, env_id",
        [
            ("AcmeClip", "AcmeClip", "AcmeClipVectorEnv", "acme/Clip-v0"),
            ("AcmeVectorEnv", "AcmeVectorEnv", "AcmeVectorEnv", "acme/Acme-v0"),
            ("acme-vector-env", "AcmeVectorEnv", "AcmeVectorEnv", "acme/Acme-v0"),
            ("acme_vectorenv", "AcmeVectorenv", "AcmeVectorEnv", "acme/Acme-v0"),
            ("AcmeEnv", "AcmeEnv", "AcmeVectorEnv", "acme/Acme-v0"),
            ("AcmeVector", "AcmeVector", "AcmeVectorEnv", "acme/Vector-v0"),
            ("AcmeMazeEnv", "AcmeMazeEnv", "AcmeMazeVectorEnv", "acme/Maze-v0"),
            ("RGBEnv", "RGBEnv", "RGBVectorEnv", "rgb/RGB-v0"),
            ("acme/MazeEnv-v1", "AcmeMazeEnv", "AcmeMazeVectorEnv", "acme/MazeEnv-v1"),
            ("AcmeWrapper", "AcmeWrapper", "AcmeWrapperVectorEnv", "acme/Wrapper-v0"),
            ("AcmeSpace", "AcmeSpace", "AcmeSpaceVectorEnv", "acme/Space-v0"),
        ],
    )
    def test_kind_is_not_repeated_in_names(self, name: str, cls: str, vector_cls: str, env_id: str) -> None:
        found = named(name)

        assert (found.cls, found.vector_cls, found.env_id) == (cls, vector_cls, env_id)

    @pytest.mark.parametrize("name", ["VectorEnv", "env", "Wrapper", "Space", "reward-wrapper"])
    def test_class_name_never_hides_a_base_class(self, name: str) -> None:
        with pytest.raises(ValueError, match="is the name of a base class; add a prefix of your own, for example Acme"):
            named(name)

    @pytest.mark.parametrize("name", ["", "7", "a b", "-x", "acme//Maze", "../up", "ümlaut", "Acme!"])
    def test_invalid_name_is_reported(self, name: str) -> None:
        with pytest.raises(ValueError, match="Expected a name such as AcmeClip, acme-clip or acme/Clip-v0"):
            named(name)

    @pytest.mark.parametrize("name", ["Random", "json", "Class"])
    def test_package_name_never_hides_the_standard_library(self, name: str) -> None:
        with pytest.raises(ValueError, match="would hide Python's own; add a prefix of your own, for example acme-"):
            named(name)


@pytest.mark.parametrize("kind", KINDS)
class TestFiles:
    def test_no_template_placeholder_is_left(self, kind: str) -> None:
        for path, text in files(kind, "lab-walker", author="Ann Author", vectorized=kind == "env").items():
            assert not re.search("acme[^a-z]?thing|ACME-", f"{path} {text}", re.IGNORECASE), path

    def test_every_distribution_has_the_usual_files(self, kind: str) -> None:
        written = files(kind, "lab-walker", author="Ann Author")

        wanted = ["LICENSE", "README.md", ".gitignore", ".github/workflows/test.yml", "src/lab_walker/py.typed"]
        assert {PurePosixPath(item) for item in wanted} <= written.keys()
        assert "Ann Author" in written[PurePosixPath("LICENSE")]

    def test_project_follows_the_layout_of_this_repository(self, kind: str) -> None:
        project = tomllib.loads(files(kind, "lab-walker", author="Ann Author")[PurePosixPath("pyproject.toml")])

        assert project["project"]["requires-python"] == ">=3.11"
        assert project["project"]["authors"] == [{"name": "Ann Author"}]
        assert "gymkernel>=0.1,<1" in project["project"]["dependencies"]
        assert project["build-system"] == {"requires": ["uv_build>=0.9,<1"], "build-backend": "uv_build"}

    def test_author_names_are_escaped(self, kind: str) -> None:
        author = 'Zoë "Zed" \\ Ångström'
        written = files(kind, "lab-walker", author=author)

        project = tomllib.loads(written[PurePosixPath("pyproject.toml")])
        assert project["project"]["authors"] == [{"name": author}]
        assert author in written[PurePosixPath("LICENSE")]

    def test_no_name_repeats_the_kind(self, kind: str) -> None:
        word = {"vector": "VectorEnv", "rule": "Rules"}.get(kind, kind.capitalize())
        for path, text in files(kind, f"Lab{word}", author="Ann Author", vectorized=kind == "env").items():
            assert not re.search(f"({word}[-_]?){{2}}|EnvVectorEnv", f"{path} {text}", re.IGNORECASE), path

    def test_python_files_compile(self, kind: str) -> None:
        for path, text in files(kind, "lab-walker", author="Ann Author", vectorized=kind == "env").items():
            if path.suffix == ".py":
                compile(text, str(path), "exec")


def test_unknown_kind_is_reported() -> None:
    with pytest.raises(ValueError, match="Expected a kind of plugin"):
        files("spaces", "lab-walker", author="Ann Author")


class TestCommand:
    def test_misspelled_kind_gets_a_suggestion(self) -> None:
        result = run("wraper", "LabCompass")

        assert result.exit_code == 2
        assert "there is no kind 'wraper'; did you mean wrapper?" in result.output

    def test_files_are_written_and_next_steps_are_printed(self, tmp_path: Path) -> None:
        result = run("space", "LabCompass", "--path", tmp_path, "--author", "Ann Author")

        assert result.exit_code == 0, result.output
        assert (tmp_path / "lab-compass" / "src" / "lab_compass" / "__init__.py").is_file()
        assert f'pip install -e "{tmp_path / "lab-compass"}[test]"' in result.stdout
        assert "gymkernel check lab-compass" in result.stdout

    def test_vectorised_form_is_in_the_spec(self, tmp_path: Path) -> None:
        run("env", "lab/Hall-v2", "--vectorized", "--path", tmp_path)

        module = (tmp_path / "lab-hall" / "src" / "lab_hall" / "__init__.py").read_text()
        assert 'vector_entry_point="lab_hall.vector:LabHallVectorEnv"' in module
        assert '"lab/Hall-v2"' in module

    def test_existing_files_are_not_overwritten(self, tmp_path: Path) -> None:
        run("space", "LabCompass", "--path", tmp_path)
        file = tmp_path / "lab-compass" / "README.md"
        file.write_text("mine")

        result = run("space", "LabCompass", "--path", tmp_path)

        assert result.exit_code == 2
        assert "is not overwritten; pass a different --path or NAME" in result.stderr
        assert file.read_text() == "mine"

    @pytest.mark.parametrize(
        "kind, name, owner",
        [("space", "Box", "gymkernel-space-box"), ("wrapper", "TimeLimit", "gymkernel-wrapper-time-limit")],
    )
    def test_taken_name_is_rejected(self, kind: str, name: str, owner: str, tmp_path: Path) -> None:
        result = run(kind, name, "--path", tmp_path)

        assert result.exit_code == 2
        assert f"{name} is already used by {owner}" in " ".join(result.stderr.replace("│", "").split())
        assert not list(tmp_path.iterdir())

    def test_installed_distribution_is_rejected(self, tmp_path: Path) -> None:
        result = run("rule", "gymkernel-tool-new", "--path", tmp_path)

        assert result.exit_code == 2
        assert "The distribution name gymkernel-tool-new is already taken" in " ".join(result.stderr.split())

    def test_invalid_name_is_rejected(self, tmp_path: Path) -> None:
        result = run("space", "7", "--path", tmp_path)

        assert result.exit_code == 2
        assert "Expected a name such as AcmeClip" in " ".join(result.stderr.split())

    def test_vectorised_option_is_for_environments_only(self, tmp_path: Path) -> None:
        result = run("space", "LabCompass", "--vectorized", "--path", tmp_path)

        assert result.exit_code == 2
        assert "--vectorized is only for environments" in result.stderr

    def test_author_comes_from_git(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        config = tmp_path / "gitconfig"
        config.write_text("[user]\n    name = Gil Git\n")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
        monkeypatch.chdir(tmp_path)

        run("space", "LabCompass", "--path", tmp_path)

        assert "Gil Git" in (tmp_path / "lab-compass" / "pyproject.toml").read_text()

    def test_author_has_a_default_without_git(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))

        run("space", "LabCompass", "--path", tmp_path)

        assert 'name = "the authors"' in (tmp_path / "lab-compass" / "pyproject.toml").read_text()
