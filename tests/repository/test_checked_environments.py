"""Tests that the page of checked environments matches the record, and that every finding has been judged."""

from __future__ import annotations

import pytest

import checked_environments
from gymkernel.checks import rules

TARGETS = checked_environments.targets()


def test_page_is_generated_from_the_record() -> None:
    assert checked_environments.PAGE.read_text(encoding="utf-8") == checked_environments.page()


def test_each_finding_has_a_verdict() -> None:
    assert not checked_environments.unjudged()


@pytest.mark.parametrize("one", TARGETS, ids=[target["target"] for target in TARGETS])
def test_target_was_checked_without_false_errors(one: dict[str, object]) -> None:
    result = one["result"]
    assert isinstance(result, dict)
    assert result["status"] in {"checked", "not checked"}
    assert result["status"] == "checked" or result["why"]
    judged = one.get("judged", {})
    assert isinstance(judged, dict)
    known = {rule.code for rule in rules()}
    for finding in result["findings"]:
        assert finding["code"] in known
        assert finding["severity"] != "error" or judged[finding["code"]].startswith("true: ")
