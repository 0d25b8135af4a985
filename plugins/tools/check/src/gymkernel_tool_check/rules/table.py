"""Every rule of gymkernel: the rows of `table.csv`, from which reports, documentation and the README take their rules.

A row names a function in a module of this package. The docstring of the function says what the function looks at, why
that matters and how to fix what it finds; `gymkernel_tool_check.rules.built_in` makes a `Rule` of both.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path
from typing import NamedTuple

__all__ = ["RuleRow", "table"]


class RuleRow(NamedTuple):
    """One rule.

    Attributes:
        code: by which the rule is selected; a code keeps its meaning.
        title: the rule as a statement that is true of a sound target.
        status: "stable"; or "preview" if the rule judges by a threshold that a release may still change.
        severity: of its findings, if a finding does not say otherwise: "error", "warning" or "info".
        kind: the kind of target; "any", or "plugins" for everything that an entry point provides.
        heading: under which reports and the documentation show the rule.
        module: below `rules`, with the function that checks.
        function: called with the subject and the result of the probe.
        probe: what is done with the target first, as module and name; empty for nothing.
        profile: the quickest profile that runs the rule; empty if the probe decides.
        compat: the library whose limit the rule states; then the rule runs only if it is asked for.
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


@functools.cache
def table() -> tuple[RuleRow, ...]:
    """Return every row, in the order of the codes.

    >>> table()[0].title
    'the environment can be made'
    """
    with Path(__file__).with_name("table.csv").open(encoding="utf-8", newline="") as file:
        return tuple(RuleRow(**row) for row in csv.DictReader(file))
