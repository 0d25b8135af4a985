"""The HTML output format: a self-contained page with a table of targets and rules, and the findings for each target."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from typing import Final

from gymkernel.cli.terminal import plural
from gymkernel_tool_check.cli.overview import CELLS, cell_of, columns
from gymkernel_tool_check.cli.results import Results, relative
from gymkernel_tool_check.findings import Finding
from gymkernel_tool_check.records import Report

__all__ = ["render"]

STYLE: Final = """
:root { color-scheme: light dark; --error: #c62828; --warning: #b26a00; --info: #1565c0; --fine: #2e7d32; --dim: #777 }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid #8884; padding-top: 1rem }
code, pre { font: 13px/1.45 ui-monospace, monospace } .dim { color: var(--dim) }
pre { background: #8881; padding: .6rem .8rem; overflow-x: auto; border-radius: 4px }
article { border-left: 4px solid var(--info); padding: .2rem 0 .2rem 1rem; margin: 1.2rem 0 }
article.error { border-color: var(--error) } article.warning { border-color: var(--warning) }
.error > b, td.error { color: var(--error) } .warning > b, td.warning { color: var(--warning) }
.passed { color: var(--fine) } .scroll { overflow-x: auto }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .4rem 0 }
dt { color: var(--dim) } dd { margin: 0; overflow-wrap: anywhere }
table { border-collapse: collapse } th, td { padding: .15rem .45rem; text-align: left }
thead th { writing-mode: vertical-rl; font-weight: normal; font-size: 12px } tbody tr:hover { background: #8882 }
td { text-align: center }
"""


def render(results: Results) -> str:
    """Return the results as an HTML page."""
    return "\n".join(_document(results))


def _document(results: Results) -> Iterator[str]:
    when = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>gymkernel check</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>gymkernel check</h1>"
    versions = results.versions
    yield f'<p class="dim">{when}, gymkernel {versions["kernel"]}, Python {versions["python"]}</p>'
    if len(results.reports) > 1:
        yield from _table(results)
    for number, report in enumerate(results.reports):
        yield from _target(number, report, results)
    yield "</body>\n</html>"


def _table(results: Results) -> Iterator[str]:
    codes = columns(results)
    yield '<div class="scroll"><table>\n<thead><tr><td></td>'
    for code in codes:
        title = next((report.rules[code]["title"] for report in results.reports if code in report.rules), "")
        yield f'<th title="{escape(title)}">{escape(code)}</th>'
    yield "</tr></thead>\n<tbody>"
    for number, report in enumerate(results.reports):
        cells = [cell_of(report, code) for code in codes]
        row = "".join(f'<td class="{cell}" title="{cell}">{CELLS[cell][0]}</td>' for cell in cells)
        yield f'<tr><th><a href="#t{number}">{escape(report.target)}</a></th>{row}</tr>'
    signs = ", ".join(f"{sign} {cell}" for cell, (sign, _, _) in CELLS.items() if cell != "absent")
    yield f'</tbody></table></div>\n<p class="dim">{signs}</p>'


def _target(number: int, report: Report, results: Results) -> Iterator[str]:
    yield f'<section id="t{number}">\n<h2>{escape(report.target)}</h2>'
    shown = results.shown(report)
    if report.failure:
        yield f'<p class="error"><b>{escape(report.failure)}</b></p></section>'
        return
    counted = f"{plural(len(report.passed), 'rule')} passed, {len(report.skipped)} skipped"
    word = ", ".join(sorted({finding.code for finding in shown})) or ("" if report.undecided else "sound")
    if report.undecided:
        counted += f"; not decided: {report.undecided}"
    colour = "passed" if word == "sound" else ""
    yield f'<p><b class="{colour}">{word or "not decided"}</b> <span class="dim">{counted}</span></p>'
    words = {name: report.found.get(name) for name in ("class", "file", "observation_space", "action_space")}
    if distribution := report.found.get("distribution"):
        words["distribution"] = f"{distribution} {report.found.get('version', '')}"
    yield from _words({name.replace("_", " "): str(text) for name, text in words.items() if text})
    for finding in shown:
        yield from _finding(finding, report)
    if report.expected:
        yield "<h3>Expected</h3>"
        yield from _words({code: reason for code, (reason, _) in report.expected.items()})
    if report.skipped:
        yield "<details><summary>Skipped</summary>"
        yield from _words(report.skipped)
        yield "</details>"
    yield "</section>"


def _finding(finding: Finding, report: Report) -> Iterator[str]:
    rule = report.rules.get(finding.code, {})
    yield f'<article class="{finding.severity}"><b>{finding.code} {finding.severity}</b> {escape(finding.message)}'
    where = f"{relative(finding.file)}:{finding.line}" if finding.file else ""
    words = {"rule": rule.get("title", ""), "why": rule.get("why", ""), "fix": rule.get("fix", ""), "where": where}
    yield from _words({name: text for name, text in words.items() if text})
    if finding.reproducer:
        yield f"<pre>{escape(finding.reproducer)}</pre>"
    yield "</article>"


def _words(words: dict[str, str]) -> Iterator[str]:
    yield "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in words.items()) + "</dl>"
