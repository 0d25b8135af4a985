"""Test which frames `record` writes, and when the run ends."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.error import DependencyNotInstalled
from gymkernel.utils.episodes import EpisodeError
from gymkernel_tool_render import record

if TYPE_CHECKING:
    from pathlib import Path


class Kept:
    """A video writer that stores the frames in a list."""

    made: list[Kept]

    def __init__(self, path: Path, fps: float) -> None:
        self.path, self.fps = path, fps
        self.brightness: list[int] = []
        self.closed = False
        self.made.append(self)

    def write(self, frame: Any) -> None:
        self.brightness.append(int(frame[0, 0, 0]) // 10)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def videos(monkeypatch: pytest.MonkeyPatch) -> list[Kept]:
    monkeypatch.setattr(Kept, "made", [], raising=False)
    monkeypatch.setitem(sys.modules, "gymkernel.utils.video", SimpleNamespace(VideoWriter=Kept))
    return Kept.made


def test_image_shows_the_first_frame(squares: Any, here: Path) -> None:
    found = record(squares.Squares(), "a.png", seed=3)
    assert (found.frames, found.steps, found.episodes, found.size, found.fps, found.seed) == (1, 0, 1, (8, 6), None, 3)
    assert (here / "a.png").stat().st_size > 50
    assert str(found) == "a.png: 1 frame of 8x6; 1 episode, 0 steps, seed 3"


@pytest.mark.parametrize("how, steps", [({"steps": 2}, 2), ({"episodes": 1}, 4), ({"episodes": 2, "steps": 7}, 7)])
def test_image_after_steps_shows_the_last_frame(squares: Any, here: Path, how: Any, steps: int) -> None:
    found = record(squares.Squares(), here / "a.png", **how)
    assert (found.steps, found.shown) == (steps, (steps + (steps > 4),))


def test_sheet_reports_which_frames_it_shows(squares: Any, here: Path) -> None:
    found = record(squares.Squares(length=8), here / "deep" / "sheet.png", frames=3, seed=0)
    assert found.shown == (0, 4, 8)
    assert "3 frames of 8x6 (numbers 0, 4, 8); 1 episode, 8 steps" in str(found)
    assert found.path.exists()


def test_video_has_every_frame(squares: Any, videos: list[Kept]) -> None:
    found = record(squares.Squares(), "a.mp4", episodes=2, seed=0)
    [video] = videos
    assert video.brightness == [0, 1, 2, 3, 4] * 2
    assert (found.frames, found.steps, video.fps, video.closed) == (10, 8, 5.0, True)
    assert str(found) == "a.mp4: 10 frames of 8x6, 2.0 s at 5 frames per second; 2 episodes, 8 steps, seed 0"


def test_steps_span_several_episodes(squares: Any, videos: list[Kept]) -> None:
    found = record(squares.Squares(), "a.gif", steps=9, fps=12)
    assert videos[0].brightness == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]
    assert (found.episodes, found.steps, found.fps) == (3, 9, 12.0)


def test_last_step_is_not_followed_by_a_reset(squares: Any, videos: list[Kept]) -> None:
    record(squares.Squares(), "a.gif", steps=4)
    assert videos[0].brightness == [0, 1, 2, 3, 4]


def test_endless_episode_stops_after_a_thousand_steps(squares: Any, videos: list[Kept]) -> None:
    assert record(squares.Squares(length=-1, height=2), "a.mp4", squares.two).steps == 1000


def test_collected_frames_are_recorded(squares: Any, videos: list[Kept]) -> None:
    found = record(squares.Collected(length=1), "a.mp4")
    assert (videos[0].brightness, found.fps) == ([0, 0, 1, 1], 30.0)


def test_failure_keeps_earlier_frames(squares: Any, videos: list[Kept]) -> None:
    with pytest.raises(EpisodeError, match="step 3"):
        record(squares.Squares(fails_at=3), "a.mp4", seed=0)
    assert videos[0].brightness == [0, 1, 2]
    assert videos[0].closed


def test_progress_is_reported(squares: Any, videos: list[Kept]) -> None:
    counts: list[int] = []
    record(squares.Squares(), "a.mp4", notify=lambda run: counts.append(run.step))
    assert counts == [0, 1, 2, 3, 4]


def test_frames_are_copied(squares: Any, here: Path) -> None:
    class Reusing(squares.Squares):  # type: ignore[misc] # a fixture creates the module
        picture = np.zeros((6, 8, 3), np.uint8)

        def render(self) -> Any:
            self.picture[:] = 10 * self.at
            return self.picture

    record(squares.Squares(), here / "one.png", frames=5, seed=0)
    record(Reusing(), here / "two.png", frames=5, seed=0)
    assert (here / "one.png").read_bytes() == (here / "two.png").read_bytes()


def test_unknown_suffix_is_rejected(squares: Any) -> None:
    with pytest.raises(ValueError, match=r"ends with \.png, \.mp4, .*got 'a\.bmp'"):
        record(squares.Squares(), "a.bmp")


def test_video_with_sheet_options_is_rejected(squares: Any) -> None:
    with pytest.raises(ValueError, match=r"Expected a \.png file for a contact sheet of 4 frames"):
        record(squares.Squares(), "a.mp4", frames=4)


def test_video_without_encoder_names_the_extra(squares: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymkernel.utils.video", None)
    with pytest.raises(DependencyNotInstalled, match=r"pip install 'gymkernel-tool-render\[video\]'"):
        record(squares.Squares(), "a.mp4")


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
def test_video_can_be_decoded(squares: Any, here: Path, suffix: str) -> None:
    av = pytest.importorskip("av", reason="the extra video")
    path = here / f"a{suffix}"
    record(squares.Squares(length=12, height=64), path, seed=0)
    with av.open(str(path)) as video:
        brightness = [round(float(frame.to_ndarray(format="rgb24").mean()) / 10) for frame in video.decode(video=0)]
    assert brightness == list(range(13))
