"""The output of `gymkernel check --list-rules` and `gymkernel check --explain`."""

from __future__ import annotations

import difflib
import inspect
import json
from typing import Final

import click

from gymkernel.cli.terminal import Terminal, echo
from gymkernel_tool_check.catalogue import rules
from gymkernel_tool_check.definition import Rule

__all__ = ["show"]

PROFILES: Final = {
    "fast": "in every profile",
    "default": "by default and with --thorough, not with --fast",
    "thorough": "with --thorough",
}


def show(report_format: str, code: str | None) -> None:
    """Print the explanation of a rule, or a list of all rules if `code` is None."""
    everything = {rule.code: rule for rule in rules()}
    if code is not None and code.upper() not in everything:
        near = difflib.get_close_matches(code.upper(), everything, n=3)
        hint = f"did you mean {', '.join(near)}?" if near else "gymkernel check --list-rules lists all rules"
        raise click.UsageError(f"there is no rule {code}; {hint}")
    wanted = list(everything.values()) if code is None else [everything[code.upper()]]
    if report_format == "json":
        echo(json.dumps({"schema": "gymkernel.rules/1", "rules": [rule.describe() for rule in wanted]}, indent=2))
        return
    terminal = Terminal()
    if code is None:
        _show_all(terminal, wanted)
        return
    rule = wanted[0]
    terminal.write(f"{terminal.paint(rule.code, bold=True)}  {rule.title}  ({rule.severity}, {rule.heading})")
    looks = (inspect.cleandoc(rule.doc) or inspect.getdoc(rule.function) or "").partition("\n\n")[0].replace("\n", " ")
    when = f"with --compat {rule.compat}" if rule.compat else PROFILES[rule.profile]
    page = f"reference/rules/{rule.code.lower()}.html of the documentation" if rule.code.startswith("GK") else ""
    labelled = {"why": rule.why, "fix": rule.fix, "check": looks, "runs": when, "example": page}
    for label, text in labelled.items():
        if not text:
            continue
        terminal.write("", *terminal.wrap(f"  {label}", text, 12))


def _show_all(terminal: Terminal, found: list[Rule]) -> None:
    """Print a line for each rule, grouped by family."""
    family = ""
    width = max((len(rule.code) for rule in found), default=0)
    for rule in found:
        if rule.heading != family:
            family = rule.heading
            terminal.write("", terminal.paint(family, bold=True))
        terminal.write(f"  {rule.code.ljust(width)}  {rule.severity.ljust(7)}  {rule.title}")
    hint = "gymkernel check --explain CODE explains why a rule exists and how to fix its findings"
    terminal.write("", terminal.paint(hint, dim=True))
