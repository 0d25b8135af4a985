"""The base class of both `RecordVideo` wrappers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_wrapper_record_video.recorder import Recorder, Trigger, check

__all__ = ["Recording"]


def _recorder_property(name: str, doc: str) -> Any:
    """Create a property that gets and sets an attribute of the recorder."""

    def put(self: Recording, value: Any) -> None:
        setattr(self._recorder, name, value)

    return property(lambda self: getattr(self._recorder, name), put, doc=doc)


class Recording(RecordConstructorArgs):
    """The base class of both `RecordVideo` wrappers, with their constructor and methods for manual recording."""

    _recorder: Recorder

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
        folder, rate = check(env, video_folder, fps)
        options: dict[str, Any] = {
            "episode_trigger": episode_trigger,
            "step_trigger": step_trigger,
            "video_length": video_length,
            "name_prefix": name_prefix,
            "disable_logger": disable_logger,
            "gc_trigger": gc_trigger,
        }
        RecordConstructorArgs.__init__(self, video_folder=os.fspath(video_folder), fps=fps, **options)
        super(RecordConstructorArgs, self).__init__(env)  # type: ignore[call-arg] # the constructor of the wrapper class
        self._recorder = Recorder(folder=folder, fps=rate, **options)
        self.video_folder = str(folder)
        self.render_history: list[Any] = []
        """Frames that have been added to the video and that the next call of `render` must also return."""

    episode_trigger = _recorder_property(
        "episode_trigger", "A function that takes the number of an episode and returns whether to record it."
    )
    step_trigger = _recorder_property(
        "step_trigger", "A function that takes the number of a step and returns whether to start a video."
    )
    video_length = _recorder_property(
        "video_length", "The number of steps in a video, or infinity for a whole episode."
    )
    name_prefix = _recorder_property("name_prefix", "The prefix of the file names.")
    frames_per_sec = _recorder_property("fps", "The number of frames per second.")
    disable_logger = _recorder_property("disable_logger", "Whether to omit the message that a video is finished.")
    gc_trigger = _recorder_property(
        "gc_trigger", "A function that takes the number of an episode and returns whether to run the garbage collector."
    )
    episode_id = _recorder_property(
        "episode_id",
        "The number of the current episode (in a vector environment, of the first environment), starting from 0.",
    )
    step_id = _recorder_property("step_id", "The number of the current step, starting from 0.")
    recording = property(lambda self: self._recorder.writer is not None, doc="Whether a video is being recorded.")
    recorded_frames = property(
        lambda self: WrittenFrames(0 if self._recorder.writer is None else self._recorder.writer.frames),
        doc="A sequence whose length is the number of frames in the current video. It does not contain the frames.",
    )

    def start_recording(self, video_name: str) -> None:
        """Start a video with the given name. If another video is being recorded, end it first."""
        self._recorder.start(video_name)

    def stop_recording(self) -> None:
        """End the video, and wait until the file is complete.

        Raises:
            ValueError: if no video is being recorded.
        """
        self._recorder.stop()
        self._recorder.close()


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
