"""Functions and classes that show a rollout's report in a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel_tool_rollout.records import QUANTILES, Report
from gymkernel_util_tools.progress import ProgressBar, bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.cli.terminal import Terminal
    from gymkernel_util_tools.episodes import Episodes

__all__ = ["Display", "bins", "chart", "histogram"]

UP: Final = " ▁▂▃▄▅▆▇█"
ROWS: Final = 10
"""The maximum number of rows in a histogram."""
HEIGHT: Final = 8
"""The default height of a chart, in lines."""
BAR: Final = 40
"""The width of a histogram's longest bar, in characters."""


def bins(values: NDArray[np.float64], most: int = ROWS) -> list[tuple[float, float]]:
    """Divide values into ranges with round bounds, and return the bounds.

    If there are only a few distinct values, each value gets its own range of width 0.

    Args:
        values: an array of finite numbers.
        most: the maximum number of ranges.

    >>> bins(np.array([3.0, 3.0, 5.0]))
    [(3.0, 3.0), (5.0, 5.0)]
    >>> bins(np.arange(100.0), 4)
    [(0.0, 50.0), (50.0, 100.0)]
    """
    different = np.unique(values)
    if len(different) <= min(most, 5):
        return [(float(value), float(value)) for value in different]
    low, high = float(different[0]), float(different[-1])
    size = 10.0 ** math.floor(math.log10((high - low) / most))
    for times in (1, 2, 5, 10, 20):
        width = size * times
        first, last = math.floor(low / width), math.floor(high / width) + 1
        if last - first <= most:
            break
    return [(round(i * width, 12), round((i + 1) * width, 12)) for i in range(first, last)]


def histogram(values: NDArray[np.float64], width: int, *, fancy: bool = True) -> list[str]:
    """Return the lines of a histogram, one per range of values. Infinite values and NaN are omitted.

    Args:
        values: an array of numbers.
        width: the width of the longest bar, in characters.
        fancy: whether the terminal can show Unicode block characters.

    >>> histogram(np.array([3.0, 3.0, 5.0]), 4)
    ['3  ████  2', '5  ██    1']
    """
    finite = values[np.isfinite(values)]
    if not finite.size:
        return []
    ranges = bins(finite)
    counts = [
        int(((finite >= low) & ((finite < high) if high > low else (finite <= high))).sum()) for low, high in ranges
    ]
    labels = [f"{low:g}" if low == high else f"{low:g} to {high:g}" for low, high in ranges]
    label_width, count_width = max(map(len, labels)), len(str(max(counts)))
    lines = []
    for label, count in zip(labels, counts, strict=True):
        filled = bar(count / max(counts), width, fancy=fancy).ljust(width)
        lines.append(f"{label.rjust(label_width)}  {filled}  {str(count).rjust(count_width)}")
    return lines


def chart(values: NDArray[np.float64], width: int, height: int = HEIGHT, *, fancy: bool = True) -> list[str]:
    r"""Return the lines of a chart. Each column shows one value, or the mean of several consecutive values.

    Args:
        values: an array of numbers. Infinite values and NaN are omitted.
        width: the maximum number of columns.
        height: the number of lines.
        fancy: whether the terminal can show Unicode block characters.

    >>> print("\n".join(chart(np.array([0.0, 1.0, 2.0, 4.0]), 20, 2)))
    4 │   █
    0 │▁▄██
    """
    finite = values[np.isfinite(values)]
    if not finite.size:
        return []
    edges = np.arange(min(width, finite.size) + 1) * finite.size // min(width, finite.size)
    means = np.add.reduceat(finite, edges[:-1]) / np.diff(edges)
    low, high = float(means.min()), float(means.max())
    parts = (means - low) / (high - low) if high > low else np.full(means.shape, 0.5)
    eighths = np.maximum(np.rint(parts * height * 8), 1).astype(int)
    labels = [f"{high:.4g}", *[""] * (height - 2), f"{low:.4g}"]
    room = max(map(len, labels))
    lines = []
    for row, label in zip(range(height - 1, -1, -1), labels, strict=True):
        filled = np.clip(eighths - 8 * row, 0, 8).tolist()
        cells = "".join(UP[fill] if fancy else "#" if fill > 3 or (fill and not row) else " " for fill in filled)
        lines.append(f"{label.rjust(room)} {'│' if fancy else '|'}{cells}".rstrip())
    return lines


