"""Many targets at a glance: a line for each as it is checked, then targets by rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gymkernel_tool_check.events import RuleBegan
from gymkernel_tool_check.findings import SEVERITIES

if TYPE_CHECKING:
    from gymkernel.cli.terminal import Terminal
    from gymkernel_tool_check.cli.results import Results
    from gymkernel_tool_check.events import Event
    from gymkernel_tool_check.records import Report
    from gymkernel_tool_check.targets import Target

__all__ = ["CELLS", "Brief", "cell_of", "columns", "show_matrix"]

CELLS: Final[dict[str, tuple[str, str, str | None]]] = {
    "passed": ("·", ".", None),
    "error": ("✗", "x", "red"),
    "warning": ("!", "!", "yellow"),
    "info": ("i", "i", "blue"),
    "expected": ("e", "e", None),
    "skipped": ("-", "-", None),
    "absent": (" ", " ", None),
}
"""What can come of a rule: a sign, its plain form, its colour."""


def cell_of(report: Report, code: str) -> str:
    """What came of a rule for one target."""
    if found := [one.severity for one in report.findings if one.code == code]:
        return max(found, key=SEVERITIES.index)
    if code in report.expected:
        return "expected"
    if code in report.skipped:
        return "skipped"
    return "passed" if code in report.passed else "absent"


def columns(results: Results) -> list[str]:
    """The codes of which anything can be told: those that are broken somewhere, or were expected to be."""
    codes = {one.code for report in results.reports for one in results.shown(report)}
    return sorted(codes | {code for report in results.reports for code in report.expected})


class Brief:
    """Shows one check on one terminal in a line.

    Args:
        terminal: where.
        target: what is checked.
        severity: findings below it are not shown.
        width: of the longest name.
    """

    def __init__(self, terminal: Terminal, target: Target, severity: str, width: int) -> None:
        self.terminal, self.target, self.severity, self.width = terminal, target, severity, width
        self._show("")

    def take(self, event: Event) -> None:
        """Show which rule runs."""
        if isinstance(event, RuleBegan):
            self._show(event.code)

    def _show(self, code: str) -> None:
        text = f"  {self.terminal.sign('…', '.')} {self.target.text.ljust(self.width)}  {code}"
        self.terminal.write_live(self.terminal.paint(text[: self.terminal.width - 1], dim=True))

    def finish(self, report: Report) -> None:
        """Show what came of it."""
        terminal = self.terminal
        shown = report.at_least(self.severity)
        worst = max((one.severity for one in shown), key=SEVERITIES.index, default="")
        if report.failure:
            mark, colour, text = terminal.sign("✗", "x"), "red", report.failure
        elif shown:
            mark, colour = terminal.sign(*CELLS[worst][:2]), str(CELLS[worst][2])
            text = ", ".join(sorted({one.code for one in shown}))
        elif report.passed:
            mark, colour, text = terminal.sign("✓", "+"), "green", "sound"
        else:
            mark, colour, text = "-", "yellow", "nothing could be checked"
        lines = terminal.wrap(f"    {report.target.ljust(self.width)}  ", text, self.width + 6)
        terminal.write(f"  {terminal.paint(mark, colour)} {lines[0][4:]}")
        for line in lines[1:]:
            terminal.write(line)


def show_matrix(terminal: Terminal, results: Results) -> None:
    """Write a row for each target with a finding, and a column for each rule, whose codes come down as stairs."""
    codes = columns(results)
    rows = {
        report.target: report for report in results.reports if any(cell_of(report, code) in CELLS for code in codes)
    }
    rows = {name: report for name, report in rows.items() if results.shown(report) or report.expected}
    if not rows:
        return
    width = max(map(len, rows)) + 4
    bar = terminal.sign("│", "|")
    terminal.write()
    titles = {code: rule["title"] for report in rows.values() for code, rule in report.rules.items()}
    for i, code in enumerate(codes):
        line = f"{' ' * width}{f'{bar} ' * i}{terminal.sign('┌', '+')} {code} {titles.get(code, '')}"
        terminal.write(line[: terminal.width])
    for name, report in rows.items():
        cells = [CELLS[cell_of(report, code)] for code in codes]
        signs = " ".join(terminal.paint(terminal.sign(fancy, plain), colour) for fancy, plain, colour in cells)
        terminal.write(f"  {name.ljust(width - 2)}{signs}")
    legend = "  ".join(f"{terminal.sign(*CELLS[cell][:2])} {cell}" for cell in CELLS if cell != "absent")
    terminal.write()
    terminal.write(f"  {legend}")
