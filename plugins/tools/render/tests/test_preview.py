"""Test the preview in the terminal, which draws coloured blocks in real time."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest

from gymkernel.cli.terminal import Terminal
from gymkernel.utils.episodes import Episodes
from gymkernel_tool_render.preview import Pace, caption, colours, fitted, half_blocks, show_pictures, show_text


class Screen(io.StringIO):
    """A text stream that claims to be a terminal that supports UTF-8."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name, value in {"TERM": "xterm", "COLUMNS": "40", "LINES": "5"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal(Screen())


class Time:
    """A simulated clock that advances when the program sleeps, and by `cost` whenever it is read."""

    def __init__(self, cost: float = 0.0) -> None:
        self.now, self.cost = 0.0, cost
        self.slept: list[float] = []

    def clock(self) -> float:
        self.now += self.cost
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds

    def pace(self, fps: float) -> Pace:
        return Pace(fps, self.clock, self.sleep)


def shown(terminal: Terminal) -> str:
    assert isinstance(terminal.stream, io.StringIO)
    return terminal.stream.getvalue()


@pytest.mark.parametrize(
    "environ, bits",
    [
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, 24),
        ({"TERM": "screen", "COLORTERM": "24bit"}, 24),
        ({"TERM": "xterm-kitty"}, 24),
        ({"TERM": "xterm-direct"}, 24),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, 24),
        ({"WT_SESSION": "1"}, 24),
        ({"TERM": "xterm-256color"}, 8),
        ({"TERM": "xterm"}, 0),
        ({}, 0),
    ],
)
def test_colour_support_is_detected(terminal: Terminal, environ: dict[str, str], bits: int) -> None:
    assert colours(terminal, environ) == bits


def test_preview_needs_colours(terminal: Terminal) -> None:
    terminal.colour = False
    assert colours(terminal, {"COLORTERM": "truecolor"}) == 0


def test_file_is_not_a_terminal() -> None:
    assert colours(Terminal(io.StringIO()), {"COLORTERM": "truecolor"}) == 0


@pytest.mark.parametrize("shape", [(400, 600), (600, 400), (84, 84), (7, 300), (3, 1)])
def test_fitted_frame_keeps_its_aspect_ratio(shape: tuple[int, int]) -> None:
    height, width = fitted(np.zeros((*shape, 3), np.uint8), 80, 24).shape[:2]
    assert height <= 48
    assert width <= 80
    assert height == 48 or width == 80 or shape == (84, 84)
    assert abs(height / shape[0] * shape[1] - width) <= max(1, width / height)


def test_large_frame_is_averaged() -> None:
    stripes = np.zeros((40, 40, 3), np.uint8)
    stripes[::2] = 200
    assert (fitted(stripes, 20, 10) == 100).all()


def test_large_frame_keeps_its_brightness() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (97, 131, 3), dtype=np.uint8)
    small = fitted(noise, 20, 10)
    assert abs(small.mean() - noise.mean()) < 2


def test_odd_number_of_rows_is_padded() -> None:
    [line] = half_blocks(np.full((1, 2, 3), 9, np.uint8))
    assert line == "\x1b[38;2;9;9;9;48;2;9;9;9m▀▀\x1b[0m"


def test_colour_codes_are_written_on_change_only() -> None:
    picture = np.zeros((2, 6, 3), np.uint8)
    picture[:, 3:] = 255
    [line] = half_blocks(picture)
    assert line.count("\x1b[38") == 2


@pytest.mark.parametrize(
    "colour, entry",
    [((255, 0, 0), 196), ((0, 0, 0), 16), ((255, 255, 255), 231), ((118, 118, 118), 243), ((95, 135, 175), 67)],
)
def test_palette_of_256_colours(colour: tuple[int, int, int], entry: int) -> None:
    [line] = half_blocks(np.full((2, 1, 3), colour, np.uint8), bits=8)
    assert line == f"\x1b[38;5;{entry};48;5;{entry}m▀\x1b[0m"


def test_frames_are_drawn_in_place_at_the_render_fps(squares: Any, terminal: Terminal) -> None:
    time = Time()
    show_pictures(terminal, Episodes(squares.Squares(), squares.two, seed=0), None, time.pace(5), 24)
    text = shown(terminal)
    assert re.findall(r"48;2;(\d+);", text)[::3] == ["0", "10", "20", "30", "40"]
    assert text.count("\x1b[4A") == 4
    assert time.slept == [0.2] * 4
    assert text.startswith("\x1b[?25l")
    assert text.endswith("\x1b[?25h")


def test_fast_environment_is_drawn_twenty_times_per_second(squares: Any, terminal: Terminal) -> None:
    time = Time()
    show_pictures(terminal, Episodes(squares.Squares(length=100), squares.two, seed=0), None, time.pace(100), 24)
    drawn = re.findall(r"step (\d+)", shown(terminal))
    assert drawn[:3] == ["0", "5", "10"]
    assert drawn[-1] == "100"
    assert time.now == pytest.approx(1.0)


def test_slow_environment_is_drawn(squares: Any, terminal: Terminal) -> None:
    time = Time(cost=0.3)
    show_pictures(terminal, Episodes(squares.Squares(length=9), squares.two, seed=0), None, time.pace(100), 24)
    drawn = [int(step) for step in re.findall(r"step (\d+)", shown(terminal))]
    assert drawn[0] == 0
    assert drawn[-1] == 9
    assert not time.slept


def test_cursor_is_restored_after_a_failure(squares: Any, terminal: Terminal) -> None:
    run = Episodes(squares.Squares(fails_at=2), squares.two, seed=0)
    with pytest.raises(Exception, match="round"):
        show_pictures(terminal, run, None, Time().pace(5), 24)
    assert shown(terminal).endswith("\x1b[?25h")


def test_text_is_printed_after_every_step(squares: Any, terminal: Terminal) -> None:
    time = Time()
    show_text(terminal, Episodes(squares.Letters(render_mode="ansi"), squares.two, seed=0), 2, time.pace(5))
    assert re.sub(r"\x1b\[\d*m", "", shown(terminal)) == (
        "episode 0, step 0, seed 0\nat 0\n\nepisode 0, step 1, action 2, reward 2\nat 1\n\n"
        "episode 0, step 2, action 2, reward 2\nat 2\n\n"
    )
    assert time.slept == [0.2, 0.2]


def test_text_to_a_pipe_is_not_delayed(squares: Any) -> None:
    time, stream = Time(), io.StringIO()
    show_text(Terminal(stream), Episodes(squares.Letters(render_mode="ansi"), squares.two, seed=0), None, time.pace(5))
    assert stream.getvalue().count("at ") == 5
    assert not time.slept
    assert "\x1b" not in stream.getvalue()


def test_non_numeric_reward_is_shown(squares: Any) -> None:
    run = next(iter(Episodes(squares.Squares(), squares.two, seed=0)))
    run.action, run.reward, run.terminated = 2, np.array([1, 2]), True
    assert caption(run) == "episode 0, step 0, action 2, reward [1 2], terminated"
