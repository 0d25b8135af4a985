"""Tests that run the examples in Markdown documents. Each document runs from start to end."""

from __future__ import annotations

import doctest
import re
import tempfile
import tomllib
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HEAVY = set(PYPROJECT["tool"]["gymkernel"]["sync"]["heavy"])
"""Plugins that the group `test` does not install. The tests of these plugins run their READMEs."""
BLOCK = re.compile(r"^```(?:pycon|python)\b[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _installed(folder: Path) -> bool:
    project = folder / "pyproject.toml"
    return not project.exists() or tomllib.loads(project.read_text(encoding="utf-8"))["project"]["name"] not in HEAVY


DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "kernel/*.md", "plugins/*/*/*.md", "docs/**/*.md")
    for path in ROOT.glob(pattern)
    if ">>> " in path.read_text(encoding="utf-8") and _installed(path.parent)
)


@pytest.fixture(autouse=True)
def _registrations_end_with_a_document() -> Iterator[None]:
    before = set(gymkernel.registry)
    yield
    for env_id in set(gymkernel.registry) - before:
        del gymkernel.registry[env_id]


@pytest.mark.parametrize("document", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in DOCUMENTS])
def test_examples_show_their_output(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = tempfile.mkdtemp
    # Remove the folders that examples create, but not those of other libraries, such as multiprocessing.
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **kwargs: make(**kwargs or {"dir": tmp_path}))
    # The results of the examples must not depend on the load of the machine.
    monkeypatch.setattr("gymkernel_tool_check.env_checker.BUDGET", 600.0)
    # Old versions of doctest compare only the last line of the exception, which is a note if the exception has notes.
    lines = traceback.format_exception_only
    monkeypatch.setattr(traceback, "format_exception_only", lambda *args: ["".join(lines(*args))])
    text = document.read_text(encoding="utf-8")
    examples = []
    for block in BLOCK.finditer(text):
        found = doctest.DocTestParser().get_examples(block[1])
        first = text.count("\n", 0, block.start(1))
        for example in found:
            example.lineno += first
        examples += found
    report: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTest(examples, {"__name__": "__main__"}, document.name, str(document), 0, None)
    results = doctest.DocTestRunner(optionflags=flags).run(test, out=report.append)
    assert results.attempted == len(examples) > 0, "an example is outside a fenced pycon or python block"
    assert not results.failed, "".join(report)


NAMED = re.compile(r"(?<!uv )(?<!run: )\bpip install [^\n`]*gymkernel")
"""A command that works only after the first release. After `run: `, it is part of a message that a page quotes."""
GENERATED = "docs/reference/api/", "docs/reference/rules/", "docs/environments/", "docs/_build/"
INSTALLING = sorted(
    path
    for pattern in ("*.md", "kernel/*.md", "plugins/*/*/*.md", "docs/**/*.md")
    for path in ROOT.glob(pattern)
    if not path.relative_to(ROOT).as_posix().startswith(GENERATED) and NAMED.search(path.read_text(encoding="utf-8"))
)


def test_sections_that_install_by_name_show_the_clone_command() -> None:
    found = []
    for document in INSTALLING:
        sections = re.split(r"^(?=#{1,3} )", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
        installing = [section for section in sections if NAMED.search(section)]
        assert installing, document
        without = [item for item in installing if not re.search(r"\bclone\b|uv pip install \S|\buv run\b", item)]
        found += [f"{document.relative_to(ROOT)}: {section.partition(chr(10))[0]}" for section in without]

    assert found == []


def test_folders_installed_from_a_clone_exist() -> None:
    for document in INSTALLING:
        text = document.read_text(encoding="utf-8")
        for command in re.findall(r"uv pip install ([^`\n#)]*)", text):
            for path in re.findall(r"(?<![\w.])\./[\w./-]+", command):
                assert (ROOT / path).is_dir(), f"{document.relative_to(ROOT)}: {path}"


DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))


def test_decision_numbers_are_unique() -> None:
    numbers = [path.name[:4] for path in DECISIONS]

    assert len(numbers) == len(set(numbers))


def test_at_most_forty_decisions_are_kept() -> None:
    assert len(DECISIONS) <= 40, "delete or merge records that nobody would question today"


def test_decisions_state_number_date_and_status() -> None:
    heads = {record.stem: record.read_text(encoding="utf-8").split("\n")[:3] for record in DECISIONS}
    status = re.compile(r"Date: \d{4}-\d\d-\d\d\. Status: (accepted|superseded)\.")

    assert heads
    assert [name for name, head in heads.items() if not head[0].startswith(f"# {int(name[:4])}. ")] == []
    assert [name for name, head in heads.items() if not status.match(head[2])] == []
