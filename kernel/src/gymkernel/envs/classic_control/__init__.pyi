# stamped by tools/sync.py

from gymkernel.envs.classic_control import acrobot as acrobot
from gymkernel.envs.classic_control import cartpole as cartpole
from gymkernel.envs.classic_control import continuous_mountain_car as continuous_mountain_car
from gymkernel.envs.classic_control import mountain_car as mountain_car
from gymkernel.envs.classic_control import pendulum as pendulum
from gymkernel.envs.classic_control import utils as utils
from gymkernel_env_classic_control import *
