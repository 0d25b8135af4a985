"""Tests that every path and every name on the architecture page exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:kernel|plugins|tests|docs)(?:/[\w.-]+)*)`", PAGE)))
STEPS = re.findall(r"^\d+\. `([^`]+)`: (.*)$", PAGE, re.MULTILINE)
"""The steps in the numbered lists on the page. Each step names a file and says what happens in it."""


def test_paths_on_the_architecture_page_exist() -> None:
    assert PATHS
    assert [path for path in PATHS if not (ROOT / path).exists()] == []


def test_architecture_page_describes_three_lives() -> None:
    assert len(STEPS) > 20
    assert len(re.findall(r"^## The life of ", PAGE, re.MULTILINE)) == 3


def test_names_in_a_step_exist_in_its_file() -> None:
    missing = []
    for file, text in STEPS:
        source = (ROOT / file).read_text(encoding="utf-8")
        names = re.findall(r"`(\w+)`", text)
        found = [name for name in names if re.search(rf"\b(def|class) {name}\b|\"{name}\"", source)]
        missing += [f"{file} has no {name}" for name in names if name not in found]

    assert missing == []


def test_readme_and_contributing_link_the_architecture_page() -> None:
    for name in ("README.md", "CONTRIBUTING.md"):
        assert "docs/architecture.md" in (ROOT / name).read_text(encoding="utf-8")
