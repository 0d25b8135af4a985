"""The recorder of `RecordVideo`, which decides which frames are written to which file."""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from gymkernel import logger
from gymkernel.utils.printable import printable
from gymkernel_util_video.schedule import capped_cubic_video_schedule
from gymkernel_util_video.writer import VideoWriter

__all__ = ["Recorder", "check"]

Trigger = Callable[[int], bool] | None

UNFINISHED: Final = 2
"""The maximum number of earlier videos that may still be encoding when a video ends."""


@dataclass(eq=False)
class Recorder:
    """An object that counts episodes and steps, and records videos of those that its triggers select.

    Attributes:
        folder: the folder for the video files.
        fps: the number of frames per second.
        episode_trigger: a function that takes an episode's number and returns whether to record the episode; None to
            record none.
        step_trigger: a function that takes a step's number and returns whether to start a recording; None to start
            none.
        video_length: the number of steps in a video; infinity to record a whole episode.
        name_prefix: the prefix of the file names.
        disable_logger: False to print a message when a video is finished.
        gc_trigger: a function that takes an episode's number and returns whether to run the garbage collector after the
            episode's video; None to never run it.
    """

    folder: Path
    fps: float
    episode_trigger: Trigger
    step_trigger: Trigger
    video_length: float
    name_prefix: str
    disable_logger: bool
    gc_trigger: Trigger
    episode_id: int = -1
    step_id: int = -1
    writer: VideoWriter | None = None
    unfinished: list[VideoWriter] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.episode_trigger is None and self.step_trigger is None:
            self.episode_trigger = capped_cubic_video_schedule
        self.video_length = self.video_length or math.inf
        self.folder.mkdir(parents=True, exist_ok=True)
        if existing := sorted(path.name for path in self.folder.glob(f"{self.name_prefix}-*.mp4")):
            message = f"RecordVideo will replace videos in {self.folder}, such as {existing[0]}"
            logger.warn(f"{message}; pass another video_folder or name_prefix", stacklevel=4)

    def begin_episode(self) -> None:
        """Count an episode, end the previous video, and start a video if a trigger selects the episode."""
        self.episode_id += 1
        if self.writer is not None and self.video_length == math.inf:
            self.stop()
        if self.episode_trigger is not None and self.episode_trigger(self.episode_id):
            self.start(f"{self.name_prefix}-episode-{self.episode_id}")

    def count_step(self) -> None:
        """Count a step, and start a video if a trigger selects the step."""
        self.step_id += 1
        if self.step_trigger is not None and self.step_trigger(self.step_id):
            self.start(f"{self.name_prefix}-step-{self.step_id}")

    def start(self, name: str) -> None:
        """Start a video, after ending the current one if necessary."""
        if self.writer is not None:
            self.stop()
        self.writer = VideoWriter(self.folder / f"{name}.mp4", self.fps)

    def add(self, frame: Any) -> None:
        """Add a frame to the video, and end the video once it is long enough."""
        if self.writer is None:
            return
        if not isinstance(frame, np.ndarray):
            self.stop()
            logger.warn(
                f"RecordVideo ends the video: render returned {type(frame).__name__}, not an array", stacklevel=4
            )
            return
        self.writer.write(frame)
        if self.writer.frames > self.video_length:
            self.stop()

    def stop(self) -> None:
        """End the video. The encoder completes the file while the environment continues."""
        writer, self.writer = self.writer, None
        if writer is None:
            raise ValueError("No video is being recorded; call start_recording first")
        if not writer.frames:
            logger.warn(f"RecordVideo has no frame for {writer.path.name}, so no file is written", stacklevel=4)
        elif not self.disable_logger:
            sys.stderr.write(f"{printable(str(writer.path))}: {writer.frames} frames\n")
        writer.finish()
        self.unfinished.append(writer)
        while len(self.unfinished) > UNFINISHED:
            self.unfinished.pop(0).close()
        if self.gc_trigger is not None and self.gc_trigger(self.episode_id):
            gc.collect()

    def close(self) -> None:
        """End the video, wait for every file, and then raise an error if a file could not be written."""
        if self.writer is not None:
            self.stop()
        errors = []
        while self.unfinished:
            try:
                self.unfinished.pop().close()
            except OSError as exc:
                errors.append(exc)
        if errors:
            raise errors[-1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "writer": None, "unfinished": []}  # a copy starts without a video


def check(env: Any, video_folder: Any, fps: float | None) -> tuple[Path, float]:
    """Return the folder's absolute path and the frame rate; raise a ValueError if no frames can be recorded."""
    if env.render_mode in {None, "human", "ansi"}:
        raise ValueError(
            "RecordVideo expects an environment with a render_mode of arrays, such as 'rgb_array', "
            f"got {env.render_mode!r}"
        )
    folder = Path(os.path.abspath(video_folder))  # noqa: PTH100 - Path.resolve would follow symbolic links
    return folder, env.metadata.get("render_fps") or 30 if fps is None else fps
