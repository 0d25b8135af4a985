"""What both forms of `RecordVideo` have: their arguments, counts, and recordings on demand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_wrapper_record_video.recorder import Recorder, Trigger, check

__all__ = ["Recording"]


def _of_recorder(name: str, doc: str) -> Any:
    """A property that is the recorder's."""

    def put(self: Recording, value: Any) -> None:
        setattr(self._recorder, name, value)

    return property(lambda self: getattr(self._recorder, name), put, doc=doc)


class Recording(RecordConstructorArgs):
    """A first base of the wrappers, with the constructor."""

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
        kept: dict[str, Any] = {
            "episode_trigger": episode_trigger,
            "step_trigger": step_trigger,
            "video_length": video_length,
            "name_prefix": name_prefix,
            "disable_logger": disable_logger,
            "gc_trigger": gc_trigger,
        }
        RecordConstructorArgs.__init__(self, video_folder=os.fspath(video_folder), fps=fps, **kept)
        super(RecordConstructorArgs, self).__init__(env)  # type: ignore[call-arg] # of the wrapper behind this base
        self._recorder = Recorder(folder=folder, fps=rate, **kept)
        self.video_folder = str(folder)
        self.render_history: list[Any] = []
        """Frames that the environment collected and handed over for the video, until `render` is asked for them."""

    episode_trigger = _of_recorder("episode_trigger", "Gets the number of an episode, and says whether to record it.")
    step_trigger = _of_recorder("step_trigger", "Gets the number of a step, and says whether a recording begins there.")
    video_length = _of_recorder("video_length", "How many steps a video lasts; infinity for one episode.")
    name_prefix = _of_recorder("name_prefix", "What the names of videos begin with.")
    frames_per_sec = _of_recorder("fps", "Frames per second.")
    disable_logger = _of_recorder("disable_logger", "Whether to keep silent about finished videos.")
    gc_trigger = _of_recorder("gc_trigger", "Gets the number of an episode, and says whether to collect garbage.")
    episode_id = _of_recorder("episode_id", "The number of the episode, from 0; of many, of the first's.")
    step_id = _of_recorder("step_id", "The number of the step, from 0.")
    recording = property(lambda self: self._recorder.writer is not None, doc="Whether a video is being recorded.")
    recorded_frames = property(
        lambda self: WrittenFrames(0 if self._recorder.writer is None else self._recorder.writer.frames),
        doc="How many frames the present video has, as a sequence that has a length and no items: they are written.",
    )

    def start_recording(self, video_name: str) -> None:
        """Begin a video of a name; what is being recorded ends."""
        self._recorder.start(video_name)

    def stop_recording(self) -> None:
        """End the video, and wait until its file is complete.

        Raises:
            ValueError: no video is being recorded.
        """
        self._recorder.stop()
        self._recorder.close()


class WrittenFrames(Sequence[Any]):
    """So many frames, which are in a file and not kept.

    >>> frames = WrittenFrames(3)
    >>> len(frames), bool(frames)
    (3, True)
    >>> frames[0]
    Traceback (most recent call last):
    IndexError: RecordVideo keeps no frames, it writes them; see render_mode="rgb_array_list" for frames as a list
    """

    def __init__(self, number: int) -> None:
        self._number = number

    def __len__(self) -> int:
        return self._number

    def __getitem__(self, index: Any) -> Any:
        message = 'RecordVideo keeps no frames, it writes them; see render_mode="rgb_array_list" for frames as a list'
        raise IndexError(message)

    def __repr__(self) -> str:
        return f"<{self._number} frames, written>"
