"""Runs a policy in an environment, episode by episode, and says where it failed."""

from gymkernel_util_tools.episodes.errors import EpisodeError
from gymkernel_util_tools.episodes.runner import Episodes, acting_in

__all__ = ["EpisodeError", "Episodes", "acting_in"]
