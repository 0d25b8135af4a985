"""Which episodes to record, unless somebody says otherwise."""

from __future__ import annotations

__all__ = ["capped_cubic_video_schedule"]


def capped_cubic_video_schedule(episode_id: int) -> bool:
    """Whether to record an episode: those of cubic numbers below 1000 (0, 1, 8, 27, ...), then every thousandth.

    Args:
        episode_id: how many episodes there were before, 0 for the first.

    >>> [episode for episode in range(3001) if capped_cubic_video_schedule(episode)]
    [0, 1, 8, 27, 64, 125, 216, 343, 512, 729, 1000, 2000, 3000]
    """
    if episode_id < 1000:
        root: float = episode_id ** (1 / 3)
        return round(root) ** 3 == episode_id
    return episode_id % 1000 == 0
