"""The `Recorder` class, which decides which frames are written to which video file."""

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
from gymkernel_util_video.saving import capped_cubic_video_schedule
from gymkernel_util_video.writer import VideoWriter

__all__ = ["Recorder", "check"]

Trigger = Callable[[int], bool] | None

UNFINISHED: Final = 2
"""The maximum number of earlier videos whose encoding may be unfinished when a video ends."""


@dataclass(eq=False)
class Recorder:
    """A recorder that counts episodes and steps, and records a video when a trigger selects an episode or a step.

    Attributes:
        folder: the folder for the video files.
        fps: the number of frames per second.
        episode_trigger: a function that takes the number of an episode and returns whether to record the episode, or
            None.
        step_trigger: a function that takes the number of a step and returns whether to start a video, or None.
        video_length: the number of steps in a video, or infinity to record a whole episode.
        name_prefix: the prefix of the file names.
        disable_logger: whether to suppress the message that is printed when a video is finished.
        gc_trigger: a function that takes the number of an episode and returns whether to run the garbage collector
            after its video, or None.
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
        """Count an episode, and end the previous video. If a trigger selects the episode, start a video."""
        self.episode_id += 1
        if self.writer is not None and self.video_length == math.inf:
            self.stop()
        if self.episode_trigger is not None and self.episode_trigger(self.episode_id):
            self.start(f"{self.name_prefix}-episode-{self.episode_id}")

    def count_step(self) -> None:
        """Count a step. If a trigger selects the step, start a video."""
        self.step_id += 1
        if self.step_trigger is not None and self.step_trigger(self.step_id):
            self.start(f"{self.name_prefix}-step-{self.step_id}")

    def start(self, name: str) -> None:
        """Start a video. If another video is being recorded, end it first."""
        if self.writer is not None:
            self.stop()
        self.writer = VideoWriter(self.folder / f"{name}.mp4", self.fps)

    def add(self, frame: Any) -> None:
        """Add a frame to the video, and end the video if it is long enough."""
        if self.writer is None:
            return
        if not isinstance(frame, np.ndarray):
            self.stop()
            logger.warn(
                f"RecordVideo stopped recording: render returned {type(frame).__name__} instead of an array",
                stacklevel=4,
            )
            return
        self.writer.write(frame)
        if self.writer.frames > self.video_length:
            self.stop()

    def stop(self) -> None:
        """End the video. The encoder finishes the file while the environment continues to run."""
        writer, self.writer = self.writer, None
        if writer is None:
            raise ValueError("No video is being recorded; call start_recording first")
        if not writer.frames:
            logger.warn(f"RecordVideo does not write {writer.path.name}, because no frame was recorded", stacklevel=4)
        elif not self.disable_logger:
            sys.stderr.write(f"{printable(str(writer.path))}: {writer.frames} frames\n")
        writer.finish()
        self.unfinished.append(writer)
        while len(self.unfinished) > UNFINISHED:
            self.unfinished.pop(0).close()
        if self.gc_trigger is not None and self.gc_trigger(self.episode_id):
            gc.collect()

    def close(self) -> None:
        """End the video, and wait until all files are complete. If a file could not be written, raise the error."""
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
        return {**self.__dict__, "writer": None, "unfinished": []}  # a copy does not record a video


def check(env: Any, video_folder: Any, fps: float | None) -> tuple[Path, float]:
    """Check that frames can be recorded, and return the absolute path of the folder and the frame rate."""
    if env.render_mode in {None, "human", "ansi"}:
        raise ValueError(
            f"RecordVideo expects a render mode that returns arrays, such as 'rgb_array', got {env.render_mode!r}"
        )
    folder = Path(os.path.abspath(video_folder))  # noqa: PTH100 - Path.resolve would also resolve symbolic links
    return folder, env.metadata.get("render_fps") or 30 if fps is None else fps
