"""The `RecordVideo` wrapper, which records episodes as videos."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat

from gymkernel import logger
from gymkernel.protocols import ActType, Info, ObsType, Options
from gymkernel.wrapper import Wrapper
from gymkernel_wrapper_record_video.recording import Recording

__all__ = ["RecordVideo"]


class RecordVideo(Recording, Wrapper[ObsType, ActType, ObsType, ActType]):
    """A wrapper that records whole episodes, or a given number of steps, as MP4 files.

    A separate thread encodes the frames while the environment continues to run. The environment has to wait only if it
    is faster than the encoder for a long time. Regardless of the length of the video, only a few frames are kept in
    memory. A file gets its final name when it is complete, and `close` waits until all files are complete. If `reset`
    or `step` raises an exception, the video ends with the last recorded frame.

    Args:
        env: the wrapped environment. Its render mode must return arrays.
        video_folder: the folder for the video files, which is created if it does not exist.
        episode_trigger: a function that takes the number of an episode, starting from 0, and returns whether to record
            the episode. If neither trigger is given, the wrapper records episodes 0, 1, 8, 27, all other cubes less
            than 1000, and every 1000th episode.
        step_trigger: a function that takes the number of a step, starting from 0, and returns whether to start a video
            at this step.
        video_length: the number of steps in a video, which may span several episodes. 0 means exactly one episode.
        name_prefix: the prefix of the file names. For example, files are called `rl-video-episode-8.mp4` or
            `rl-video-step-500.mp4`.
        fps: the number of frames per second. The default is `metadata["render_fps"]` or, if that is not set, 30.
        disable_logger: whether to suppress the message that is printed when a video is finished.
        gc_trigger: a function that takes the number of an episode and returns whether to run the garbage collector
            after its video, or None. The garbage collector is not needed, because frames are not kept in memory.

    Attributes:
        recording: whether a video is being recorded.
        recorded_frames: a sequence whose length is the number of frames in the current video.
        episode_id: the number of the current episode.
        step_id: the number of the current step.
        episode_trigger, step_trigger, video_length, name_prefix, frames_per_sec: the arguments of the constructor or
            their defaults. These attributes can be changed.

    Raises:
        ValueError: if the environment does not render arrays.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from gymkernel import Env
    >>> class Dark(Env):
    ...     render_mode = "rgb_array"
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return 0, 1.0, action == "end", False, {}
    ...
    ...     def render(self):
    ...         return np.zeros((40, 60, 3), np.uint8)
    >>> folder = Path(tempfile.mkdtemp())
    >>> env = RecordVideo(Dark(), folder, episode_trigger=lambda episode: episode == 0)
    >>> _ = env.reset(), env.step("go"), env.step("end")
    >>> env.close()
    >>> [path.name for path in folder.iterdir()]
    ['rl-video-episode-0.mp4']
    """

    if not TYPE_CHECKING:  # type checkers see the inherited constructor; old versions of Python do not
        __init__ = Recording.__init__

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment. If a trigger selects the episode, start a video."""
        result = self._finishing(lambda: self.env.reset(seed=seed, options=options))
        self._begin_episode()
        self._capture()
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment. If a video is being recorded, add a frame."""
        try:
            result = self.env.step(action)
        except BaseException:
            self._finish_files()
            raise
        self._count_step()
        self._capture()
        return result

    def _capture(self) -> None:
        if self._writer is None:
            return
        frame = self.env.render()
        if isinstance(frame, list):
            if not frame:
                logger.warn(
                    "RecordVideo found no frame, because another call of render has already returned the frames",
                    stacklevel=3,
                )
                return
            self.render_history += frame
            frame = frame[-1]
        self._add_frame(frame)

    def render(self) -> Any:
        """Render the environment. A list of frames includes the frames that have already been added to the video."""
        rendered = self.env.render()
        if not self.render_history:
            return rendered
        history, self.render_history = self.render_history, []
        return history + rendered

    def close(self) -> None:
        """Close the environment, end the video, and wait until all files are complete."""
        try:
            self.env.close()
        finally:
            self._finish_files()
