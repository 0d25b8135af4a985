"""Tests of the files that `save_video` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import av
import numpy as np
import pytest

from gymkernel.utils.save_video import save_video

if TYPE_CHECKING:
    from pathlib import Path

FRAMES = [np.full((64, 64, 3), 12 * i, np.uint8) for i in range(20)]


def brightness(path: Path) -> list[int]:
    """Return the numbers of the frames in a file. The brightness of each frame encodes its number."""
    with av.open(str(path)) as container:
        frames: Any = container.decode(video=0)
        return [round(float(frame.to_ndarray(format="rgb24").mean()) / 12) for frame in frames]


def test_each_episode_is_one_file_with_all_frames(tmp_path: Path) -> None:
    [path] = save_video(FRAMES, tmp_path / "new", fps=10)
    assert path == tmp_path / "new" / "rl-video-episode-0.mp4"
    assert brightness(path) == list(range(20))


@pytest.mark.parametrize("episode, written", [(1, True), (2, False), (8, True), (1001, False), (2000, True)])
def test_default_episode_trigger(tmp_path: Path, episode: int, written: bool) -> None:
    assert bool(save_video(FRAMES, tmp_path, episode_index=episode)) is written


def test_video_length_can_be_limited(tmp_path: Path) -> None:
    [path] = save_video(FRAMES, tmp_path, video_length=5, name_prefix="cut")
    assert brightness(path) == [0, 1, 2, 3, 4]


def test_step_trigger_starts_files_and_ignores_the_reset_frame(tmp_path: Path) -> None:
    paths = save_video(
        FRAMES, tmp_path, step_trigger=lambda step: step % 10 == 0, step_starting_index=95, video_length=3
    )
    assert [path.name for path in paths] == ["rl-video-step-100.mp4", "rl-video-step-110.mp4"]
    assert [brightness(path) for path in paths] == [[6, 7, 8], [16, 17, 18]]


def test_both_triggers_can_be_passed(tmp_path: Path) -> None:
    paths = save_video(FRAMES, tmp_path, lambda episode: episode == 3, lambda step: step == 18, episode_index=3)
    assert [path.name for path in paths] == ["rl-video-episode-3.mp4", "rl-video-step-18.mp4"]


def test_frames_must_be_a_list(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="expects a list of frames, got ndarray"):
        save_video(np.zeros((5, 64, 64, 3), np.uint8), tmp_path)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="video_length of at least 1, got 0"):
        save_video(FRAMES, tmp_path, video_length=0)
    with pytest.raises(ValueError, match=r"Expected a uint8 frame"):
        save_video([np.zeros((64, 64, 3))], tmp_path)
