"""`gymkernel.envs.toy_text`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.envs.toy_text import blackjack as blackjack
from gymkernel.envs.toy_text import cliffwalking as cliffwalking
from gymkernel.envs.toy_text import frozen_lake as frozen_lake
from gymkernel.envs.toy_text import taxi as taxi
from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_env_toy_text import BlackjackEnv as BlackjackEnv
    from gymkernel_env_toy_text import CliffWalkingEnv as CliffWalkingEnv
    from gymkernel_env_toy_text import FrozenLakeEnv as FrozenLakeEnv
    from gymkernel_env_toy_text import TaxiEnv as TaxiEnv

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
