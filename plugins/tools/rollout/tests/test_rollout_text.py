"""Test the report that is shown in a terminal, the progress bar, and the plot."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.cli.terminal import Terminal
from gymkernel.utils.episodes import Episodes
from gymkernel.utils.progress import ProgressBar
from gymkernel_tool_rollout.plot import save_plot
from gymkernel_tool_rollout.records import Episode, Report
from gymkernel_tool_rollout.text import Display, bins, chart, histogram

if TYPE_CHECKING:
    from pathlib import Path


class Screen(io.StringIO):
    """A text stream that reports that it is a terminal with UTF-8."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Paper(io.StringIO):
    """A stream that supports UTF-8 but is not a terminal."""

    encoding = "utf-8"


def report(*totals: float, **more: Any) -> Report:
    episodes = [Episode(i, 7 + i, total, i + 1, "terminated") for i, total in enumerate(totals)]
    return Report("toy", "random", 7, asked=len(totals), episodes=episodes, steps=30, seconds=2.0, **more)


def shown(found: Report, **how: Any) -> list[str]:
    paper = Paper()
    Display(Terminal(paper)).show(found, **how)
    return paper.getvalue().splitlines()


def test_report_text() -> None:
    assert shown(report(1.0, 1.0, 3.0)) == [
        "toy",
        "  policy    random",
        "  episodes  3 (seeds 7 to 9), 3 terminated",
        "  steps     30 in 2.0 s, 15 a second",
        "",
        "            mean      std  min  5 %  25 %  50 %  75 %  95 %  max",
        "  return  1.6667  0.94281    1    1     1     1     2   2.8    3",
        "  length       2   0.8165    1  1.1   1.5     2   2.5   2.9    3",
        "",
        "  returns",
        f"  1  {'█' * 40}  2",
        f"  3  {'█' * 20}{' ' * 20}  1",
    ]


def test_single_episode_has_no_histogram() -> None:
    lines = shown(report(1.0, max_steps=50, video="a.mp4"))
    assert "  episodes  1 (seed 7), 1 terminated" in lines
    assert lines[3].endswith(", 50 an episode at most")
    assert "  video     a.mp4" in lines
    assert "  returns" not in lines


def test_report_without_episodes() -> None:
    lines = shown(Report("toy", "random", 7, asked=3, interrupted=True))
    assert lines[-1] == "Interrupted: 0 of 3 episodes."
    assert "  steps     0 in 0.0 s" in lines


def test_chart_is_shown_on_request() -> None:
    lines = shown(report(1.0, 2.0, 3.0), charted=True)
    at = lines.index("  returns by episode")
    assert len(lines[at + 1 :]) == 8
    assert lines[-1] == "  1 │▁██"


@pytest.mark.parametrize(
    "values, edges",
    [
        ([4.0, 4.0], [4.0]),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]),
        (np.arange(9.0, 93.0), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0]),
        (np.linspace(-1.0, 1.0, 50), [-1.0, -0.5, 0.0, 0.5, 1.0]),
        (np.linspace(0.01, 0.02, 50), [0.01, 0.012, 0.014, 0.016, 0.018, 0.02]),
    ],
)
def test_histogram_edges_are_round(values: Any, edges: list[float]) -> None:
    assert [low for low, _ in bins(np.asarray(values))] == edges


@pytest.mark.parametrize("seed", range(20))
def test_every_finite_value_is_counted_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(rng.normal() * 100, 10.0 ** rng.integers(-3, 5), 200)
    lines = histogram(np.append(values, [np.nan, np.inf]), 10)
    assert sum(int(line.split()[-1]) for line in lines) == 200
    assert len(lines) <= 10


def test_empty_histogram() -> None:
    assert histogram(np.array([np.nan]), 10) == chart(np.array([np.nan]), 10) == []


def test_ascii_stream_gets_ascii_signs() -> None:
    assert histogram(np.array([1.0, 1.0, 2.0]), 4, fancy=False) == ["1  ####  2", "2  ##    1"]
    assert chart(np.array([0.0, 4.0]), 4, 2, fancy=False) == ["4 | #", "0 |##"]


def test_chart_of_equal_values_is_flat() -> None:
    assert chart(np.array([3.0, 3.0]), 10, 2) == ["3 │", "3 │██"]


def test_chart_of_many_values_shows_means() -> None:
    lines = chart(np.repeat([0.0, 10.0], 500), 20, 4)
    assert lines[0] == f"10 │{' ' * 10}{'█' * 10}"
    assert lines[-1] == f" 0 │{'▁' * 10}{'█' * 10}"


class TestProgress:
    @pytest.fixture
    def run(self, count: Any) -> Episodes:
        return next(iter(Episodes(count.Count(), seed=0)))

    def test_progress_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch, run: Episodes) -> None:
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "110")
        screen, times = Screen(), iter([0.0, 2.0, 2.0, 2.05, 4.0, 4.0])
        bar = ProgressBar(terminal=Terminal(screen), clock=lambda: next(times))
        display = Display(bar.terminal, bar)
        found = report(1.0, 3.0)
        found.asked, run.episode = 8, 2
        for _ in range(3):
            display.progress(found, run)
        lines = re.sub(r"\x1b\[\d*[mK]", "", screen.getvalue()).split("\r")[1:]
        words = "█████···············   25%  {} s left  episode 2 of 8, step 0, mean return 2"
        assert lines == [words.format(6), words.format(12)]

    def test_no_progress_in_a_file(self, run: Episodes) -> None:
        paper = Paper()
        Display(Terminal(paper), ProgressBar(terminal=Terminal(paper))).progress(report(1.0), run)
        assert not paper.getvalue()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
@pytest.mark.parametrize("episodes", [1, 2, 100])
def test_plot_is_written(tmp_path: Path, suffix: str, episodes: int) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot")
    path = save_plot(report(*range(episodes)), tmp_path / "deep" / f"a{suffix}")
    assert path.stat().st_size > 1000


def test_unknown_plot_suffix_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ends with \.png, \.svg, \.pdf, got"):
        save_plot(report(1.0), tmp_path / "a.doc")
