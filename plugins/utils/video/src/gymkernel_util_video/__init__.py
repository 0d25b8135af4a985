"""Videos: a writer that encodes beside the loop, and the usual choice of what to record."""

from gymkernel_util_video.saving import save_video
from gymkernel_util_video.schedule import capped_cubic_video_schedule
from gymkernel_util_video.writer import VideoWriter

__all__ = ["VideoWriter", "capped_cubic_video_schedule", "save_video"]
