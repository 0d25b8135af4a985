"""The function `show`, which writes the report on a program's environments to standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gymkernel.cli.terminal import Terminal, plural, table
from gymkernel_tool_run.report.measuring import Comparison, NotMeasured, compare
from gymkernel_util_tools.quantities import duration, number, ratio

if TYPE_CHECKING:
    from gymkernel_tool_run.backends import Replacement
    from gymkernel_tool_run.passive_check import Findings
    from gymkernel_tool_run.report.collecting import Collector, Use

__all__ = ["show", "show_findings"]

MAX_ROWS: Final = 8
MAX_FINDINGS: Final = 8
MAX_SETTINGS: Final = 3
MEASURED: Final = 2
"""The maximum number of environment ids or classes that are measured after the program has ended."""
MIN_SHARE: Final = 0.05
"""The minimum share of the time that an environment's steps must take for the environment to be measured."""
BUSY: Final = 0.1
"""The fraction of the cores that other programs must use before the report mentions them."""


def show(collector: Collector, findings: Findings, replacement: Replacement | None, *, measures: bool) -> None:
    """Write the report.

    Args:
        collector: the measured times.
        findings: the findings of the passive checks.
        replacement: the replacement for `SyncVectorEnv`; None if `--backend` is not given.
        measures: whether to measure if other settings would be faster.
    """
    screen = _Screen(Terminal(sys.stderr))
    # These errors occur if standard error is closed, for example.
    with contextlib.suppress(OSError, ValueError, KeyboardInterrupt):
        screen.times(collector)
        screen.vectors(collector.uses(), replacement)
        screen.findings(findings)
        if measures:
            screen.faster(collector)
        else:
            screen.note("What would be faster was not measured, because the program failed.")


def show_findings(findings: Findings) -> None:
    """Write only the findings of the passive checks."""
    with contextlib.suppress(OSError, ValueError):
        _Screen(Terminal(sys.stderr)).findings(findings)


class _Screen:
    """A report that is written to a terminal part by part.

    Args:
        terminal: the terminal.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def _head(self, text: str) -> None:
        self._terminal.write("", self._terminal.paint(text, bold=True))

    def note(self, text: str) -> None:
        """Write a paragraph to the terminal."""
        self._terminal.write("", text)

    def times(self, collector: Collector) -> None:
        """Write what share of the time was spent in environments, and how long the calls of each method took."""
        uses, wall = collector.uses(), max(collector.wall, 1e-9)
        if not uses:
            self._head("The program called no environment in this process.")
            return
        total = sum(use.seconds for use in uses)
        self._head(f"Environments took {total / wall:.0%} of the time: {duration(total)} of {duration(wall)}.")
        calls = [(use, call, *tally) for use in uses for call, tally in use.tallies.items()]
        calls.sort(key=lambda row: -row[3])
        rows = [("environment", "call", "calls", "time", "share", "per call")]
        for use, call, count, seconds in calls[:MAX_ROWS]:
            each = duration(seconds / max(count, 1))
            rows.append((_name(use), call, f"{count:,}", duration(seconds), f"{seconds / wall:.1%}", each))
        self._terminal.write(*table(rows))
        if rest := calls[MAX_ROWS:]:
            self._terminal.write(f"  and {plural(len(rest), 'row')} with {duration(sum(row[3] for row in rest))}")

    def vectors(self, uses: Sequence[Use], replacement: Replacement | None) -> None:
        """Write which vector environments the program used."""
        lines = [_vector_line(use) for use in uses if use.num_envs]
        if replacement is not None and replacement.replaced:
            count = plural(replacement.replaced, "SyncVectorEnv")
            lines.append(f"{replacement.backend} replaced {count} (--backend)")
        if replacement is not None:
            lines += [f"SyncVectorEnv was kept, because {reason}" for reason in dict.fromkeys(replacement.kept)]
        if lines:
            self._head("Vector environments")
            self._terminal.write(*(f"  {line}" for line in lines[:MAX_ROWS]))

    def faster(self, collector: Collector) -> None:
        """Measure which other settings would be faster, and write the results."""
        least = MIN_SHARE * collector.wall
        steps = [(use, use.tallies["step"][1]) for use in collector.uses() if "step" in use.tallies]
        candidates = [use for use, seconds in steps if use.spec is not None and seconds >= least]
        if steps and not candidates:
            self.note(
                f"No other setting was measured, because no environment's steps took {MIN_SHARE:.0%} of the time."
            )
        for use in candidates[:MEASURED]:
            self._terminal.write_live(f"Measuring {use.name} ...")
            try:
                self._comparison(compare(use), collector.wall)
            except NotMeasured as exc:
                self._head(f"What would be faster for {use.name} was not measured:")
                self._terminal.write(*self._terminal.wrap("  ", str(exc), 2))

    def _comparison(self, comparison: Comparison, wall: float) -> None:
        use, used = comparison.use, comparison.used
        took = f"measured in {duration(comparison.seconds)}"
        if not comparison.complete:
            took += ", incomplete because the environment is slow"
        if comparison.busy > BUSY:
            took += f" while other programs used {comparison.busy:.0%} of the cores"
        envs = f"{plural(comparison.num_envs, 'environment')} of {use.name}"
        self._head(f"What would be faster for {envs}, {took}")
        rows = [(f"{used.label} (used)", f"{number(used.speed)} steps/s", "")]
        rows += [
            (other.label, f"{number(other.speed)} steps/s", f"{ratio(other.ratio)} times as fast")
            for other in comparison.others[:MAX_SETTINGS]
        ]
        self._terminal.write(*table(rows))
        for backend, problem in comparison.failures.items():
            self._terminal.write(f"  {backend} failed: {problem}")
        best = next((other for other in comparison.others if other.is_faster), None)
        if best is None:
            if comparison.others:
                self._terminal.write("  No other setting was clearly faster in every round.")
            return
        step = use.tallies["step"][1]
        left = max(wall - step * (1 - 1 / best.ratio), 0.0)
        self._terminal.write(
            f"  With {best.label}, the program would take about {duration(left)} instead of {duration(wall)}."
        )
        self._terminal.write(f"  gymkernel bench {use.name} shows the code.")

    def findings(self, findings: Findings) -> None:
        """Write each finding of the passive checks once."""
        found = list(findings)
        if not found:
            self._head("The passive checks found nothing.")
            return
        self._head("The passive checks found")
        for finding in found[:MAX_FINDINGS]:
            times = "" if finding.count == 1 else f" ({finding.count} times)"
            text = f"{finding.env}: {finding.message}{times}"
            self._terminal.write(*self._terminal.wrap(f"  {finding.code}", text, 9))
        if rest := found[MAX_FINDINGS:]:
            self._terminal.write(f"  and {plural(len(rest), 'finding')} more")
        self._terminal.write(f"  gymkernel check --explain {found[0].code} explains the first one.")


def _name(use: Use) -> str:
    return f"{use.name}, {use.num_envs} in {use.backend}" if use.num_envs else use.name


def _vector_line(use: Use) -> str:
    workers = "" if use.workers is None else f" with {plural(use.workers, 'worker')}"
    times = "" if use.instances == 1 else f", {use.instances} times"
    if use.mode:
        what = use.backend if use.mode == "vector_entry_point" else f"{use.backend}{workers}"
        return f"make_vec used {use.mode} ({what}) for {plural(use.num_envs, 'environment')} of {use.name}{times}"
    return f"{use.backend}{workers} stepped {plural(use.num_envs, 'environment')} of {use.name}{times}"
