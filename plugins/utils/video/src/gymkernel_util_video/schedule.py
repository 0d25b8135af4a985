"""The default recording schedule, which determines which episodes are recorded."""

from __future__ import annotations

__all__ = ["capped_cubic_video_schedule"]


def capped_cubic_video_schedule(episode_id: int) -> bool:
    """Return whether an episode's number is a cube below 1000 (0, 1, 8, 27, ...) or a multiple of 1000.

    Args:
        episode_id: the number of the episode, starting from 0.

    >>> [episode for episode in range(3001) if capped_cubic_video_schedule(episode)]
    [0, 1, 8, 27, 64, 125, 216, 343, 512, 729, 1000, 2000, 3000]
    """
    if episode_id < 1000:
        root: float = episode_id ** (1 / 3)
        return round(root) ** 3 == episode_id
    return episode_id % 1000 == 0
