"""Read the table of gymkernel's built-in rules, from which reports and the documentation are generated.

Each row of `table.csv` names a function in a module of this package. The docstring of the function says what the
function checks, why the rule matters and how to fix its findings. `gymkernel_tool_check.rules.built_in` creates a
`Rule` from the row and the function.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path
from typing import NamedTuple

__all__ = ["RuleRow", "table"]


class RuleRow(NamedTuple):
    """A table row, which describes one rule.

    Attributes:
        code: the code that selects the rule; a code never changes its meaning.
        title: a statement that holds for a correct target.
        status: "stable", or "preview" if the rule uses a threshold that a release may still change.
        severity: the default severity of the findings: "error", "warning" or "info".
        kind: the kind of target: "any" means every kind, and "plugins" means everything that an entry point provides.
        heading: the heading under which reports and the documentation list the rule.
        module: the module of this package that contains the function.
        function: the function that checks the target; it is called with the subject and the result of the probe.
        probe: the module and the name of the probe that runs first; empty if the rule needs no probe.
        profile: the fastest profile that includes the rule; empty if the probe determines the profile.
        compat: the library whose limitation the rule describes; such a rule runs only on request.
        values: the function in `gymkernel_tool_check.rules.values` that yields the values to check, if the rule's
            function is a predicate on a single value; otherwise empty.
        message: the message about a value for which such a predicate returns False; otherwise empty.
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
    """Return all rows, sorted by code.

    >>> table()[0].title
    'the environment can be created'
    """
    with Path(__file__).with_name("table.csv").open(encoding="utf-8", newline="") as file:
        return tuple(RuleRow(**row) for row in csv.DictReader(file))
