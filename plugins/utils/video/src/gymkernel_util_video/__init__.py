"""Tools for writing videos: the class `VideoWriter`, the function `save_video` and the default recording schedule."""

from gymkernel_util_video.saving import capped_cubic_video_schedule, save_video
from gymkernel_util_video.writer import VideoWriter

__all__ = ["VideoWriter", "capped_cubic_video_schedule", "save_video"]
