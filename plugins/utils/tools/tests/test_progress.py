"""Tests of the progress bar."""

from __future__ import annotations

import io
import re
from itertools import count

import pytest

from gymkernel.cli.terminal import Terminal
from gymkernel.utils.progress import ProgressBar


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "110")
    return Screen()


def lines(screen: Screen) -> list[str]:
    return re.split(r"\r\x1b\[K", screen.getvalue())[1:]


def test_progress_shows_bar_share_and_remaining_time(screen: Screen) -> None:
    clock = count(0.0, 10.0)
    progress = ProgressBar(8, Terminal(screen), lambda: next(clock))
    for done in (0, 2, 8):
        progress.update(done, f"episode {done}")
    assert lines(screen) == [
        "····················    0%  episode 0",
        "█████···············   25%  1:00 min left  episode 2",
        "████████████████████  100%  0 s left  episode 8",
    ]


def test_progress_is_drawn_ten_times_per_second(screen: Screen) -> None:
    clock = count(0.0, 1 / 1024)
    progress = ProgressBar(4096, Terminal(screen), lambda: next(clock))
    for done in range(1, 4096):
        progress.update(done)
    assert 38 <= len(lines(screen)) <= 41


def test_remaining_time_is_hidden_in_the_first_second(screen: Screen) -> None:
    clock = count(0.0, 0.25)
    progress = ProgressBar(8, Terminal(screen), lambda: next(clock))
    for done in range(1, 5):
        progress.update(done)
    assert ["left" in line for line in lines(screen)] == [False, False, False, True]


def test_progress_line_fits_a_narrow_terminal(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    ProgressBar(8, Terminal(screen)).update(3, "word " * 30)
    assert [len(line) for line in lines(screen)] == [56]


def test_progress_is_erased_at_the_end_and_after_ctrl_c(screen: Screen) -> None:
    with pytest.raises(KeyboardInterrupt), ProgressBar(8, Terminal(screen)) as progress:  # noqa: PT012
        progress.update(3)
        raise KeyboardInterrupt
    assert screen.getvalue().endswith("\r\x1b[K")


def test_progress_is_redrawn_after_it_was_erased(screen: Screen) -> None:
    progress = ProgressBar(8, Terminal(screen), lambda: 0.0)
    progress.update(3)
    progress.erase()
    progress.update(3)
    assert [line[:12] for line in lines(screen)] == ["███████▌····", "", "███████▌····"]


def test_no_progress_without_a_terminal() -> None:
    stream = io.StringIO()
    with ProgressBar(8, Terminal(stream)) as progress:
        progress.update(3)
    assert not stream.getvalue()


def test_zero_total_is_complete(screen: Screen) -> None:
    ProgressBar(0, Terminal(screen)).update(0)
    assert "100%" in lines(screen)[0]
