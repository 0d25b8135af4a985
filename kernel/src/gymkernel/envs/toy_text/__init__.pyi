# stamped by tools/sync.py

from gymkernel.envs.toy_text import blackjack as blackjack
from gymkernel.envs.toy_text import cliffwalking as cliffwalking
from gymkernel.envs.toy_text import frozen_lake as frozen_lake
from gymkernel.envs.toy_text import taxi as taxi
from gymkernel.envs.toy_text import utils as utils
from gymkernel_env_toy_text import *
