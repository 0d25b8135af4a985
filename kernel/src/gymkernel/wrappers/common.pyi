# stamped by tools/sync.py

from gymkernel.wrappers._installed import Autoreset as Autoreset
from gymkernel.wrappers._installed import OrderEnforcing as OrderEnforcing
from gymkernel.wrappers._installed import PassiveEnvChecker as PassiveEnvChecker
from gymkernel.wrappers._installed import RecordEpisodeStatistics as RecordEpisodeStatistics
from gymkernel.wrappers._installed import TimeLimit as TimeLimit
