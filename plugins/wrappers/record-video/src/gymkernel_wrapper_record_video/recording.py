"""The base class of both `RecordVideo` wrappers."""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from gymkernel import logger
from gymkernel.utils.printable import printable
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_video.saving import capped_cubic_video_schedule
from gymkernel_util_video.writer import VideoWriter

__all__ = ["Recording"]

Result = TypeVar("Result")
Trigger = Callable[[int], bool] | None

UNFINISHED: Final = 2
"""The maximum number of earlier videos whose encoding may be unfinished when a video ends."""


class Recording(RecordConstructorArgs):
    """The base class of both `RecordVideo` wrappers. It records a video when a trigger selects an episode or a step.

    Attributes:
        video_folder: the absolute path of the folder for the video files.
        frames_per_sec: the number of frames per second.
        episode_trigger: a function that takes the number of an episode and returns whether to record the episode, or
            None.
        step_trigger: a function that takes the number of a step and returns whether to start a video, or None.
        video_length: the number of steps in a video, or infinity to record a whole episode.
        name_prefix: the prefix of the file names.
        disable_logger: whether to omit the message that a video is finished.
        gc_trigger: a function that takes the number of an episode and returns whether to run the garbage collector
            after its video, or None.
        episode_id: the number of the current episode (in a vector environment, of the first environment), starting
            from 0.
        step_id: the number of the current step, starting from 0.
        render_history: frames that have been added to the video and that the next call of `render` must also return.
    """

    def __init__(
        self,
        env: Any,
        video_folder: str | os.PathLike[str],
        episode_trigger: Trigger = None,
        step_trigger: Trigger = None,
        video_length: int = 0,
        name_prefix: str = "rl-video",
        fps: float | None = None,
        disable_logger: bool = True,
        gc_trigger: Trigger = None,
    ) -> None:
        if env.render_mode in {None, "human", "ansi"}:
            raise ValueError(
                f"RecordVideo expects a render mode that returns arrays, such as 'rgb_array', got {env.render_mode!r}"
            )
        RecordConstructorArgs.__init__(
            self,
            video_folder=os.fspath(video_folder),
            episode_trigger=episode_trigger,
            step_trigger=step_trigger,
            video_length=video_length,
            name_prefix=name_prefix,
            fps=fps,
            disable_logger=disable_logger,
            gc_trigger=gc_trigger,
        )
        super(RecordConstructorArgs, self).__init__(env)  # type: ignore[call-arg] # the constructor of the wrapper class
        self.video_folder = os.path.abspath(video_folder)  # noqa: PTH100 - Path.resolve would also resolve symbolic links
        has_trigger = episode_trigger is not None or step_trigger is not None
        self.episode_trigger = episode_trigger if has_trigger else capped_cubic_video_schedule
        self.step_trigger, self.gc_trigger = step_trigger, gc_trigger
        self.video_length: float = video_length or math.inf
        self.name_prefix, self.disable_logger = name_prefix, disable_logger
        self.frames_per_sec = env.metadata.get("render_fps") or 30 if fps is None else fps
        self.episode_id = self.step_id = -1
        self.render_history: list[Any] = []
        self._writer: VideoWriter | None = None
        self._unfinished: list[VideoWriter] = []
        folder = Path(self.video_folder)
        folder.mkdir(parents=True, exist_ok=True)
        if existing := sorted(path.name for path in folder.glob(f"{name_prefix}-*.mp4")):
            message = f"RecordVideo will replace videos in {folder}, such as {existing[0]}"
            logger.warn(f"{message}; pass another video_folder or name_prefix", stacklevel=2)

    recording = property(lambda self: self._writer is not None, doc="Whether a video is being recorded.")
    recorded_frames = property(
        lambda self: WrittenFrames(0 if self._writer is None else self._writer.frames),
        doc="A sequence whose length is the number of frames in the current video. It does not contain the frames.",
    )

    def start_recording(self, video_name: str) -> None:
        """Start a video with the given name. If another video is being recorded, end it first."""
        if self._writer is not None:
            self._end_video()
        self._writer = VideoWriter(Path(self.video_folder) / f"{video_name}.mp4", self.frames_per_sec)

    def stop_recording(self) -> None:
        """End the video, and wait until the file is complete.

        Raises:
            ValueError: if no video is being recorded.
        """
        self._end_video()
        self._finish_files()

    def _finishing(self, call: Callable[[], Result]) -> Result:
        """Call a function and return its result. If the function raises an exception, end the video first."""
        try:
            return call()
        except BaseException:
            self._finish_files()
            raise

    def _begin_episode(self) -> None:
        """Count an episode, and end the previous video. If a trigger selects the episode, start a video."""
        self.episode_id += 1
        if self._writer is not None and self.video_length == math.inf:
            self._end_video()
        if self.episode_trigger is not None and self.episode_trigger(self.episode_id):
            self.start_recording(f"{self.name_prefix}-episode-{self.episode_id}")

    def _count_step(self) -> None:
        """Count a step. If a trigger selects the step, start a video."""
        self.step_id += 1
        if self.step_trigger is not None and self.step_trigger(self.step_id):
            self.start_recording(f"{self.name_prefix}-step-{self.step_id}")

    def _add_frame(self, frame: Any) -> None:
        """Add a frame to the video, and end the video if it is long enough."""
        if self._writer is None:
            return
        if not isinstance(frame, np.ndarray):
            self._end_video()
            logger.warn(
                f"RecordVideo stopped recording: render returned {type(frame).__name__} instead of an array",
                stacklevel=4,
            )
            return
        self._writer.write(frame)
        if self._writer.frames > self.video_length:
            self._end_video()

    def _end_video(self) -> None:
        """End the video. The encoder finishes the file while the environment continues to run."""
        writer, self._writer = self._writer, None
        if writer is None:
            raise ValueError("No video is being recorded; call start_recording first")
        if not writer.frames:
            logger.warn(f"RecordVideo does not write {writer.path.name}, because no frame was recorded", stacklevel=4)
        elif not self.disable_logger:
            sys.stderr.write(f"{printable(str(writer.path))}: {writer.frames} frames\n")
        writer.finish()
        self._unfinished.append(writer)
        while len(self._unfinished) > UNFINISHED:
            self._unfinished.pop(0).close()
        if self.gc_trigger is not None and self.gc_trigger(self.episode_id):
            gc.collect()

    def _finish_files(self) -> None:
        """End the video, and wait until all files are complete. If a file could not be written, raise the error."""
        if self._writer is not None:
            self._end_video()
        errors = []
        while self._unfinished:
            try:
                self._unfinished.pop().close()
            except OSError as exc:
                errors.append(exc)
        if errors:
            raise errors[-1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_writer": None, "_unfinished": []}  # a copy does not record a video


class WrittenFrames(Sequence[Any]):
    """A sequence without items, whose length is the number of frames that were written to a file.

    >>> frames = WrittenFrames(3)
    >>> len(frames), bool(frames)
    (3, True)
    >>> frames[0]
    Traceback (most recent call last):
    IndexError: RecordVideo does not keep the frames; to get a list of frames, use render_mode="rgb_array_list"
    """

    def __init__(self, number: int) -> None:
        self._number = number

    def __len__(self) -> int:
        return self._number

    def __getitem__(self, index: Any) -> Any:
        message = 'RecordVideo does not keep the frames; to get a list of frames, use render_mode="rgb_array_list"'
        raise IndexError(message)

    def __repr__(self) -> str:
        return f"<{self._number} frames, written>"
