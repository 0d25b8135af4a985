"""The terminal display for several targets: a progress bar, a line per finished target, and a summary table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from gymkernel.cli.terminal import Terminal
from gymkernel_tool_check.cli.results import Results
from gymkernel_tool_check.findings import SEVERITIES
from gymkernel_tool_check.records import Report

__all__ = ["CELLS", "Overview", "cell_of", "columns", "show_matrix", "show_summary"]

CELLS: Final[dict[str, tuple[str, str, str | None]]] = {
    "passed": ("·", ".", None),
    "error": ("✗", "x", "red"),
    "warning": ("!", "!", "yellow"),
    "info": ("i", "i", "blue"),
    "expected": ("e", "e", None),
    "skipped": ("-", "-", None),
    "absent": (" ", " ", None),
}
"""The (symbol, ASCII symbol, colour) with which the table shows each outcome of a rule."""

BAR: Final = 20


def cell_of(report: Report, code: str) -> str:
    """Return a rule's outcome for one target: a severity, "expected", "skipped", "passed" or "absent"."""
    if found := [finding.severity for finding in report.findings if finding.code == code]:
        return max(found, key=SEVERITIES.index)
    if code in report.expected:
        return "expected"
    if code in report.skipped:
        return "skipped"
    return "passed" if code in report.passed else "absent"


def columns(results: Results) -> list[str]:
    """Return the codes of all rules that a target breaks, including expected failures."""
    codes = {finding.code for report in results.reports for finding in results.shown(report)}
    return sorted(codes | {code for report in results.reports for code in report.expected})


class Overview:
    """A display for parallel checks that shows the overall progress and a line for each finished target.

    Args:
        terminal: the terminal on which to show the progress.
        names: the names of all targets.
        severity: the lowest severity of findings to show.
        quiet: whether to omit targets without findings.
    """

    def __init__(self, terminal: Terminal, names: Sequence[str], severity: str, *, quiet: bool = False) -> None:
        self.terminal, self.severity, self.quiet = terminal, severity, quiet
        self.count, self.width = len(names), max(map(len, names), default=0)
        self.done, self.start, self.running = 0, time.monotonic(), list[str]()

    def begin(self, name: str) -> None:
        """Show that a target is now being checked."""
        self.running.append(name)
        self._show()

    def _show(self) -> None:
        """Draw a progress bar with the number of finished targets, the time left and the targets being checked."""
        terminal, share = self.terminal, self.done / max(self.count, 1)
        full = int(BAR * share)
        bar = terminal.sign("█", "#") * full + terminal.sign("░", ".") * (BAR - full)
        left = (time.monotonic() - self.start) * (1 / share - 1) if share else 0.0
        eta = f", about {int(left) // 60}:{int(left) % 60:02} left" if self.done else ""
        text = f"  {bar}  {self.done} of {self.count}{eta}  {', '.join(self.running)}"
        terminal.write_live(terminal.paint(text[: terminal.width - 1], dim=True))

    def finish(self, report: Report) -> None:
        """Show the outcome of a finished target."""
        if report.at_least(self.severity) or report.failure or report.undecided or not self.quiet:
            show_line(self.terminal, report, self.severity, self.width)
        self.running.remove(report.target)
        self.done += 1
        self._show()


def show_line(terminal: Terminal, report: Report, severity: str, width: int) -> None:
    """Print a line with the outcome for one target.

    Args:
        terminal: the terminal to write to.
        report: the report on the target.
        severity: the lowest severity of findings to show.
        width: the length of the longest target name, for alignment.
    """
    if report.failure:
        mark, text = terminal.sign("✗", "x"), report.failure
        colour: str | None = "red"
    elif shown := report.at_least(severity):
        fancy, plain, colour = CELLS[max((finding.severity for finding in shown), key=SEVERITIES.index)]
        mark, text = terminal.sign(fancy, plain), ", ".join(sorted({finding.code for finding in shown}))
    elif report.undecided:
        mark, colour, text = "?", "yellow", f"not decided ({report.undecided})"
    elif report.passed:
        mark, colour, text = terminal.sign("✓", "+"), "green", "sound"
    else:
        mark, colour, text = "-", "yellow", "nothing could be checked"
    lines = terminal.wrap(f"    {report.target.ljust(width)}  ", text, width + 6)
    terminal.write(f"  {terminal.paint(mark, colour)} {lines[0][4:]}", *lines[1:])


def show_summary(terminal: Terminal, results: Results) -> None:
    """Print a line for each target, unless there is only one."""
    if len(results.reports) < 2:
        return
    terminal.write("", terminal.paint("summary", bold=True))
    for report in results.reports:
        show_line(terminal, report, results.threshold, max(len(other.target) for other in results.reports))


def show_matrix(terminal: Terminal, results: Results) -> None:
    """Print a table with a row for each target that has findings and a column for each rule."""
    codes = columns(results)
    rows = {report.target: report for report in results.reports if results.shown(report) or report.expected}
    if not rows:
        return
    width = max(map(len, rows)) + 4
    bar = terminal.sign("│", "|")
    terminal.erase()
    terminal.write("")
    titles = {code: rule["title"] for report in rows.values() for code, rule in report.rules.items()}
    for i, code in enumerate(codes):
        line = f"{' ' * width}{f'{bar} ' * i}{terminal.sign('┌', '+')} {code} {titles.get(code, '')}"
        terminal.write(line[: terminal.width])
    for name, report in rows.items():
        cells = [CELLS[cell_of(report, code)] for code in codes]
        signs = " ".join(terminal.paint(terminal.sign(fancy, plain), colour) for fancy, plain, colour in cells)
        terminal.write(f"  {name.ljust(width - 2)}{signs}")
    legend = "  ".join(f"{terminal.sign(*CELLS[cell][:2])} {cell}" for cell in CELLS if cell != "absent")
    terminal.write("", f"  {legend}")
