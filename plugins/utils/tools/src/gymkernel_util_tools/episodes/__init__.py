"""Runs a policy in an environment, episode by episode, and says where it failed."""

from gymkernel_util_tools.episodes.failing import EpisodeError
from gymkernel_util_tools.episodes.running import Episodes

__all__ = ["EpisodeError", "Episodes"]
