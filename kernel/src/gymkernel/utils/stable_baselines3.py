"""`gymkernel.utils.stable_baselines3`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_bridge_stable_baselines3 import SB3VecEnv as SB3VecEnv
    from gymkernel_bridge_stable_baselines3 import make_sb3_vec as make_sb3_vec

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
