"""The `Display` class, which shows the progress and the report of a measurement on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gymkernel.cli.terminal import Terminal, plural
from gymkernel_util_tools.progress import ProgressBar, bar
from gymkernel_util_tools.quantities import duration, number, ratio, size

if TYPE_CHECKING:
    from gymkernel_tool_bench.records import Alone, Case, Progress, Recommendation, Report

__all__ = ["Display"]

HEAD: Final = ("envs", "backend", "steps/s", "alone", "ideal", "memory", "made in")
LINES: Final = 3
"""The maximum number of lines to show of each error. The JSON report contains all lines."""
NEWLINE: Final = "\n"
LEFT: Final = (False, True, False, False, False, False, False)
"""For each column of the table, whether it is left-aligned."""
INDENT: Final = 16
BUSY: Final = 0.1
"""The fraction of the cores that other programs must use before the report contains a warning."""


class Display:
    """A display that shows the progress of a measurement, and then the report.

    Args:
        terminal: the terminal on which the report is shown.
        bar: the progress bar; None for a bar on standard error.
    """

    def __init__(self, terminal: Terminal, bar: ProgressBar | None = None) -> None:
        self.terminal, self.bar = terminal, ProgressBar() if bar is None else bar
        self._alone_shown = False

    def progress(self, progress: Progress) -> None:
        """Show progress, and show the measurement of the single environment as soon as it is finished.

        Args:
            progress: the progress of the measurement.
        """
        if not self._alone_shown and (progress.report.alone is not None or progress.report.problem):
            self.bar.erase()
            self._show_head(progress.report)
        speeds = [case.steps_per_second or 0.0 for case in progress.report.measured]
        best = f"  best {number(max(speeds))} steps/s" if speeds else ""
        self.bar.total = progress.total
        self.bar.update(progress.done, f"{progress.now}{best}")

    def show(self, report: Report) -> None:
        """Show the parts of the report that `progress` has not shown yet.

        Args:
            report: the report to show.
        """
        write = self.terminal.write
        if not self._alone_shown:
            self._show_head(report)
        if report.cases:
            self._show_table(report)
        elif not report.interrupted:
            self._paragraph("No vector backend is installed; run: pip install gymkernel[vector]")
            write("")
        self._show_problems(report)
        took = f"{report.seconds:.1f} s"
        if report.interrupted:
            write(self.terminal.paint(f"Interrupted after {took}; the results are incomplete.", "yellow"), "")
        if report.recommendation is not None:
            self._show_recommendation(report.recommendation)
        elif report.alone is not None and report.measured and not report.interrupted:
            speed = f"{number(report.alone.steps_per_second)} steps/s"
            text = f"No backend was faster than a plain loop over one environment ({speed}), so none is recommended."
            self._paragraph(text, bold=True)
            write("")
        write(self.terminal.paint(f"Measured in {took}.", dim=True))

    def _show_head(self, report: Report) -> None:
        self._alone_shown = True
        machine = report.machine
        description = (
            f"{plural(machine.cores, 'core')}, {machine.platform}, Python {machine.python}, gymkernel {machine.kernel}"
        )
        self.terminal.write(self.terminal.paint(report.target, bold=True))
        self._row("machine", description)
        if report.alone is not None:
            self._show_alone(report.alone)
        else:
            self._row("alone", f"failed: {report.problem.partition(NEWLINE)[0]}" if report.problem else "not measured")
        self.terminal.write("")

    def _show_alone(self, alone: Alone) -> None:
        self._row("alone", f"{number(alone.steps_per_second)} steps/s in a plain loop")
        self._row("step", f"{duration(alone.step_median)} (median), 95 % below {duration(alone.step_p95)}")
        self._row("reset", duration(alone.reset_median))
        memory = "" if alone.memory_bytes is None else f"; memory {size(alone.memory_bytes)}"
        self._row("construction", f"{duration(alone.construct)} (the first: {duration(alone.construct_first)}){memory}")
        share = f"{alone.cpu_share:.0%} of the wall time"
        if alone.waits:
            meaning = "steps wait, so more workers than cores help"
        elif alone.share > 1:
            meaning = "steps use several threads, so workers gain little"
        else:
            meaning = "steps compute, so more workers than cores do not help"
        self._row("CPU time", f"{share}: {meaning}")

    def _row(self, label: str, text: str) -> None:
        self.terminal.write(*self.terminal.wrap(f"  {label}", text, INDENT))

    def _paragraph(self, text: str, colour: str | None = None, *, bold: bool = False) -> None:
        for line in self.terminal.wrap("", text, 0):
            self.terminal.write(self.terminal.paint(line, colour, bold=bold))

    def _show_table(self, report: Report) -> None:
        terminal = self.terminal
        rows = [(case, self._cells(case)) for case in report.cases]
        widths = [max(len(cells[i]) for cells in [list(HEAD), *(c for _, c in rows if len(c) > i)]) for i in range(7)]
        space = terminal.width - 2 - sum(widths) - 2 * len(widths)
        fastest = max((case.steps_per_second or 0.0 for case in report.measured), default=0.0)
        terminal.write(terminal.paint("  " + _aligned(HEAD, widths), dim=True))
        previous = None
        for case, cells in rows:
            if previous not in {None, case.num_envs}:
                terminal.write("")
            previous = case.num_envs
            self._show_case(case, cells, widths, space, fastest, report)
        terminal.write("")
        cores = plural(report.machine.cores, "core")
        legend = f"alone: relative to the plain loop; ideal: relative to {cores} that only step"
        terminal.write(terminal.paint(f"  {legend}", dim=True), "")

    def _show_case(
        self, case: Case, cells: list[str], widths: list[int], space: int, fastest: float, report: Report
    ) -> None:
        terminal, chosen = self.terminal, report.recommendation
        setting = (case.backend, case.num_envs, case.workers)
        recommended = chosen is not None and setting == (chosen.backend, chosen.num_envs, chosen.workers)
        mark = f"{terminal.sign('▸', '>')} " if recommended else "  "
        if case.state != "measured":
            text = f"{mark}{_aligned(cells, widths)}  {_first_line(case, report)}"
            terminal.write(terminal.paint(text[: terminal.width], "red" if case.state == "failed" else None, dim=True))
            return
        part = (case.steps_per_second or 0.0) / fastest if fastest else 0.0
        filled_bar = bar(part, max(space, 4), fancy=terminal.unicode)
        line = mark + _aligned(cells, widths)
        colour = "green" if recommended else None
        terminal.write(
            f"{terminal.paint(line, colour, bold=recommended)}  {terminal.paint(filled_bar, colour or 'blue')}"
        )

    @staticmethod
    def _cells(case: Case) -> list[str]:
        workers = "" if case.workers is None else f", {plural(case.workers, 'worker')}"
        cells = [str(case.num_envs), f"{case.backend}{workers}"]
        if case.state != "measured" or case.steps_per_second is None:
            return cells
        cells.append(number(case.steps_per_second))
        cells.append("-" if case.ratio_to_alone is None else f"{ratio(case.ratio_to_alone)}x")
        cells.append("-" if case.ratio_to_ideal is None else f"{case.ratio_to_ideal:.0%}")
        cells.append("-" if case.memory_bytes is None else size(case.memory_bytes))
        cells.append("-" if case.construct_seconds is None else duration(case.construct_seconds))
        return cells

    def _show_problems(self, report: Report) -> None:
        """Show the first lines of each distinct error, and then the warnings."""
        problems: dict[str, list[str]] = {report.problem: ["the environment alone"]} if report.problem else {}
        for case in report.cases:
            if case.problem and case.state != "skipped":
                problems.setdefault(case.problem, []).append(case.label)
        for problem, labels in problems.items():
            others = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
            self.terminal.write(self.terminal.paint(f"{labels[0]}{others}:", "red"))
            for line in problem.splitlines()[:LINES]:
                self.terminal.write(*(f"  {part}" for part in self.terminal.wrap("", line.strip(), 0)[:LINES]))
        for warning in report.warnings:
            for line in self.terminal.wrap("warning: ", warning.partition(NEWLINE)[0], 0)[:3]:
                self.terminal.write(self.terminal.paint(line, "yellow"))
        busy = report.busy or 0.0
        if busy > BUSY:
            text = f"Other programs used {busy:.0%} of the cores, so the speeds are too low, especially with workers."
            self._paragraph(text, "yellow")
        if problems or report.warnings or busy > BUSY:
            self.terminal.write("")

    def _show_recommendation(self, recommendation: Recommendation, *, bold: bool = True) -> None:
        self._paragraph(recommendation.sentence, bold=bold)
        self.terminal.write("")
        for line in recommendation.code.splitlines():
            self.terminal.write(f"    {self.terminal.paint(line, 'cyan')}" if line else "")
        self.terminal.write("")
        if recommendation.otherwise is not None:
            self._show_recommendation(recommendation.otherwise, bold=False)


def _aligned(cells: list[str] | tuple[str, ...], widths: list[int]) -> str:
    aligned = zip(cells, widths, LEFT, strict=False)
    return "  ".join(cell.ljust(width) if left else cell.rjust(width) for cell, width, left in aligned)


def _first_line(case: Case, report: Report) -> str:
    """Return the reason why a case was not measured, in one line."""
    if case.state == "waiting":
        return "not reached" if report.interrupted else ""
    reason = case.problem.partition(NEWLINE)[0]
    return f"skipped: {reason}" if case.state == "skipped" else f"failed: {reason}"
