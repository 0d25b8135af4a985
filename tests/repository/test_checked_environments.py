"""Tests that the page of checked environments matches the record, and that every finding has been judged."""

from __future__ import annotations

from tests.cases import every_case

import checked_environments
from gymkernel.checks import rules

TARGETS = checked_environments.targets()


def test_page_is_generated_from_the_record() -> None:
    assert checked_environments.PAGE.read_text(encoding="utf-8") == checked_environments.page()


def test_each_finding_has_a_verdict() -> None:
    assert not checked_environments.unjudged()


def test_targets_were_checked_without_false_errors() -> None:
    known = {rule.code for rule in rules()}
    with every_case() as case:
        for target in TARGETS:
            with case(target["target"]):
                result, judged = target["result"], target.get("judged", {})
                assert result["status"] in {"checked", "not checked"}
                assert result["status"] == "checked" or result["why"]
                for finding in result["findings"]:
                    assert finding["code"] in known
                    assert finding["severity"] != "error" or judged[finding["code"]].startswith("true: ")
