"""The episodes that are recorded by default."""

from __future__ import annotations

__all__ = ["capped_cubic_video_schedule"]


def capped_cubic_video_schedule(episode_id: int) -> bool:
    """Return whether to record an episode: the cubes below 1000 (0, 1, 8, 27, ...), then every thousandth episode.

    Args:
        episode_id: the number of the episode; the first episode has the number 0.

    >>> [episode for episode in range(3001) if capped_cubic_video_schedule(episode)]
    [0, 1, 8, 27, 64, 125, 216, 343, 512, 729, 1000, 2000, 3000]
    """
    if episode_id < 1000:
        root: float = episode_id ** (1 / 3)
        return round(root) ** 3 == episode_id
    return episode_id % 1000 == 0
