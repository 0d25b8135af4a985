"""The class `Episodes`, which runs a policy in an environment, and `EpisodeError`, which reports where a run failed."""

from gymkernel_util_tools.episodes.errors import EpisodeError
from gymkernel_util_tools.episodes.runner import Episodes, acting_in

__all__ = ["EpisodeError", "Episodes", "acting_in"]
