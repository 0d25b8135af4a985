"""Tests that every path and every name on the architecture page exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:kernel|plugins|tests|docs)(?:/[\w.-]+)*)`", PAGE)))
STEPS = re.findall(r"^\d+\. `([^`]+)`: (.*)$", PAGE, re.MULTILINE)
"""The steps in the numbered lists on the page. Each step names a file and says what happens in it."""


@pytest.mark.parametrize("path", PATHS)
def test_path_on_the_architecture_page_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_architecture_page_describes_three_lives() -> None:
    assert len(STEPS) > 20
    assert len(re.findall(r"^## The life of ", PAGE, re.MULTILINE)) == 3


@pytest.mark.parametrize("file, text", STEPS)
def test_names_in_a_step_exist_in_its_file(file: str, text: str) -> None:
    source = (ROOT / file).read_text(encoding="utf-8")

    for name in re.findall(r"`(\w+)`", text):
        assert re.search(rf"\b(def|class) {name}\b|\"{name}\"", source), f"{file} has no {name}"


def test_readme_and_contributing_link_the_architecture_page() -> None:
    for name in ("README.md", "CONTRIBUTING.md"):
        assert "docs/architecture.md" in (ROOT / name).read_text(encoding="utf-8")
