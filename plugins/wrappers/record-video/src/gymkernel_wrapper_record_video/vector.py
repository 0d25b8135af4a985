"""The `RecordVideo` wrapper for vector environments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import logger
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Results, Seed, VectorEnvLike
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel_util_vector.episodes import EpisodeBoundaries
from gymkernel_wrapper_record_video.recording import Recording

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = ["RecordVideo"]


class RecordVideo(Recording, VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType]):
    """A vector wrapper that records MP4 videos of all environments or only of the first environment.

    The frames of all environments are arranged in a grid. The triggers receive the episode numbers of the first
    environment. In SAME_STEP mode, the last frame of an episode cannot be recorded.

    This wrapper has two additional arguments. The other arguments, the attributes and the exceptions are the same as
    for `gymkernel.wrappers.RecordVideo`.

    Args:
        video_aspect_ratio: the desired aspect ratio of the video, as (width, height).
        record_first_only: whether to record only the first environment.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from gymkernel.vector import VectorEnv
    >>> class Dark(VectorEnv):
    ...     num_envs = 2
    ...     metadata = {"autoreset_mode": "NextStep"}
    ...     render_mode = "rgb_array"
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(2), {}
    ...
    ...     def render(self):
    ...         return tuple(np.zeros((40, 60, 3), np.uint8) for _ in range(2))
    >>> folder = Path(tempfile.mkdtemp())
    >>> envs = RecordVideo(Dark(), folder)
    >>> _ = envs.reset()
    >>> envs.close()
    >>> [path.name for path in folder.iterdir()]
    ['rl-video-episode-0.mp4']
    """

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        video_folder: str | os.PathLike[str],
        video_aspect_ratio: tuple[int, int] = (1, 1),
        record_first_only: bool = False,
        episode_trigger: Callable[[int], bool] | None = None,
        step_trigger: Callable[[int], bool] | None = None,
        video_length: int = 0,
        name_prefix: str = "rl-video",
        fps: float | None = None,
        disable_logger: bool = True,
        gc_trigger: Callable[[int], bool] | None = None,
    ) -> None:
        triggers = episode_trigger, step_trigger
        super().__init__(env, video_folder, *triggers, video_length, name_prefix, fps, disable_logger, gc_trigger)
        self._saved_kwargs |= {"video_aspect_ratio": tuple(video_aspect_ratio), "record_first_only": record_first_only}
        self.video_aspect_ratio, self.record_first_only = video_aspect_ratio, record_first_only
        self._boundaries = EpisodeBoundaries.around(env)
        if self._boundaries.is_same_step:
            logger.warn("In SAME_STEP mode, RecordVideo cannot record the last frame of an episode", stacklevel=2)
        self.frame_rows = self.frame_cols = -1
        """The numbers of rows and columns in the grid of frames, or -1 if no frame has been recorded yet."""

    autoreset_mode = property(lambda self: self._boundaries.mode, doc="The autoreset mode of the wrapped environments.")
    has_autoreset = property(
        lambda self: self._boundaries.plan_step()[0] is not None and bool(self._boundaries.over[0]),
        doc="Whether the next step of the first environment begins an episode.",
    )

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environments. If a trigger selects the episode, start a video."""
        results = self._finishing(lambda: self.env.reset(seed=seed, options=options))
        where = self._boundaries.finish_reset(options)
        if where is ... or where[0]:
            self._begin_episode()
        self._capture()
        return results

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments. If a video is being recorded, add their frames."""
        return self._act_and_record(lambda: self.env.step(actions), None)

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments that the mask selects, and record the frames of all environments."""
        return self._act_and_record(lambda: self.env.step_masked(actions, mask), mask)

    def _act_and_record(self, act: Callable[[], Results], mask: Mask | None) -> Results:
        results = self._finishing(act)
        began, _ = self._boundaries.plan_step(mask)
        _, restarted = self._boundaries.finish_step(results[2], results[3], mask)
        if any(where is not None and where[0] for where in (began, restarted)):
            self._begin_episode()
        self._count_step()
        self._capture()
        return results

    def _capture(self) -> None:
        if self._writer is None:
            return
        frames: Any = self.env.render()
        shown = [frame[-1] if isinstance(frame, list) and frame else frame for frame in frames]
        if self.record_first_only:
            shown = shown[:1]
        if not all(isinstance(frame, np.ndarray) for frame in shown):
            self._add_frame(shown[0])
            return
        if self.frame_rows < 0:
            self.frame_rows, self.frame_cols = grid(len(shown), shown[0].shape, self.video_aspect_ratio)
        self._add_frame(tile(shown, self.frame_rows, self.frame_cols))

    def close(self, **kwargs: Any) -> None:
        """Close the vector environment, end the video, and wait until all files are complete."""
        try:
            self.env.close(**kwargs)
        finally:
            self._finish_files()


def grid(number: int, frame: tuple[int, ...], ratio: tuple[int, int]) -> tuple[int, int]:
    """Return the (rows, columns) of a grid without gaps whose aspect ratio is closest to the given ratio.

    >>> grid(6, (20, 30, 3), (2, 1))
    (2, 3)
    """
    grids = [(rows, number // rows) for rows in range(1, int(number**0.5) + 1) if number % rows == 0]
    return min(grids, key=lambda cells: abs(cells[1] * frame[1] / (cells[0] * frame[0]) - ratio[0] / ratio[1]))


def tile(frames: Sequence[NDArray[np.uint8]], rows: int, columns: int) -> NDArray[np.uint8]:
    """Arrange frames of the same size in a grid, row by row.

    >>> tile([np.zeros((20, 30, 3), np.uint8)] * 6, 2, 3).shape
    (40, 90, 3)
    """
    height, width, channels = frames[0].shape
    picture = np.stack(frames).reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return picture.reshape(rows * height, columns * width, channels)