class Display:
    """A display that shows the progress of a rollout and then its report.

    Args:
        terminal: the terminal to which the report is written.
        bar: the progress bar to use; None to create a progress bar on standard error.
    """

    def __init__(self, terminal: Terminal, bar: ProgressBar | None = None) -> None:
        self.terminal, self.bar = terminal, ProgressBar() if bar is None else bar

    def progress(self, report: Report, run: Episodes | None = None) -> None:
        """Show the rollout's progress if standard error is a terminal.

        Args:
            report: the report so far.
            run: the `Episodes` object that runs the episodes; None if an engine runs many environments.
        """
        if not self.bar.due:
            return
        done = len(report.episodes)
        words = [f"episode {done} of {report.asked}"]
        if run is not None:
            words.append(f"step {run.step}")
        elif report.steps_per_second is not None:
            words.append(f"{report.steps_per_second:,.0f} steps a second")
        if done:
            words.append(f"mean return {report.returns.mean():.4g}")
        self.bar.total = report.asked
        self.bar.update(done if run is None else run.done, ", ".join(words))

    def show(self, report: Report, *, charted: bool = False) -> None:
        """Show a report.

        Args:
            report: the report of the rollout, which may have been interrupted.
            charted: whether to also show a chart of the returns by episode.
        """
        write, paint = self.terminal.write, self.terminal.paint
        write(paint(report.env, bold=True))
        write(f"  policy    {report.policy}")
        write(f"  episodes  {self._episodes(report)}")
        write(f"  steps     {self._steps(report)}")
        if report.where:
            write(f"  where     {report.where}")
        if report.video:
            write(f"  video     {report.video}")
        if report.episodes:
            write("")
            self._show_table(report)
        if len(report.episodes) > 1:
            self._show_lines("returns", histogram(report.returns, BAR, fancy=self.terminal.unicode))
            if charted:
                columns = min(self.terminal.width - 16, 100)
                lines = chart(report.returns, columns, fancy=self.terminal.unicode)
                self._show_lines("returns by episode", lines)
        if report.interrupted:
            write("", paint(f"Interrupted: {len(report.episodes)} of {report.asked} episodes.", "yellow"))

    @staticmethod
    def _episodes(report: Report) -> str:
        last = report.seed + max(len(report.episodes) - 1, 0)
        seeds = f"seed {report.seed}" if last == report.seed else f"seeds {report.seed} to {last}"
        ends = [f"{count} {end}" for end, count in report.ended.items() if count]
        return ", ".join([f"{len(report.episodes)} ({seeds})", *ends])

    @staticmethod
    def _steps(report: Report) -> str:
        speed = report.steps_per_second
        rate = "" if speed is None else f", {speed:,.0f} a second"
        limit = "" if report.max_steps is None else f", {report.max_steps} an episode at most"
        return f"{report.steps} in {report.seconds:.1f} s{rate}{limit}"

    def _show_table(self, report: Report) -> None:
        head = ["", "mean", "std", "min", *(f"{part:.0%}".replace("%", " %") for part in QUANTILES), "max"]
        rows = [head]
        for name in ("return", "length"):
            summary = report.summary(name)
            numbers: list[Any] = [summary.mean, summary.std, summary.min, *summary.quantiles.values(), summary.max]
            rows.append([name, *(f"{number:.5g}" for number in numbers)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
            self.terminal.write(self.terminal.paint("  " + "  ".join(cells), dim=row is head))

    def _show_lines(self, title: str, lines: list[str]) -> None:
        if lines:
            self.terminal.write("", self.terminal.paint(f"  {title}", dim=True), *(f"  {line}" for line in lines))
