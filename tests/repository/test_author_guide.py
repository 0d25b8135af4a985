"""Tests that the guide for authors matches the templates of `gymkernel new` and the methods that backends need."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from tests.cases import every_case

from gymkernel.checks import check
from gymkernel.vector import VectorEnv
from gymkernel_tool_new import KINDS, files

ROOT = Path(__file__).resolve().parents[2]
GUIDES = [ROOT / "docs" / "guides" / f"{name}.md" for name in ("write-a-plugin", "write-a-backend")]
GUIDE = "\n".join(guide.read_text(encoding="utf-8") for guide in GUIDES)
TEMPLATES = ROOT / "plugins" / "tools" / "new" / "src" / "gymkernel_tool_new" / "template_files"
OWN = sorted(ROOT.glob("plugins/*/*/pyproject.toml"))
SHARED = ("readme", "requires-python", "license")
FOLDERS = {
    "space": "spaces",
    "wrapper": "wrappers",
    "vector": "vector",
    "env": "envs",
    "command": "tools",
    "rule": "tools",
}
"""The folder for each kind of plugin in this repository."""


@cache
def project_of(kind: str) -> dict[str, Any]:
    text = files(kind, "acme-thing", author="gymkernel contributors")[PurePosixPath("pyproject.toml")]
    return tomllib.loads(text)


def table() -> list[str]:
    """Return the methods and attributes of a backend that the guide's table lists."""
    section = GUIDE.partition("## A vector backend")[2].partition("\n## ")[0]
    rows = section.partition("| member |")[2].partition("\n\n")[0]
    return [name for row in rows.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_author_guide_shows_the_templates() -> None:
    shown = set(re.findall(r"template_files/(\S+)", GUIDE))

    assert {f"{kind}/module.py.txt" for kind in KINDS} <= shown
    assert all((TEMPLATES / item).is_file() for item in shown)


def test_our_plugins_agree_with_the_templates() -> None:
    with every_case() as case:
        for path in OWN:
            with case(path.parent.name):
                assert_agrees_with_its_template(path)


def assert_agrees_with_its_template(path: Path) -> None:
    own = tomllib.loads(path.read_text(encoding="utf-8"))
    kind = next((kind for kind, folder in FOLDERS.items() if folder == path.parent.parent.name), "wrapper")
    new = project_of(kind)

    assert own["build-system"] == new["build-system"]
    assert {key: own["project"][key] for key in SHARED} == {key: new["project"][key] for key in SHARED}
    bounds = {need for need in new["project"]["dependencies"] if need.startswith("gymkernel") and need.endswith("<1")}
    same = {re.split(r"[<>=]", need)[0]: need for need in bounds}
    for need in own["project"]["dependencies"]:
        assert need == same.get(re.split(r"[<>=]", need)[0], need)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "rule"])
def test_template_has_the_entry_point_groups_of_our_plugins(kind: str) -> None:
    used = {
        group
        for path in OWN
        if path.parent.parent.name == FOLDERS[kind]
        for group in tomllib.loads(path.read_text(encoding="utf-8"))["project"].get("entry-points", {})
    }

    assert project_of(kind)["project"]["entry-points"].keys() <= used


@pytest.fixture
def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[VectorEnv[Any, Any, Any]]:
    """Return the backend from the guide's example."""
    path = tmp_path / "acme_thing.py"
    text = files("vector", "acme-thing", author="Ann")[PurePosixPath("src/acme_thing/__init__.py")]
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("acme_thing", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "acme_thing", module)
    spec.loader.exec_module(module)
    found: type[VectorEnv[Any, Any, Any]] = module.AcmeThingVectorEnv
    return found


def test_guide_lists_the_members_of_vector_env() -> None:
    named = set(re.findall(r"`(\w+)`", (VectorEnv.__doc__ or "").partition("The first axis")[0]))

    assert named - {"render", "step_masked"} == set(table())  # a subclass does not need to define these two


def test_backend_of_the_guide_is_sound(backend: Any) -> None:
    assert not check(backend, select=["GK65", "GK66"]).at_least("warning")


@pytest.mark.slow
@pytest.mark.parametrize("member", table())
def test_backend_without_a_member_is_reported(backend: Any, member: str) -> None:
    class Without(backend):  # type: ignore[misc]
        def __init__(self, env_fns: Any, **keywords: Any) -> None:
            super().__init__(env_fns, **keywords)
            self.__dict__.pop(member, None)

    if member in vars(backend):
        setattr(Without, member, getattr(VectorEnv, member, None))

    assert check(Without, select=["GK65", "GK66"]).at_least("error")
