"""Tests that the number of rules is correct wherever a text states it."""

from __future__ import annotations

import re
from pathlib import Path

from gymkernel_tool_check.catalogue import rules
from gymkernel_tool_check.rules.table import table

ROOT = Path(__file__).resolve().parents[2]
COUNT = re.compile(r"\b(\d{2,}) rules\b(?! passed)")
TEXTS = [
    ROOT / "README.md",
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("docs/guides/*.md"),
    *ROOT.glob("plugins/*/*/README.md"),
]


def test_codes_in_the_table_are_unique() -> None:
    codes = [row.code for row in table()]

    assert codes == sorted(set(codes))


def test_checker_has_the_rules_of_the_table() -> None:
    assert {row.code for row in table()} <= {rule.code for rule in rules()}


def test_readme_states_the_number_of_rules() -> None:
    assert COUNT.findall((ROOT / "README.md").read_text(encoding="utf-8")) == [str(len(table()))]


def test_no_text_states_another_number_of_rules() -> None:
    counts = {path: set(COUNT.findall(path.read_text(encoding="utf-8"))) for path in TEXTS}
    number = str(len(table()))
    assert {path: found for path, found in counts.items() if found - {number}} == {}
