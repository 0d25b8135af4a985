"""Functions that plot a rollout's report with matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.error import DependencyNotInstalled

if TYPE_CHECKING:
    from gymkernel_tool_rollout.records import Report

__all__ = ["FORMATS", "load_matplotlib", "save_plot"]

FORMATS: Final = (".png", ".svg", ".pdf")
BLUE, AMBER = "#2d5f8b", "#c98a3d"


def load_matplotlib() -> Any:
    """Import matplotlib without a GUI backend, and return its figure class.

    Raises:
        DependencyNotInstalled: if matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as exc:
        message = "Writing a plot to a file requires matplotlib; run: pip install 'gymkernel-tool-rollout[plot]'"
        raise DependencyNotInstalled(message) from exc
    return Figure


def save_plot(report: Report, path: str | Path) -> Path:
    """Plot the episodes' returns and lengths, including histograms, and save the plot to a file.

    Args:
        report: a report with at least one episode.
        path: a path that ends with .png, .svg or .pdf. Missing folders are created.

    Raises:
        ValueError: if the path has a different suffix.
        DependencyNotInstalled: if matplotlib is not installed.
    """
    out = Path(path)
    if out.suffix.lower() not in FORMATS:
        raise ValueError(f"Expected a file that ends with {', '.join(FORMATS)}, got {str(path)!r}")
    figure = load_matplotlib()(figsize=(9, 5.5), layout="constrained")
    axes = figure.subplots(2, 2, width_ratios=(2, 1), sharey="row", sharex="col")
    for (by_episode, histogram), name, values in zip(
        axes, ("return", "length"), (report.returns, report.lengths), strict=True
    ):
        _draw_row(by_episode, histogram, name, np.asarray(values, np.float64))
    axes[1][0].set_xlabel("episode")
    axes[1][1].set_xlabel("episodes")
    figure.suptitle(f"{report.env}, policy {report.policy}, {len(report.episodes)} episodes from seed {report.seed}")
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=120)
    return out


def _draw_row(by_episode: Any, histogram: Any, name: str, values: Any) -> None:
    by_episode.plot(np.arange(len(values)), values, ".", color=BLUE, alpha=0.6)
    if len(values) >= 20:
        window = max(len(values) // 10, 5)
        means = np.convolve(values, np.ones(window) / window, "valid")
        by_episode.plot(np.arange(window - 1, len(values)), means, color=AMBER, label=f"mean of {window}")
        by_episode.legend(loc="best", frameon=False)
    by_episode.set_ylabel(name)
    finite = values[np.isfinite(values)]
    if finite.size:
        histogram.hist(finite, bins=min(20, max(len(np.unique(finite)), 1)), orientation="horizontal", color=BLUE)
        histogram.axhline(finite.mean(), color=AMBER, label=f"mean {finite.mean():.4g}")
        histogram.legend(loc="best", frameon=False)
