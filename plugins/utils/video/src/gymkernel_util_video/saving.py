"""The function `save_video`, which writes recorded frames to video files, and the default recording schedule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymkernel_util_video.writer import VideoWriter

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["capped_cubic_video_schedule", "save_video"]


def capped_cubic_video_schedule(episode_id: int) -> bool:
    """Return whether an episode's number is a cube below 1000 (0, 1, 8, 27, ...) or a multiple of 1000.

    Args:
        episode_id: the number of the episode, starting from 0.

    >>> [episode for episode in range(3001) if capped_cubic_video_schedule(episode)]
    [0, 1, 8, 27, 64, 125, 216, 343, 512, 729, 1000, 2000, 3000]
    """
    if episode_id < 1000:
        root: float = episode_id ** (1 / 3)
        return round(root) ** 3 == episode_id
    return episode_id % 1000 == 0


def save_video(
    frames: Sequence[NDArray[Any]],
    video_folder: str | PathLike[str],
    episode_trigger: Callable[[int], bool] | None = None,
    step_trigger: Callable[[int], bool] | None = None,
    video_length: int | None = None,
    name_prefix: str = "rl-video",
    episode_index: int = 0,
    step_starting_index: int = 0,
    save_logger: str | None = None,
    *,
    fps: float = 30,
    options: dict[str, str] | None = None,
) -> list[Path]:
    """Write the frames of an episode to MP4 files if a trigger function selects the episode or one of its steps.

    In `"rgb_array_list"` mode, the `render` method of an environment returns suitable frames. The first frame shows the
    state after the reset.

    Args:
        frames: uint8 arrays of shape (height, width, 3).
        video_folder: the folder for the video files, which is created if necessary.
        episode_trigger: a function that takes `episode_index` and returns whether to write a file with all frames. If
            neither trigger is given, `capped_cubic_video_schedule` is used.
        step_trigger: a function that takes the number of a step and returns whether to write a file that starts at that
            step.
        video_length: the maximum number of frames in a file, or None for no limit.
        name_prefix: the prefix of the file names, which end in "-episode-<episode_index>.mp4" or "-step-<step>.mp4".
        episode_index: the number of the episode.
        step_starting_index: the number of the episode's first step.
        save_logger: ignored. The parameter exists for compatibility with Gymnasium.
        fps: the number of frames per second.
        options: options for the FFmpeg encoder, as for `VideoWriter`.

    Returns:
        The paths of the written files.

    Raises:
        TypeError: if `frames` is not a sequence of arrays.
        ValueError: if a frame has the wrong shape or dtype, or `video_length` is below 1.

    >>> import tempfile
    >>> import numpy as np
    >>> frames = [np.full((32, 32, 3), 20 * i, np.uint8) for i in range(5)]
    >>> [path.name for path in save_video(frames, tempfile.mkdtemp(), fps=10, episode_index=8)]
    ['rl-video-episode-8.mp4']
    """
    if not isinstance(frames, list | tuple):
        raise TypeError(f"save_video expects a list of frames, got {type(frames).__name__}")
    if video_length is not None and video_length < 1:
        raise ValueError(f"save_video expects a video_length of at least 1, got {video_length!r}")
    if episode_trigger is None and step_trigger is None:
        episode_trigger = capped_cubic_video_schedule
    videos: list[tuple[str, int]] = []
    if episode_trigger is not None and episode_trigger(episode_index):
        videos.append((f"episode-{episode_index}", 0))
    if step_trigger is not None:
        numbers = enumerate(range(1, len(frames)), start=step_starting_index)
        videos += [(f"step-{number}", first) for number, first in numbers if step_trigger(number)]
    paths = []
    for name, first in videos:
        stop = None if video_length is None else first + video_length
        path = Path(video_folder, f"{name_prefix}-{name}.mp4")
        with VideoWriter(path, fps, options=options) as video:
            for frame in frames[first:stop]:
                video.write(frame)
        paths.append(path.absolute())
    return paths
