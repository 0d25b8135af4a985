# stamped by tools/sync.py

from typing import TYPE_CHECKING
from gymkernel.utils.colorize import colorize as colorize
from gymkernel.utils.record_constructor import RecordConstructorArgs as RecordConstructorArgs

if TYPE_CHECKING:
    from gymkernel.utils import command_line as command_line
    from gymkernel.utils import dm_env as dm_env
    from gymkernel.utils import env_checker as env_checker
    from gymkernel.utils import env_match as env_match
    from gymkernel.utils import envpool as envpool
    from gymkernel.utils import episodes as episodes
    from gymkernel.utils import ezpickle as ezpickle
    from gymkernel.utils import gym as gym
    from gymkernel.utils import gymnasium as gymnasium
    from gymkernel.utils import id_families as id_families
    from gymkernel.utils import passive_env_checker as passive_env_checker
    from gymkernel.utils import performance as performance
    from gymkernel.utils import pettingzoo as pettingzoo
    from gymkernel.utils import play as play
    from gymkernel.utils import printable as printable
    from gymkernel.utils import progress as progress
    from gymkernel.utils import record_constructor as record_constructor
    from gymkernel.utils import rollout as rollout
    from gymkernel.utils import save_video as save_video
    from gymkernel.utils import seeding as seeding
    from gymkernel.utils import stable_baselines3 as stable_baselines3
    from gymkernel.utils import step_api_compatibility as step_api_compatibility
    from gymkernel.utils import targets as targets
    from gymkernel.utils import video as video
    from gymkernel_tool_run.alias import as_gymnasium as as_gymnasium
    from gymkernel_util_compatibility.ezpickle import EzPickle as EzPickle

__all__ = [
    "EzPickle",
    "RecordConstructorArgs",
    "as_gymnasium",
    "colorize",
]
