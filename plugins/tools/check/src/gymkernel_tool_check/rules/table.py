"""The table of the built-in rules, from which the rules, the reports and the documentation are generated.

Each row of `table.csv` names a function in a module of this package. The docstring of the function describes what it
checks, why the rule matters and how to fix a violation. `gymkernel_tool_check.rules.built_in` creates a `Rule` from the
row and the function.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path
from typing import NamedTuple

__all__ = ["RuleRow", "table"]


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
        values: the function in `gymkernel_tool_check.rules.values` that applies the rule's function to values, if the
            rule's function checks a single value, otherwise "".
        message: the message about a value for which the rule's function returns False, otherwise "".
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
