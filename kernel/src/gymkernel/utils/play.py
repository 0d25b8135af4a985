"""`gymkernel.utils.play`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_tool_play import MissingKeysToAction as MissingKeysToAction
    from gymkernel_tool_play import PlayableGame as PlayableGame
    from gymkernel_tool_play import PlayPlot as PlayPlot
    from gymkernel_tool_play import display_arr as display_arr
    from gymkernel_tool_play import play as play

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
