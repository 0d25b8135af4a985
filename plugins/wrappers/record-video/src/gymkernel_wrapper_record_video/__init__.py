"""`RecordVideo`: episodes as videos."""

from __future__ import annotations

from typing import Any, SupportsFloat

from gymkernel import logger
from gymkernel.protocols import ActType, Info, ObsType, Options
from gymkernel.wrapper import Wrapper
from gymkernel_wrapper_record_video.recording import Recording

__all__ = ["RecordVideo"]


class RecordVideo(Recording, Wrapper[ObsType, ActType, ObsType, ActType]):
    """Record episodes, or steps, as MP4 files.

    Frames go to the encoder, a thread, as they come: the environment waits only where it is faster than the encoder for
    long, and no video, however long, takes more memory than a few frames. A file appears under its name when it is
    complete; `close` waits for all of them, and where `reset` or `step` raises, the video ends with the last frame.

    Args:
        env: the environment inside, with a render mode of arrays.
        video_folder: where the files go; it is made.
        episode_trigger: gets the number of an episode, from 0, and says whether to record it. Where neither trigger is
            given, those of cubic numbers below 1000 are, and then every thousandth.
        step_trigger: gets the number of a step, from 0, and says whether a recording begins there.
        video_length: how many steps a video lasts, over the ends of episodes; 0 for one episode.
        name_prefix: what names begin with: `rl-video-episode-8.mp4`, `rl-video-step-500.mp4`.
        fps: frames per second; None for `metadata["render_fps"]`, or 30.
        disable_logger: whether to keep silent about finished videos.
        gc_trigger: gets the number of an episode, and says whether to collect garbage after its video; None for no, as
            no frames are kept.

    Attributes:
        recording: whether a video is being recorded.
        recorded_frames: a sequence whose length is the number of frames of the present video.
        episode_id: the number of the episode.
        step_id: the number of the step.
        episode_trigger, step_trigger, video_length, name_prefix, frames_per_sec: as given, or by default; may be set.

    Raises:
        ValueError: the environment renders no arrays.

    >>> from gymkernel import Env
    >>> RecordVideo(Env(), "videos")
    Traceback (most recent call last):
    ValueError: RecordVideo expects an environment with a render_mode of arrays, such as 'rgb_array', got None
    """

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode, and a video of it where that is wanted."""
        try:
            result = self.env.reset(seed=seed, options=options)
        except BaseException:
            self._recorder.close()
            raise
        self._recorder.begin_episode()
        self._capture()
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Act once, and record the frame where a video is being recorded."""
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
                logger.warn("RecordVideo found no frame: somebody else took those collected by render", stacklevel=3)
                return
            self.render_history += frame
            frame = frame[-1]
        self._recorder.add(frame)

    def render(self) -> Any:
        """Render the environment; of a mode that collects frames, with those that the video took."""
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
