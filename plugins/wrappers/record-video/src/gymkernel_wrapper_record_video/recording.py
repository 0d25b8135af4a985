"""What both forms of `RecordVideo` have: their arguments, counts, and recordings on demand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gymkernel.utils import RecordConstructorArgs
from gymkernel_wrapper_record_video.recorder import Recorder, check

if TYPE_CHECKING:
    from gymkernel_wrapper_record_video.recorder import Trigger

__all__ = ["Recording"]


class Recording(RecordConstructorArgs):
    """A second base of the wrappers, which call `_set_up` in their constructors."""

    _recorder: Recorder

    def _set_up(
        self,
        env: Any,
        video_folder: str | os.PathLike[str],
        episode_trigger: Trigger,
        step_trigger: Trigger,
        video_length: int,
        name_prefix: str,
        fps: float | None,
        disable_logger: bool,
        gc_trigger: Trigger,
        **own: Any,
    ) -> None:
        """Keep the arguments, `own` being those of one form alone, and make the recorder."""
        folder, rate = check(env, video_folder, fps)
        RecordConstructorArgs.__init__(
            self,
            video_folder=os.fspath(video_folder),
            **own,
            episode_trigger=episode_trigger,
            step_trigger=step_trigger,
            video_length=video_length,
            name_prefix=name_prefix,
            fps=fps,
            disable_logger=disable_logger,
            gc_trigger=gc_trigger,
        )
        self.video_folder, self.name_prefix, self.frames_per_sec = str(folder), name_prefix, rate
        self._recorder = Recorder(
            folder, name_prefix, rate, episode_trigger, step_trigger, video_length, disable_logger, gc_trigger
        )

    recording = property(lambda self: self._recorder.writer is not None, doc="Whether a video is being recorded.")
    episode_id = property(
        lambda self: self._recorder.episode_id, doc="The number of the episode, from 0; of many, of the first's."
    )
    step_id = property(lambda self: self._recorder.step_id, doc="The number of the step, from 0.")

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
