# stamped by tools/sync.py

from gymkernel_wrapper_record_episode_statistics.vector import *
from gymkernel.wrappers.vector._installed import RecordEpisodeStatistics as RecordEpisodeStatistics
