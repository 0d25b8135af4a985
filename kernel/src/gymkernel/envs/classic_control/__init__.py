"""`gymkernel.envs.classic_control`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.envs.classic_control import acrobot as acrobot
from gymkernel.envs.classic_control import cartpole as cartpole
from gymkernel.envs.classic_control import continuous_mountain_car as continuous_mountain_car
from gymkernel.envs.classic_control import mountain_car as mountain_car
from gymkernel.envs.classic_control import pendulum as pendulum
from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_env_classic_control import AcrobotEnv as AcrobotEnv
    from gymkernel_env_classic_control import CartPoleEnv as CartPoleEnv
    from gymkernel_env_classic_control import Continuous_MountainCarEnv as Continuous_MountainCarEnv
    from gymkernel_env_classic_control import MountainCarEnv as MountainCarEnv
    from gymkernel_env_classic_control import PendulumEnv as PendulumEnv

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
