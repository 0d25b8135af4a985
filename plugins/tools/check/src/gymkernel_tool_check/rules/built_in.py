"""Functions that create a `Rule` from each row of the rule table and the docstring of the row's function."""

from __future__ import annotations

import functools
import inspect
import re
from importlib import import_module
from typing import Any, Final, NamedTuple

from gymkernel_tool_check.definition import Rule
from gymkernel_tool_check.rules.table import RuleRow, table

__all__ = ["built_in"]

PACKAGE: Final = "gymkernel_tool_check"
TEXT: Final = re.compile(r"(?P<looks_at>.*)\n\nWhy: (?P<why>.*)\nFix: (?P<fix>.*)", re.DOTALL)


class Text(NamedTuple):
    """The three parts of the docstring of a rule function."""

    looks_at: str
    why: str
    fix: str


def text_of(function: Any) -> Text:
    """Split the docstring of a rule function into its parts. They are empty if Python removed docstrings (-OO).

    Each part is joined into a single line.

    >>> def check(subject, seen):
    ...     '''Check the signature.
    ...
    ...     Why: Callers pass
    ...         a seed.
    ...     Fix: Accept a seed.
    ...     '''
    >>> text_of(check)
    Text(looks_at='Check the signature.', why='Callers pass a seed.', fix='Accept a seed.')
    """
    match = TEXT.fullmatch(inspect.getdoc(function) or "")
    if match is None:
        return Text("", "", "")
    why, fix = (" ".join(match[part].split()) for part in ("why", "fix"))
    return Text(match["looks_at"], why, fix)


def built_in(kind: str | None = None) -> list[Rule]:
    """Return the built-in rules for a kind of target. Modules with rules for other kinds are not imported.

    Args:
        kind: the kind of target, or None to return all rules.
    """
    return [_rule(row) for row in table() if kind is None or row.kind in {kind, "any", "plugins"}]


@functools.cache
def _rule(row: RuleRow) -> Rule:
    check = _import(f"rules.{row.module}.{row.function}")
    text = text_of(check)
    if row.message:
        check = _import("rules.values.judge")(check, row.message, _import(f"rules.values.{row.values}"))
    checks_spaces = hasattr(check, "probe")
    probe = check.probe if checks_spaces else _import(row.probe) if row.probe else None
    is_quick = getattr(probe, "quick", False)
    made = Rule(
        row.code,
        row.title,
        text.why,
        text.fix,
        _return_faults if checks_spaces else check,
        probe,
        row.severity,
        row.kind,
        row.heading,
        text.looks_at,
        row.profile or ("fast" if is_quick else "default"),
        row.compat,
        row.status,
    )
    if checks_spaces:
        check.rule = made
    return made


def _return_faults(subject: Any, faults: Any) -> Any:
    """Return the faults unchanged. The probe for a rule about spaces has already applied the rule."""
    return faults


def _import(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"{PACKAGE}.{module}"), name)
