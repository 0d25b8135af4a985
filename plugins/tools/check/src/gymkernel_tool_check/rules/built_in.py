"""The rules of the table as `Rule`: the row, the function that it names, and the docstring of that function."""

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
    """What the docstring of a rule's function says."""

    looks_at: str
    why: str
    fix: str


def text_of(function: Any) -> Text:
    """Return the parts of a docstring, with why and fix in one line each; empty if Python removed docstrings (-OO).

    >>> def check(subject, seen):
    ...     '''Look at the signature.
    ...
    ...     Why: Callers pass
    ...         a seed.
    ...     Fix: Take one.
    ...     '''
    >>> text_of(check)
    Text(looks_at='Look at the signature.', why='Callers pass a seed.', fix='Take one.')
    """
    found = TEXT.fullmatch(inspect.getdoc(function) or "")
    return (
        Text("", "", "") if found is None else Text(found[1], *(" ".join(part.split()) for part in found.groups()[1:]))
    )


def built_in(kind: str | None = None) -> list[Rule]:
    """Return the rules of the table for targets of a kind; the modules of other kinds are not imported.

    Args:
        kind: of target; None for every rule.
    """
    return [_rule(row) for row in table() if kind is None or row.kind in {kind, "any", "plugins"}]


@functools.cache
def _rule(row: RuleRow) -> Rule:
    check = _named(f"rules.{row.module}.{row.function}")
    text = text_of(check)
    is_of_space = hasattr(check, "probe")
    probe = check.probe if is_of_space else _named(row.probe) if row.probe else None
    is_quick = getattr(probe, "quick", False)
    made = Rule(
        row.code,
        row.title,
        text.why,
        text.fix,
        _pass_on if is_of_space else check,
        probe,
        row.severity,
        row.kind,
        row.heading,
        text.looks_at,
        row.profile or ("fast" if is_quick else "default"),
        row.compat,
        row.status,
    )
    if is_of_space:
        check.rule = made
    return made


def _pass_on(subject: Any, faults: Any) -> Any:
    """Return what the probe of a rule about spaces found: the probe itself holds the space to the rule."""
    return faults


def _named(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"{PACKAGE}.{module}"), name)
