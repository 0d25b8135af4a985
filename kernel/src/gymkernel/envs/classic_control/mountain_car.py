"""`gymkernel.envs.classic_control.mountain_car`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_env_classic_control import MountainCarEnv as MountainCarEnv
    from gymkernel_env_classic_control import MountainCarVectorEnv as MountainCarVectorEnv

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
