"""`gymkernel.utils.gymnasium`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_bridge_gymnasium import GymnasiumEnv as GymnasiumEnv
    from gymkernel_bridge_gymnasium import GymnasiumVectorEnv as GymnasiumVectorEnv
    from gymkernel_bridge_gymnasium import KernelEnv as KernelEnv
    from gymkernel_bridge_gymnasium import KernelVectorEnv as KernelVectorEnv
    from gymkernel_bridge_gymnasium import from_gymnasium as from_gymnasium
    from gymkernel_bridge_gymnasium import to_gymnasium as to_gymnasium

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
