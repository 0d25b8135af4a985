"""The table of the built-in rules, from which the rules, the reports and the documentation are generated.

Each row of `table.csv` names a function in a module of this package. The docstring of the function describes what it
checks, why the rule matters and how to fix a violation. `built_in` creates a `Rule` from each row and its function.
"""

from __future__ import annotations

import csv
import functools
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from gymkernel_tool_check.definition import Rule

__all__ = ["RuleRow", "built_in", "table"]

TEXT: Final = re.compile(r"(.*)\n\nWhy: (.*)\nFix: (.*)", re.DOTALL)
"""The three parts of the docstring of a rule function: what the function looks at, the reason and the remedy."""
NO_TEXT: Final = "\n\nWhy: \nFix: "
"""The docstring of a rule function if Python removed docstrings (-OO)."""


class RuleRow(NamedTuple):
    """A row of the rule table.

    Attributes:
        code: the code of the rule. The meaning of a code never changes.
        title: a statement that is true for a correct target.
        status: "stable", or "preview" if the rule uses a threshold that a release may still change.
        severity: the default severity of the findings: "error", "warning" or "info".
        kind: the kind of target that the rule checks. "any" means every kind, and "plugins" means everything that an
            entry point provides.
        heading: the heading under which reports and the documentation list the rule.
        module: the module of this package that contains the function.
        function: the name of the function that checks the target. It is called with the subject and the result of the
            probe.
        probe: the module and the name of the probe that runs first, or "" if the rule needs no probe.
        profile: the fastest profile that includes the rule, or "" if the probe determines the profile.
        compat: the library whose limitation the rule is about, or "". Such a rule runs only on request.
        values: the function in `gymkernel_tool_check.rules.values` that finds and describes defects, if the rule's
            function only checks a single value, or only documents the rule, otherwise "".
        message: the message about each defect that the function `values` describes, otherwise "".
    """

    code: str
    title: str
    status: str
    severity: str
    kind: str
    heading: str
    module: str
    function: str
    probe: str
    profile: str
    compat: str
    values: str
    message: str


@functools.cache
def table() -> tuple[RuleRow, ...]:
    """Return all rows of the table, sorted by code.

    >>> table()[0].title
    'the environment can be created'
    """
    with Path(__file__).with_name("table.csv").open(encoding="utf-8", newline="") as file:
        return tuple(RuleRow(**row) for row in csv.DictReader(file))


def built_in(kind: str | None = None) -> list[Rule]:
    """Return the built-in rules for a kind of target. Modules with rules for other kinds are not imported.

    Args:
        kind: the kind of target, or None to return all rules.
    """
    return [_rule(row) for row in table() if kind is None or row.kind in {kind, "any", "plugins"}]


@functools.cache
def _rule(row: RuleRow) -> Rule:
    check = _import(f"rules.{row.module}.{row.function}")
    looks_at, *others = TEXT.findall(inspect.getdoc(check) or NO_TEXT)[0]
    why, fix = (" ".join(part.split()) for part in others)
    if row.message:
        criterion = check if inspect.signature(check).parameters else row.code
        check = _import("rules.values.judge")(check, criterion, row.message, _import(f"rules.values.{row.values}"))
    probe = _import(row.probe) if row.probe else None
    profile = row.profile or ("fast" if getattr(probe, "quick", False) else "default")
    columns = {name: getattr(row, name) for name in ("code", "title", "severity", "kind", "compat", "status")}
    check = getattr(check, "for_all_spaces", check)
    return Rule(
        **columns, why=why, fix=fix, function=check, probe=probe, family=row.heading, doc=looks_at, profile=profile
    )


def _import(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"gymkernel_tool_check.{module}"), name)
