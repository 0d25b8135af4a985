"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_autoreset import Autoreset as Autoreset
from gymkernel_wrapper_order_enforcing import OrderEnforcing as OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker as PassiveEnvChecker
from gymkernel_wrapper_record_episode_statistics import RecordEpisodeStatistics as RecordEpisodeStatistics
from gymkernel_wrapper_time_limit import TimeLimit as TimeLimit
