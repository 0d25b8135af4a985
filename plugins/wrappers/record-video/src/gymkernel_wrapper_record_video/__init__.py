"""`RecordVideo`: videos of episodes."""

from __future__ import annotations

from typing import Any, SupportsFloat

from gymkernel import logger
from gymkernel.protocols import ActType, Info, ObsType, Options
from gymkernel.wrapper import Wrapper
from gymkernel_wrapper_record_video.recording import Recording

__all__ = ["RecordVideo"]


class RecordVideo(Recording, Wrapper[ObsType, ActType, ObsType, ActType]):
    """Record episodes or steps as MP4 files.

    A thread encodes the frames while the environment continues. The environment waits only if it is faster than the
    encoder for a long time, and a video of any length needs only the memory of a few frames. A file gets its name when
    it is complete; `close` waits for all files. If `reset` or `step` raises, the video ends with the last frame.

    Args:
        env: the wrapped environment, with a render mode of arrays.
        video_folder: the folder for the files; it is created if necessary.
        episode_trigger: a function that takes the number of an episode, starting from 0, and returns whether to record
            it. If neither trigger is given, the cubes below 1000 and then every thousandth episode are recorded.
        step_trigger: a function that takes the number of a step, starting from 0, and returns whether to start a
            recording.
        video_length: the number of steps of a video, across the ends of episodes; 0 for one episode.
        name_prefix: the beginning of the file names, such as `rl-video-episode-8.mp4` and `rl-video-step-500.mp4`.
        fps: the number of frames per second; None for `metadata["render_fps"]`, or 30.
        disable_logger: whether to print nothing about finished videos.
        gc_trigger: a function that takes the number of an episode and returns whether to run the garbage collector
            after its video; None for never, because no frames are kept.

    Attributes:
        recording: whether a video is being recorded.
        recorded_frames: a sequence whose length is the number of frames of the current video.
        episode_id: the number of the episode.
        step_id: the number of the step.
        episode_trigger, step_trigger, video_length, name_prefix, frames_per_sec: the arguments or their defaults; they
            can be set.

    Raises:
        ValueError: the environment does not render arrays.

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

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode, and start its video if a trigger chooses the episode."""
        try:
            result = self.env.reset(seed=seed, options=options)
        except BaseException:
            self._recorder.close()
            raise
        self._recorder.begin_episode()
        self._capture()
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment, and record the frame if a video is being recorded."""
        try:
            result = self.env.step(action)
        except BaseException:
            self._recorder.close()
            raise
        self._recorder.count_step()
        self._capture()
        return result

    def _capture(self) -> None:
        if self._recorder.writer is None:
            return
        frame = self.env.render()
        if isinstance(frame, list):
            if not frame:
                logger.warn(
                    "RecordVideo found no frame, because another caller of render took the collected frames",
                    stacklevel=3,
                )
                return
            self.render_history += frame
            frame = frame[-1]
        self._recorder.add(frame)

    def render(self) -> Any:
        """Render the environment; the frames of a list include those that the video used."""
        rendered = self.env.render()
        if not self.render_history:
            return rendered
        history, self.render_history = self.render_history, []
        return history + rendered

    def close(self) -> None:
        """Close the environment, end the video, and wait for every file."""
        try:
            self.env.close()
        finally:
            self._recorder.close()
