"""Runs a policy in an environment for several episodes, and reports where an error occurred."""

from gymkernel_util_tools.episodes.errors import EpisodeError
from gymkernel_util_tools.episodes.runner import Episodes, acting_in

__all__ = ["EpisodeError", "Episodes", "acting_in"]
