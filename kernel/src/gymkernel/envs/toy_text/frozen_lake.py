"""`gymkernel.envs.toy_text.frozen_lake`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_env_toy_text import MAPS as MAPS
    from gymkernel_env_toy_text import FrozenLakeEnv as FrozenLakeEnv
    from gymkernel_env_toy_text import FrozenLakeVectorEnv as FrozenLakeVectorEnv
    from gymkernel_env_toy_text import generate_random_map as generate_random_map
    from gymkernel_env_toy_text import is_valid as is_valid

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
