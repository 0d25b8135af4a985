"""Tests of the report formats, including texts with characters that are special in a format."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from gymkernel_tool_check.cli.formats import FORMATS, render
from gymkernel_tool_check.cli.results import Results
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.records import Report

if TYPE_CHECKING:
    from collections.abc import Callable

RULES = {
    code: {
        "code": code,
        "severity": severity,
        "family": "step",
        "kind": "envs",
        "title": f"the title of {code}",
        "why": "Because <b>, 100 %.",
        "fix": "Write it.",
        "profile": "default",
        "compat": "",
    }
    for code, severity in {
        "GK1": "error",
        "GK2": "warning",
        "GK3": "info",
        "GK4": "error",
        "GK5": "error",
        "GK6": "error",
    }.items()
}


def finding(code: str, **more: Any) -> Finding:
    base: dict[str, Any] = {
        "file": str(Path.cwd() / "walks.py"),
        "line": 7,
        "method": "step",
        "seed": 1,
        "episode": 1,
        "step": 3,
    }
    return Finding(
        code, RULES[code]["severity"], "a < b, 50 %\nnext\x00", **{**base, "reproducer": "print(1 < 2)"} | more
    )


@pytest.fixture
def results() -> Results:
    broken = Report("walks.py:Walk", rules=RULES, passed=["GK6"], skipped={"GK5": "no <display>"}, seconds=1.5)
    broken.findings = [finding("GK1"), finding("GK2", file="/else/where.py"), finding("GK3", file=None, line=None)]
    broken.expected = {"GK4": ("known <since> long", [finding("GK4")])}
    return Results(
        [broken, Report("Fine-v0", rules=RULES, passed=list(RULES)), Report("Lost-v0", failure="no such, thing")]
    )


def test_every_format_exists(results: Results) -> None:
    for form in FORMATS:
        if form != "text":
            assert render(form, results)


def test_json_matches_its_schema(results: Results) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    path = Path(__file__).resolve().parents[4] / "docs" / "reference" / "check-report.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))

    jsonschema.Draft202012Validator.check_schema(schema)
    data = json.loads(render("json", results))

    jsonschema.validate(data, schema)
    for wrong in ({**data, "schema": "gymkernel.check/0"}, {**data, "targets": [{}]}, {**data, "exit_status": 5}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_json_separates_found_and_expected_findings(results: Results) -> None:
    target = json.loads(render("json", results))["targets"][0]

    assert [item["code"] for item in target["findings"]] == ["GK1", "GK2", "GK3"]
    assert target["expected"][0]["reason"] == "known <since> long"
    assert target["skipped"] == [{"code": "GK5", "reason": "no <display>"}]


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - the XML was written by this test


def test_junit_has_a_suite_per_target_and_a_case_per_rule(results: Results) -> None:
    root = parsed(render("junit", results))

    assert [suite.get("name") for suite in root] == ["walks.py:Walk", "Fine-v0", "Lost-v0"]
    cases = {str(case.get("name"))[:3]: case for case in root[0]}
    assert {name: [child.tag for child in case] for name, case in cases.items()} == {
        "GK1": ["failure"],
        "GK2": ["system-out"],
        "GK3": ["system-out"],
        "GK4": ["skipped"],
        "GK5": ["skipped"],
        "GK6": [],
    }
    assert root[0].attrib | {"time": ""} == {
        "name": "walks.py:Walk",
        "time": "",
        "tests": "6",
        "failures": "1",
        "errors": "0",
        "skipped": "2",
    }
    assert (root.get("tests"), root.get("errors")) == ("13", "1")
    failure = cases["GK1"][0]
    assert str(failure.get("message")).startswith("a < b, 50 %")
    assert "print(1 < 2)" in str(failure.text)


def test_junit_counts_failures_at_the_threshold(results: Results) -> None:
    results.threshold = "warning"

    assert parsed(render("junit", results))[0].get("failures") == "2"


def test_sarif_names_rules_places_and_suppressions(results: Results) -> None:
    data = json.loads(render("sarif", results))

    assert data["version"] == "2.1.0"
    (one,) = data["runs"]
    rules = one["tool"]["driver"]["rules"]
    assert [rules[found["ruleIndex"]]["id"] for found in one["results"]] == ["GK1", "GK2", "GK4"]
    assert [found["level"] for found in one["results"]] == ["error", "warning", "error"]
    places = [found["locations"][0]["physicalLocation"]["artifactLocation"] for found in one["results"]]
    assert places[0] == {"uri": "walks.py", "uriBaseId": "SRCROOT"}
    assert places[1] == {"uri": "file:///else/where.py"}
    assert one["results"][2]["suppressions"] == [{"kind": "external", "justification": "known <since> long"}]
    assert "suppressions" not in one["results"][0]
    assert one["invocations"][0]["executionSuccessful"] is False
    assert one["invocations"][0]["exitCode"] == 2


def test_github_annotations_are_escaped(results: Results) -> None:
    lines = render("github", results).splitlines()

    assert len(lines) == 3
    title = "gymkernel GK1 the title of GK1"
    assert lines[0].startswith(f"::error file=walks.py,line=7,title={title}::walks.py:Walk: a < b, 50 %25%0Anext")
    assert lines[1].startswith("::warning file=/else/where.py,line=7,")
    assert lines[2] == "::error title=gymkernel Lost-v0::no such, thing"


def test_github_output_is_empty_without_findings() -> None:
    assert render("github", Results([Report("Fine-v0", rules=RULES, passed=list(RULES))])) == ""


class Page(HTMLParser):
    """A parser that collects the links on a page and checks that its tags are balanced."""

    void = frozenset({"meta", "br", "link", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert not {"src"} & found.keys()
        self.ids |= {str(found["id"])} if "id" in found else set()
        self.links += [str(found["href"])] if "href" in found else []
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_self_contained_page(results: Results) -> None:
    page = Page()
    page.feed(render("html", results))

    assert page.open == []
    assert {link.removeprefix("#") for link in page.links} <= page.ids
    for text in ("a < b, 50 %", "known <since> long", "no <display>", "print(1 < 2)", "no such, thing", "Because <b>"):
        assert text in page.text


def test_exit_status_is_the_worst_status(results: Results) -> None:
    assert results.status == 2
    results.reports.pop()
    assert results.status == 1
    results.reports.pop(0)
    assert results.status == 0


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_terminal_shows_expected_failures(install: Callable[..., Path]) -> None:
    from click.testing import CliRunner

    from gymkernel.cli.app import cli

    Path("odd.py").write_text(
        "from gymkernel import Env\n\nclass Odd(Env):\n    gymkernel_expected_failures = {'GK101': 'soon'}\n"
    )
    result = CliRunner().invoke(cli, ["check", "odd.py", "--select", "GK101"], prog_name="gymkernel")
    assert result.exit_code == 0
    assert "expected: soon (observation_space and action_space are missing" in " ".join(result.stdout.split())
